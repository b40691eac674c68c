// Runs the suites of this folder against the built module in Node: what needs no page.
// Elements and the app are tested in a browser instead.
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Report, setting, suites } from "../node/report.mjs";

const dist = setting("LOGARIUM_DIST");
const report = new Report();
const wasm = await import(pathToFileURL(`${dist}/logarium_wasm.js`).href);
const bytes = await readFile(`${dist}/logarium_wasm_bg.wasm`);
await wasm.default({ module_or_path: bytes });

for (const suite of await suites(fileURLToPath(new URL("suites", import.meta.url)), process.argv.slice(2))) {
  await suite.run({
    // The initialized module, as wasm-bindgen wrote it.
    wasm,
    bytes,
    dist,
    test: (name, body) => report.test(`${suite.name}: ${name}`, body),
  });
}
report.finish();
