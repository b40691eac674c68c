// Times the bench's wasm module in Node: `node wasm.mjs MODULE.wasm`. Prints a name and a number a line.
// The same work is timed natively by tests/src/bin/bench/.
import { readFile } from "node:fs/promises";

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), {});
const module = instance.exports;
const HOUR = 3600;

function bestNs(count, body) {
  for (const start = performance.now(); performance.now() - start < 500; ) body();
  const rounds = Array.from({ length: 101 }, () => {
    const start = performance.now();
    body();
    return ((performance.now() - start) * 1e6) / count;
  });
  return Math.min(...rounds);
}

for (const length of [8, 16, 32, 64]) {
  const count = module.make_keys(length);
  for (const [number, name] of ["murmur2", "crc32"].entries()) {
    console.log(`${name}-one/${length}`, bestNs(count, () => module.place_one_by_one(number)));
    console.log(`${name}-many/${length}`, bestNs(count, () => module.place_many(number)));
  }
}

function bestMs(body) {
  let best = Infinity;
  const begin = performance.now();
  for (let round = 0; round < 3 || performance.now() - begin < 400; round++) {
    const start = performance.now();
    body();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

for (let row = 0; row < module.assignments(); row++) {
  let name = "";
  for (let place = 0, byte; (byte = module.name_byte(row, place)); place++) name += String.fromCharCode(byte);
  module.make_group(row);
  console.log(name, bestMs(() => module.assign_group(row)));
}

for (const [kind, name] of ["eager", "cooperative", "consumer"].entries()) {
  const rounds = Array.from({ length: 3 }, () => {
    module.make_large_group(kind);
    const start = performance.now();
    module.rebalance(kind);
    return performance.now() - start;
  });
  console.log(`rebalance-ms/${name}`, Math.min(...rounds));
}
module.forget();

const start = performance.now();
const entries = Number(module.load());
console.log("load-entries-per-second", entries / ((performance.now() - start) / 1000));
for (const [keepsUp, name] of ["fill-the-buffer", "keep-up"].entries()) {
  const rounds = Array.from({ length: 3 }, () => {
    module.forget();
    const start = performance.now();
    const records = Number(module.fill(keepsUp));
    return { records, seconds: (performance.now() - start) / 1000 };
  });
  const { records, seconds } = rounds.reduce((best, round) => (round.seconds < best.seconds ? round : best));
  console.log(`${name}-minute-seconds`, seconds);
  console.log(`${name}-records-per-second`, records / seconds);
}
module.run(HOUR);
console.log("checkpoint-mib", Number(module.checkpoint_bytes()) / 1048576);
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
const seeks = Array.from({ length: 300 }, () => {
  const instant = Math.floor(random() * HOUR * 1e6);
  const start = performance.now();
  module.seek(instant);
  return performance.now() - start;
}).sort((a, b) => a - b);
for (const [name, share] of [["p50", 0.5], ["p95", 0.95], ["max", 1]]) {
  console.log(`seek-${name}-ms`, seeks[Math.floor((seeks.length - 1) * share)]);
}
