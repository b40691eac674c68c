// The embed builder: what is picked is seen in the preview and stands in the text to copy.
// The widget in the preview is tested by its own suite.
import assert from "node:assert/strict";

export const name = "embed builder";

export async function run(t) {
  const reads = (locator, expected) => t.eventually(async () => assert.match(await locator.innerText(), expected));

  async function open(address = "#/embed", options = {}) {
    const opened = await t.open(address, options);
    // On a small screen the preview lies below the form and loads when it comes near.
    await opened.page.locator("logarium-widget").scrollIntoViewIfNeeded();
    await opened.page.locator("logarium-widget .instrument").waitFor();
    return opened;
  }

  await t.test("what is picked is in the preview and in the text", async () => {
    const opened = await open("#/embed?lesson=grow-the-topic");
    const { page } = opened;
    const element = page.locator(".snippet pre").first();
    await reads(element, /<logarium-widget lesson="grow-the-topic">/);
    await page.getByRole("combobox", { name: "Lesson" }).selectOption("one-key-two-libraries");
    await page.getByRole("group", { name: "Locked" }).getByLabel("cluster").check();
    const controls = page.getByRole("group", { name: "Controls" });
    await t.eventually(async () => assert.ok(await controls.getByLabel("play").isChecked(), "what the widget shows by itself is ticked"));
    await reads(element, /lesson="one-key-two-libraries" lock="cluster">/);
    await controls.getByLabel("undo").check();
    await page.getByRole("radio", { name: "dark" }).check();
    await reads(element, /lesson="one-key-two-libraries" controls="client partitions play step speed reset undo" lock="cluster" theme="dark"/);
    await reads(page.locator(".snippet pre").nth(1), /embed\.html\?lesson=one-key-two-libraries&amp;controls=client\+partitions\+play\+step\+speed\+reset\+undo&amp;lock=cluster&amp;theme=dark/);
    await page.locator("logarium-widget[lock=cluster]").waitFor();
    assert.equal(opened.requestsFor(".wasm").length, 1, "page and preview share one module");
  });

  await t.test("a partition count that cannot be is said beside the field", async () => {
    const { page } = await open();
    await page.getByLabel("Partitions", { exact: true }).fill("0");
    await page.keyboard.press("Enter");
    await page.locator(".embed-form .field-error").waitFor();
    await page.locator("logarium-widget:not([partitions])").waitFor();
  });

  for (const [look, options] of [["light", {}], ["320", { viewport: { width: 320, height: 700 }, hasTouch: true }]]) {
    await t.test(`the page can be read (${look})`, async () => {
      const opened = await open("#/embed", options);
      await opened.page.getByRole("heading", { name: "The element" }).waitFor();
      await t.assertNoSidewaysScroll(opened);
      await t.screenshot(opened, look);
    });
  }
}
