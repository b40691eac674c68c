// The door for pages and scripts: the JavaScript API and, in a browser, the element `<logarium-widget>`.
// No rule of Kafka is here: each call goes to the wasm module, which is loaded when it is first needed.
import { LogariumError, currentGeneration, guard, instance, loadText } from "./instance.js";
import { defineWidget } from "./element.js";

export { LogariumError };

const adopted = Symbol("a simulation made elsewhere");
const encoder = new TextEncoder();

let opened = null;
let opening = null;

// Loads what the functions below need. Later calls wait for the first one; after a crash it starts afresh.
export default function init(options = {}) {
  if (opened && opened.generation !== currentGeneration()) opened = opening = null;
  opening ??= open(options.wasm).catch((error) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function open(source) {
  const [glue, scenarios, lessons] = await Promise.all([
    instance(source),
    loadText("scenarios/index.json"),
    loadText("lessons/index.json"),
  ]);
  guard(() => glue.api_open(scenarios, lessons));
  opened = { glue, generation: currentGeneration() };
}

function api() {
  if (!opened) {
    throw new LogariumError("logarium.not_ready", "Logarium is not loaded yet.", { hint: "Call `await init()` first." });
  }
  refuseLost(opened.generation);
  return opened.glue;
}

function refuseLost(generation) {
  if (generation === currentGeneration()) return;
  throw new LogariumError("logarium.crashed", "The instance that this belongs to has crashed.", {
    hint: "Call `await init()` again, then go on from a link.",
  });
}

export function version() {
  return guard(() => api().api_version());
}

export function clients() {
  return guard(() => api().api_clients());
}

export function partition(client, key, partitions) {
  const bytes = keyBytes(key);
  const count = partitionCount(partitions);
  return guard(() => api().api_partition(String(client), bytes, count)) ?? null;
}

export function explain(client, key, partitions) {
  const bytes = keyBytes(key);
  const count = partitionCount(partitions);
  return guard(() => api().api_explain(String(client), bytes, count));
}

export function partitionMany(client, keys, partitions) {
  const count = partitionCount(partitions);
  const { bytes, ends } = pack(keys);
  return guard(() => api().api_partition_many(String(client), bytes, ends, count));
}

export function assign(assignor, input) {
  const text = json(input, "input");
  return guard(() => api().api_assign(String(assignor), text));
}

export function scenarios() {
  return guard(() => api().api_scenarios());
}

export function lessons() {
  return guard(() => api().api_lessons());
}

// `undefined` stands for no key inside wasm; outside it is null, so that a forgotten argument is noticed.
function keyBytes(key, path = "key") {
  if (key === null) return undefined;
  if (typeof key === "string") return encoder.encode(key);
  if (key instanceof Uint8Array) return key;
  throw new LogariumError("key.type", "A key is a Uint8Array, a string, or null for no key.", {
    path,
    hint: "Turn numbers into bytes as your serializer does: 42 as text and 42 as four bytes are different keys.",
  });
}

function partitionCount(partitions) {
  if (Number.isInteger(partitions) && partitions >= 1 && partitions <= 0x7fffffff) return partitions;
  throw new LogariumError("partitions.out_of_range", "A partition count is a whole number from 1 to 2147483647.", {
    path: "partitions",
  });
}

// All keys in one buffer, and where each ends: one call into wasm instead of one per key.
function pack(keys) {
  if (!keys || typeof keys[Symbol.iterator] !== "function" || typeof keys === "string") {
    throw new LogariumError("key.type", "Keys are a list of Uint8Array or string.", { path: "keys" });
  }
  const list = Array.isArray(keys) ? keys : [...keys];
  const ends = new Uint32Array(list.length);
  let bytes = new Uint8Array(Math.max(64, list.length * 16));
  let end = 0;
  for (let index = 0; index < list.length; index += 1) {
    const key = list[index];
    // UTF-8 needs at most three bytes for each unit of a JavaScript string.
    const room = typeof key === "string" ? key.length * 3 : (key?.length ?? 0);
    if (end + room > bytes.length) bytes = grown(bytes, end + room);
    if (typeof key === "string") {
      end += encoder.encodeInto(key, bytes.subarray(end)).written;
    } else if (key instanceof Uint8Array) {
      bytes.set(key, end);
      end += key.length;
    } else {
      throw new LogariumError("key.type", "Each of the keys is a Uint8Array or a string.", { path: `keys[${index}]` });
    }
    ends[index] = end;
  }
  return { bytes: bytes.subarray(0, end), ends };
}

function grown(bytes, least) {
  const larger = new Uint8Array(Math.max(least, bytes.length * 2));
  larger.set(bytes);
  return larger;
}

// A cluster that runs in simulated time, forward and back.
export class Simulation {
  #raw;
  #generation = currentGeneration();

  constructor(scenario, options = {}) {
    if (scenario === adopted) {
      this.#raw = options;
      return;
    }
    const { seed, ...others } = options ?? {};
    refuseOthers("options", others, ["seed"]);
    if (seed !== undefined && !(Number.isSafeInteger(seed) && seed >= 0)) {
      throw new LogariumError("options.seed", "A seed is a whole number from 0 to 9007199254740991.", { path: "options.seed" });
    }
    const { ApiSimulation } = api();
    this.#raw =
      typeof scenario === "string"
        ? guard(() => ApiSimulation.from_name(scenario, seed))
        : guard(() => ApiSimulation.from_data(json(scenario, "scenario"), seed));
  }

  static fromLink(link) {
    return new Simulation(adopted, guard(() => api().ApiSimulation.from_link(String(link))));
  }

  get now() {
    return this.#call((raw) => raw.now());
  }

  get end() {
    return this.#call((raw) => raw.end());
  }

  act(command) {
    const text = json(command, "command");
    return this.#call((raw) => raw.act(text));
  }

  advance(ms) {
    return this.#call((raw) => raw.advance(milliseconds(ms)));
  }

  step() {
    return this.#call((raw) => raw.step());
  }

  stepBack() {
    return this.#call((raw) => raw.step_back());
  }

  seek(ms) {
    this.#call((raw) => raw.seek(milliseconds(ms)));
  }

  events(query = {}) {
    const { from, to, kinds, limit, ...others } = query ?? {};
    refuseOthers("query", others, ["from", "to", "kinds", "limit"]);
    const range = [from, to].map((ms, place) => (ms === undefined ? undefined : milliseconds(ms, ["query.from", "query.to"][place])));
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0)) {
      throw new LogariumError("query.limit", "A limit is a whole number, 0 or more.", { path: "query.limit" });
    }
    if (kinds !== undefined && !(Array.isArray(kinds) && kinds.every((kind) => typeof kind === "string"))) {
      throw new LogariumError("query.kinds", "Kinds are a list of names of event kinds.", { path: "query.kinds" });
    }
    return this.#call((raw) => raw.events(...range, kinds, limit));
  }

  snapshot() {
    return this.#call((raw) => raw.snapshot());
  }

  console(line) {
    return this.#call((raw) => raw.console(String(line)));
  }

  undo() {
    return this.#call((raw) => raw.undo());
  }

  branches() {
    return this.#call((raw) => raw.branches());
  }

  openBranch(id) {
    this.#call((raw) => raw.open_branch(id));
  }

  link() {
    return this.#call((raw) => raw.link());
  }

  traceHash() {
    return this.#call((raw) => raw.trace_hash());
  }

  svg() {
    return this.#call((raw) => raw.svg());
  }

  free() {
    const raw = this.#raw;
    this.#raw = null;
    // Memory of a lost instance went with it.
    if (raw && this.#generation === currentGeneration()) raw.free();
  }

  #call(call) {
    if (!this.#raw) throw new LogariumError("simulation.freed", "This simulation was freed.");
    refuseLost(this.#generation);
    return guard(() => call(this.#raw));
  }
}

function milliseconds(ms, path = "ms") {
  if (typeof ms === "number" && ms >= 0 && ms < Infinity) return ms;
  throw new LogariumError("time.out_of_range", "A time is a number of milliseconds, 0 or more.", { path });
}

function refuseOthers(path, others, known) {
  const [name] = Object.keys(others);
  if (name === undefined) return;
  throw new LogariumError(`${path}.unknown_field`, `There is no field "${name}" here; known are ${known.join(", ")}.`, {
    path: `${path}.${name}`,
  });
}

// Plain data crosses into wasm as JSON, so that a misspelled field is found and named.
function json(value, what) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new LogariumError(`${what}.invalid`, `A ${what} is an object.`, { path: what });
  }
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new LogariumError(`${what}.invalid`, `A ${what} is plain data: ${error.message}`, { path: what });
  }
}

defineWidget();
