// The module itself: what it asks of its host and what it offers. What its functions do is tested elsewhere.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

export const name = "module";

export async function run(t) {
  const module = await WebAssembly.compile(t.bytes);

  await t.test("asks only for its own glue", () => {
    const hosts = new Set(WebAssembly.Module.imports(module).map((wanted) => wanted.module));
    assert.deepEqual([...hosts], ["./logarium_wasm_bg.js"]);
  });

  await t.test("carries no section of names, which only a debugger would read", () => {
    assert.deepEqual(WebAssembly.Module.customSections(module, "name"), []);
  });

  await t.test("is joined without snippets, which a self-contained page could not load", async () => {
    const glue = await readFile(`${t.dist}/logarium_wasm.js`, "utf8");
    assert.equal(/^import /m.test(glue), false);
  });

  await t.test("offers the mount point of the app", () => {
    assert.equal(typeof t.wasm.start, "function");
  });
}
