// The one wasm instance behind all that a page uses: loading it once, noticing when it traps, starting a fresh one.
// What runs inside is not known here: neither the API's functions nor the widgets.

// Input that was wrong, or an instance that is gone. `code` is stable and meant for programs.
export class LogariumError extends Error {
  constructor(code, message, details = {}) {
    super(message);
    this.name = "LogariumError";
    this.code = code;
    if (details.path) this.path = details.path;
    if (details.hint) this.hint = details.hint;
  }
}

const base = import.meta.url;
const crashListeners = new Set();
const progressListeners = new Set();

let compiled = null;
let current = null;
let generation = 0;

// The living instance's exports; `source` (a URL or the module's bytes) counts only the first time.
export function instance(source) {
  current ??= start(source, generation).catch((error) => {
    // A download that failed may succeed when it is asked for again.
    current = null;
    compiled = null;
    throw error;
  });
  return current;
}

// Counts instances: what was made by an older one is lost.
export function currentGeneration() {
  return generation;
}

// `listener(message)` is called after the stack has unwound, once per instance that is lost.
export function onCrash(listener) {
  crashListeners.add(listener);
  return () => crashListeners.delete(listener);
}

// `listener(fraction)` hears how much of the module has arrived, from 0 to 1; never, if the host does not tell its size.
export function onProgress(listener) {
  progressListeners.add(listener);
  return () => progressListeners.delete(listener);
}

// Runs a call into wasm: its errors become LogariumError, a trap ends the instance.
export function guard(call) {
  try {
    return call();
  } catch (error) {
    throw translate(error);
  }
}

function translate(error) {
  if (isTrap(error)) {
    crashed(generation, String(error));
    return new LogariumError("logarium.crashed", `Logarium stopped because of a bug of its own: ${lastWords}`, {
      hint: "Call init() again, then go on from a link.",
    });
  }
  if (error instanceof Error && typeof error.code === "string" && !(error instanceof LogariumError)) {
    return new LogariumError(error.code, error.message, error);
  }
  return error;
}

let lastWords = "";

// A panic tells its message first and traps afterwards; other traps tell nothing.
function crashed(deadGeneration, message) {
  if (deadGeneration !== generation || !current) return;
  lastWords = message;
  generation += 1;
  current = null;
  console.error(`Logarium stopped: ${message}`);
  queueMicrotask(() => crashListeners.forEach((listener) => listener(message)));
}

function isTrap(error) {
  if (error instanceof WebAssembly.RuntimeError) return true;
  return error instanceof RangeError && /wasm/.test(String(error.stack));
}

// A page may run other modules than ours; a trap is ours if our functions are on its stack.
function noticeTrap(error) {
  if (current && isTrap(error) && /logarium|wasm-function/.test(String(error.stack))) crashed(generation, String(error));
}

if (typeof window !== "undefined") {
  window.addEventListener("error", (event) => noticeTrap(event.error));
  window.addEventListener("unhandledrejection", (event) => noticeTrap(event.reason));
}

async function start(source, number) {
  if (typeof WebAssembly === "undefined") {
    throw new LogariumError("logarium.no_webassembly", "This browser has no WebAssembly, which Logarium needs.", {
      hint: "Use a Chromium, Firefox or Safari of the last two years.",
    });
  }
  // One instance never shares its memory with the next: each has glue of its own.
  const [glue, module] = await Promise.all([
    number === 0 ? import("./logarium_wasm.js") : import(`./logarium_wasm.js?fresh=${number}`),
    (compiled ??= compile(source)),
  ]);
  await glue.default({ module_or_path: module });
  glue.on_panic((message) => crashed(number, message));
  return glue;
}

// A self-contained page brings the module inside it (`__logariumWasm`); otherwise it lies beside this script.
async function compile(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (!source && globalThis.__logariumWasm) return WebAssembly.compile(await globalThis.__logariumWasm());
  const url = new URL(source ?? "./logarium_wasm_bg.wasm", base);
  if (url.protocol === "file:") return WebAssembly.compile(await readFromDisk(url));
  const response = await fetchFile(url);
  const counted = countBytes(response);
  const isTyped = counted.headers.get("Content-Type")?.startsWith("application/wasm");
  // A host that serves the module as plain bytes costs the streaming, not the page.
  return isTyped ? WebAssembly.compileStreaming(counted) : WebAssembly.compile(await counted.arrayBuffer());
}

function countBytes(response) {
  const total = Number(response.headers.get("Content-Length"));
  const isPacked = response.headers.has("Content-Encoding");
  if (!total || isPacked || !response.body || progressListeners.size === 0) return response;
  let seen = 0;
  const counter = new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      progressListeners.forEach((listener) => listener(Math.min(1, seen / total)));
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), { headers: response.headers });
}

// The text of a data file of the site, by its path.
export async function loadText(path) {
  const inside = globalThis.__logariumData;
  if (inside) {
    if (typeof inside[path] === "string") return inside[path];
    throw new LogariumError("file.missing", `This page does not hold ${path}.`);
  }
  const url = new URL(`./${path}`, base);
  if (url.protocol === "file:") return new TextDecoder().decode(await readFromDisk(url));
  return (await fetchFile(url)).text();
}

async function fetchFile(url) {
  const response = await fetch(url).catch((cause) => {
    throw new LogariumError("file.unreachable", `Cannot load ${url}: ${cause.message}.`, {
      hint: "Check the connection, and that the whole folder of Logarium was published.",
    });
  });
  if (response.ok) return response;
  throw new LogariumError("file.missing", `Cannot load ${url}: the host answers ${response.status}.`, {
    hint: "Publish the whole folder of Logarium together.",
  });
}

// Node reads files where a browser fetches.
async function readFromDisk(url) {
  if (!globalThis.process?.versions?.node) {
    throw new LogariumError("file.unreachable", `Cannot load ${url} from a file.`, {
      hint: "Serve the folder, or open logarium.html, which has everything inside it.",
    });
  }
  const { readFile } = await import("node:fs/promises");
  return readFile(url);
}
