// Runs named cases and says how each went, one JSON line per case, for `cargo xtask test` to count.
// It knows nothing of browsers or wasm.
import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

// No case may take longer, in milliseconds: a hang is a failure with a name.
const CASE_LIMIT = 120_000;

export class Report {
  passed = 0;
  failed = 0;

  // Runs one case; an exception is its failure and the next case runs all the same.
  async test(name, body) {
    const start = performance.now();
    let error;
    try {
      await within(CASE_LIMIT, body());
    } catch (thrown) {
      error = String(thrown?.stack ?? thrown);
    }
    const line = { test: name, ok: !error, ms: Math.round(performance.now() - start) };
    if (error) {
      line.error = error;
      this.failed += 1;
    } else {
      this.passed += 1;
    }
    console.log(JSON.stringify(line));
    return !error;
  }

  // Prints the sum and sets the exit status.
  finish() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    process.exitCode = this.failed > 0 || this.passed === 0 ? 1 : 0;
  }
}

// The suites of a folder whose file name is among `wanted` (all when it is empty), by name.
// A suite exports `name` and `run(t)`.
export async function suites(folder, wanted) {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".mjs")).sort();
  const unknown = wanted.filter((name) => !files.includes(`${name}.mjs`));
  if (unknown.length > 0) {
    throw new Error(`there is no suite ${unknown.join(", ")}; there are ${files.map((file) => basename(file, ".mjs")).join(", ")}`);
  }
  const chosen = files.filter((file) => wanted.length === 0 || wanted.includes(basename(file, ".mjs")));
  return Promise.all(chosen.map((file) => import(pathToFileURL(`${folder}/${file}`).href)));
}

// The value of an environment variable that `cargo xtask test` sets.
export function setting(name) {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: start this through \`cargo xtask test\``);
  }
  return value;
}

function within(limit, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${limit / 1000} s`)), limit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
