// A server with a cache of bounded size; given "leak" as well, it keeps every request for ever.
const http = require('http');
const [port, leak] = process.argv.slice(2);
const cache = new Map(), kept = [];

function work() {
    const words = Array.from({length: 3000}, (_, i) => ({id: i, name: 'item ' + i * 31}));
    const text = JSON.stringify(words);
    cache.set(Math.floor(Math.random() * 20000), text.slice(0, 8000));
    if (cache.size > 5000)
        cache.delete(cache.keys().next().value);
    if (leak)
        kept.push(words.slice(0, 100));
    return 'done';
}

function stats() {
    const m = process.memoryUsage();
    return JSON.stringify({used: m.heapUsed + m.external, held: m.heapTotal + m.external, rss: m.rss});
}

http.createServer((request, response) => response.end(request.url == '/stats' ? stats() : work()))
    .listen(+port, '127.0.0.1');
