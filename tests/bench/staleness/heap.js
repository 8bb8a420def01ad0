// heap leak|cache: adds 1 MiB of objects for each byte of input, beside as much garbage and objects that are never read.
const held = [], order = Buffer.alloc(1), fs = require("fs");
const idle = Array.from({ length: 100000 }, (_, i) => ({ a: i, b: "text " + i, c: [i, i + 1] }));
let sum = idle.length, garbage;
for (;;) {
    if (fs.readSync(0, order, 0, 1) !== 1)
        break;
    for (let i = 0; i < 10000; i++) {
        held.push({ a: i, b: "text " + i, c: [i, i + 1] });
        garbage = { a: i, b: "text " + i };
    }
    if (process.argv[2] === "cache")
        for (const one of held)
            sum += one.a + one.c[0] + one.b.length;
    fs.writeSync(1, order);
}
