// By hand: opens a store in the SQLite of sql.js 1.4.0 (a WebAssembly build, older than the SQLite of
// current systems) and queries every view. In an empty folder outside the repository:
//     npm install sql.js@1.4.0 && node .../oldsqlite.mjs STORE
// The store must be checkpointed (no -wal beside it).
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.cwd() + "/");
const store = process.argv[2];
if (existsSync(store + "-wal") && statSync(store + "-wal").size > 0)
    throw new Error(store + "-wal is not empty: checkpoint first");
const bytes = readFileSync(store);
// A WebAssembly SQLite has no shared memory: without the WAL mark it reads the file as it is.
bytes[18] = bytes[19] = 1;
const wasmBinary = readFileSync(require.resolve("sql.js/dist/sql-wasm.wasm"));
const SQL = await require("sql.js")({ wasmBinary });
const db = new SQL.Database(bytes);

const values = (sql) => db.exec(sql).flatMap((result) => result.values);
console.log("engine", values("select sqlite_version()")[0][0]);
console.log("integrity", values("pragma integrity_check")[0][0],
            "foreign keys", values("pragma foreign_key_check").length);
let failed = 0;
for (const [name] of values("select name from sqlite_master where type = 'view' order by 1")) {
    try {
        const started = performance.now();
        const rows = values(`select count(*) from "${name}"`)[0][0];
        // count(*) lets the planner drop columns; one full row does not.
        db.exec(`select * from "${name}" limit 1`);
        console.log(name, rows, "rows", Math.round(performance.now() - started), "ms");
    } catch (error) {
        failed++;
        console.log("FAIL", name, error.message);
    }
}
const latest = "(select snapshot_id from snapshot order by taken_ms desc limit 1)";
console.log(JSON.stringify(values("select category, count(*), sum(size_kib), sum(rss_kib) " +
    `from mappings where snapshot_id = ${latest} group by 1`)));
process.exit(failed ? 1 : 0);
