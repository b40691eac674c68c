// The first page as any visitor meets it: quiet, self-sufficient, accessible, and readable on a small screen.
// What the page shows of Kafka is tested by other suites.
import assert from "node:assert/strict";

export const name = "first page";

const LOOKS = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["reduced-motion", { reducedMotion: "reduce" }],
  ["forced-colors", { forcedColors: "active" }],
  ["320", { viewport: { width: 320, height: 640 }, hasTouch: true }],
  ["768", { viewport: { width: 768, height: 1024 } }],
];

export async function run(t) {
  for (const [look, options] of LOOKS) {
    await t.test(`is accessible and quiet (${look})`, async () => {
      const opened = await t.open("", options);
      await t.ready(opened.page);
      await t.assertNoSidewaysScroll(opened);
      await t.screenshot(opened, look);
      await t.assertAccessible(opened);
    });
  }

  await t.test("loads one module, and every file from below its own folder", async () => {
    const opened = await t.open("");
    await t.ready(opened.page);
    assert.equal(opened.requestsFor(".wasm").length, 1);
    assert.deepEqual(opened.requests.filter((url) => !url.startsWith(t.base)), []);
  });

  await t.test("says what is needed where scripts do not run", async () => {
    const opened = await t.open("", { javaScriptEnabled: false });
    assert.match(await opened.page.locator("noscript").innerText(), /JavaScript/);
  });
}
