// The judge judged: what a page does wrong is seen. Nothing of the app is tested here.
import assert from "node:assert/strict";

export const name = "runner";

export async function run(t) {
  await t.test("messages, errors, outside requests and forbidden scripts are seen", async () => {
    const opened = await t.open("index.html");
    await t.ready(opened.page);
    const { page } = opened;
    assert.deepEqual(opened.take(), []);
    await page.evaluate(() => console.info("hello"));
    await page.evaluate(() => setTimeout(() => { throw new Error("late"); }));
    await page.evaluate(() => fetch("https://outside.invalid/x").catch(() => {}));
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = true";
      document.body.append(script);
    });
    assert.equal(await page.evaluate(() => globalThis.ran), undefined);
    await opened.hear(/^console info: hello$/, /^error: late$/, /outside\.invalid/, /script.*Content Security Policy/);
  });

  await t.test("a page without a language breaks a rule of axe", async () => {
    const opened = await t.open(t.host("<!doctype html><title>x</title><img src='data:,'>"));
    await assert.rejects(t.assertAccessible(opened), /html-has-lang/);
  });

  await t.test("a page that is too wide is noticed", async () => {
    const opened = await t.open(t.host("<!doctype html><title>x</title><p style='width:2000px'>wide</p>"));
    await assert.rejects(t.assertNoSidewaysScroll(opened), /wide in a window/);
  });
}
