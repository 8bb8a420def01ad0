// DuckDB on one thread, for million.py: loads a CSV into a new file, then answers a query.
//     node duck.mjs NODE_MODULES CSV FILE COLUMNS QUERY TIMES
// Prints, as one object of JSON: version; load_s, CPU (user and system) of this process for the
// rows and the CHECKPOINT; query_s, the median of TIMES; what the query answers, rows and sum.
import { createRequire } from "node:module";

const [modules, csv, file, columns, query, times] = process.argv.slice(2);
const { DuckDBInstance, version } = createRequire(modules + "/")("@duckdb/node-api");

async function cpuSeconds(work) {
  const before = process.cpuUsage();
  await work();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1e6;
}

const instance = await DuckDBInstance.create(file, { threads: "1" });
const connection = await instance.connect();
const load_s = await cpuSeconds(async () => {
  await connection.run(`CREATE TABLE m(${columns})`);
  // Told all about the file: finding that out is not loading.
  await connection.run(`COPY m FROM '${csv}' (HEADER, AUTO_DETECT false, DELIMITER ',',
                                            QUOTE '"', ESCAPE '"')`);
  await connection.run("CHECKPOINT");
});
const took = [];
let rows;
for (let i = 0; i <= Number(times); i++)
  took.push(await cpuSeconds(async () => {
    rows = (await connection.runAndReadAll(query)).getRows();
  }));
took.shift(); // the first one finds cold caches
took.sort((a, b) => a - b);
const sum = rows.reduce((total, row) => total + Number(row[2]), 0);
console.log(JSON.stringify({ version: version(), load_s, query_s: took[took.length >> 1],
                             rows: rows.length, sum }));
