// A server whose sessions expire: its memory follows its load.
const [port, ttl] = process.argv.slice(2);
const sessions = new Map();

require('http').createServer((request, response) => {
    const id = Math.random(), words = Array.from({length: 300}, (_, i) => ({id: i, name: 'item ' + i * 31}));
    sessions.set(id, Buffer.alloc(1024 + Math.random() * 3072).fill(JSON.stringify(words)));
    setTimeout(() => sessions.delete(id), +ttl);
    response.end('done');
}).listen(+port, '127.0.0.1');
