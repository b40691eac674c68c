// The first screen as a visitor sees it: a comparison that plays by itself, its two toggles, lessons and labs.
// How partitions are computed is tested beside the code; here are the results that the published table has.
import assert from "node:assert/strict";

export const name = "home";

const LOOKS = [
  ["1440-light", { viewport: { width: 1440, height: 900 } }],
  ["1440-dark", { viewport: { width: 1440, height: 900 }, colorScheme: "dark" }],
  ["768", { viewport: { width: 768, height: 1024 } }],
  ["375-dark", { viewport: { width: 375, height: 812 }, colorScheme: "dark", hasTouch: true }],
  ["2560", { viewport: { width: 2560, height: 1300 } }],
];

// Records on a lane, in offset order, on one side of the comparison.
const lane = (page, side, partition) =>
  page.locator(".scene-frame").nth(side).locator(`[data-id="partition:${partition}"] [data-id^="record:"]`);

export async function run(t) {
  const has = (locator, count, what) => t.eventually(async () => assert.equal(await locator.count(), count, what));
  const reads = (page, text) => t.eventually(async () => assert.equal(await page.locator(".readout").innerText(), text));

  for (const [look, options] of LOOKS) {
    await t.test(`plays and is accessible (${look})`, async () => {
      const opened = await t.open("", options);
      await opened.page.locator(".difference", { hasText: "elsewhere" }).waitFor();
      await t.assertNoSidewaysScroll(opened);
      await t.screenshot(opened, look);
      await t.assertAccessible(opened);
    });
  }

  await t.test("shows three of four keys elsewhere, and none with the same rule", async () => {
    const { page } = await t.open("", { reducedMotion: "reduce" });
    await t.goToEnd(page);
    await page.locator(".difference", { hasText: "3 of 4 keys land elsewhere" }).waitFor();
    await has(lane(page, 0, "events-2"), 4);
    await has(lane(page, 1, "events-0"), 2);
    await page.getByRole("radio", { name: "librdkafka, murmur2_random" }).check();
    await page.locator(".difference", { hasText: "All 4 keys land in the same partitions" }).waitFor();
    await has(lane(page, 1, "events-2"), 4);
  });

  await t.test("keeps the time when the partition count is switched", async () => {
    const { page } = await t.open("", { reducedMotion: "reduce" });
    await t.goToEnd(page);
    const before = await page.locator(".readout").innerText();
    await page.getByRole("group", { name: "Partitions" }).getByRole("radio", { name: "6" }).check();
    await page.locator('[data-id="partition:events-5"]').first().waitFor();
    await reads(page, before);
    await has(lane(page, 0, "events-5"), 1, "user-3 of Java");
  });

  await t.test("does not play by itself where less motion is wished for", async () => {
    const { page } = await t.open("", { reducedMotion: "reduce" });
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await reads(page, "t = 0.0 s");
  });

  await t.test("renders nothing while it plays without a change", async () => {
    // It does not play by itself at first, so that all of it plays at the speed that is chosen.
    const { page } = await t.open("#/?debug", { reducedMotion: "reduce" });
    await page.getByRole("button", { name: "Even time" }).click();
    await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "0.1×" });
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await page.getByRole("button", { name: "Play", exact: true }).click();
    // At a tenth of the speed nothing happens between two records for five seconds.
    await page.locator(".overlay", { hasText: /^0 Yew renders\/s[1-9]\d* frames\/s/ }).waitFor();
  });

  await t.test("opens a lesson, a lab and the list of what is modelled by links", async () => {
    const { page } = await t.open("");
    await page.getByRole("link", { name: /Adding partitions remaps keys/ }).click();
    await page.getByRole("heading", { level: 1, name: "Adding partitions remaps keys" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: /Key lab/ }).first().click();
    await page.getByRole("heading", { level: 1, name: "Key lab" }).waitFor();
    await page.getByRole("link", { name: "What is modelled", exact: true }).first().click();
    await page.getByRole("heading", { level: 1, name: "What is modelled" }).waitFor();
    await has(page.locator("footer", { hasText: "trademark of the Apache Software Foundation" }), 1);
  });

  await t.test("says which address does not exist", async () => {
    const { page } = await t.open("#/nowhere");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await page.locator("main", { hasText: "#/nowhere" }).waitFor();
  });

  await t.test("says what is wrong with a damaged link", async () => {
    const { page } = await t.open("#/s/AQIDBAUGBwgJ");
    await page.getByRole("heading", { name: "This link cannot be opened" }).waitFor();
  });

  await t.test("keeps the place in a link when the module is lost", async () => {
    const opened = await t.open("", { reducedMotion: "reduce" });
    const { page } = opened;
    await t.goToEnd(page);
    await page.locator("#app[data-link]").waitFor();
    await page.evaluate(() => {
      const error = new WebAssembly.RuntimeError("unreachable");
      error.stack = "at logarium_wasm_bg.wasm";
      dispatchEvent(new ErrorEvent("error", { error }));
    });
    await page.getByRole("heading", { name: "Logarium stopped because of a bug of its own" }).waitFor();
    await t.eventually(async () => assert.match(await page.getByLabel("Link to where you were").inputValue(), /#\/s\/[\w-]+$/));
    await t.assertAccessible(opened);
    await opened.hear(/Logarium stopped/);
    await page.getByRole("button", { name: "Start again from here" }).click();
    await page.locator(".readout", { hasText: "t = 3.0 s" }).waitFor();
  });
}
