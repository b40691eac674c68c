// The same scripts in wasm and in a native program: every trace hash must be equal.
// What the scripts do is in tests/determinism/scripts.json; what a hash covers is the engine's affair.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { setting } from "../../node/report.mjs";

export const name = "determinism";

const root = fileURLToPath(new URL("../../..", import.meta.url));

// What each step of a script does to a Simulation.
const STEPS = {
  advance: (simulation, ms) => simulation.advance(ms),
  seek: (simulation, ms) => simulation.seek(ms),
  act: (simulation, command) => simulation.act(command),
  step: (simulation, count) => repeat(count, () => simulation.step()),
  step_back: (simulation, count) => repeat(count, () => simulation.stepBack()),
  open_branch: (simulation, id) => simulation.openBranch(id),
  undo: (simulation, count) => repeat(count, () => assert.ok(simulation.undo(), "there is something to undo")),
};

export async function run(t) {
  const door = await import(pathToFileURL(`${t.dist}/logarium.js`).href);
  await door.default({ wasm: t.bytes });
  const scripts = JSON.parse(await readFile(`${root}/tests/determinism/scripts.json`, "utf8"));
  let expected = [];
  await t.test("the native program runs the scripts", async () => {
    expected = await nativeTraces();
  });

  for (const script of scripts) {
    const lines = expected.filter((line) => line.script === script.name);
    await t.test(`native and wasm agree: ${script.name}`, () => {
      const wanted = new Map((script.scenario === "*" ? door.scenarios() : [script.scenario]).map((scenario) => [scenario.name, scenario]));
      assert.deepEqual(lines.map(({ scenario }) => scenario).sort(), [...wanted.keys()].sort());
      for (const line of lines) {
        const scenario = script.scenario === "*" ? line.scenario : script.scenario;
        const simulation = new door.Simulation(scenario, script.seed === undefined ? {} : { seed: script.seed });
        const hashes = script.steps.map((step) => {
          const [[verb, value]] = Object.entries(step);
          STEPS[verb](simulation, value);
          return simulation.traceHash();
        });
        assert.deepEqual(hashes, line.hashes, line.scenario);
        assert.equal(simulation.now, line.now_ms);
        simulation.free();
      }
    });
  }

  await t.test("seeking gives what playing gives, at every tenth of a second", () => {
    for (const { name } of door.scenarios()) {
      const played = new door.Simulation(name);
      // A seek to 0 stands after what happens at 0; a new simulation stands before it.
      played.advance(0);
      const hashes = [];
      for (let step = 0; step < 60; step += 1) {
        hashes.push(played.traceHash());
        played.advance(100);
      }
      const sought = new door.Simulation(name);
      // Far ahead first, then backwards: every seek starts somewhere else than playing did.
      sought.seek(6000);
      for (let step = 59; step >= 0; step -= 1) {
        sought.seek(step * 100);
        assert.equal(sought.traceHash(), hashes[step], `${name} at ${step * 100} ms`);
      }
      played.free();
      sought.free();
    }
  });

  await t.test("another seed gives another run where something is random", () => {
    const random = scripts.find(({ scenario }) => scenario.name === "keyless").scenario;
    const [one, other, again] = [1, 2, 1].map((seed) => {
      const simulation = new door.Simulation(random, { seed });
      simulation.advance(2000);
      return simulation.traceHash();
    });
    assert.notEqual(one, other);
    assert.equal(one, again);
  });
}

function repeat(count, body) {
  for (let turn = 0; turn < count; turn += 1) body();
}

// What the native program prints; `cargo xtask test` has built it.
async function nativeTraces() {
  const { stdout } = await promisify(execFile)(setting("LOGARIUM_TRACE"), { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim().split("\n").map((line) => JSON.parse(line));
}
