// The stage by keyboard alone, its log, its inspector, forks and pictures. Lessons and home have suites of their own.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

export const name = "stage";

const LESSON = "#/learn/key-to-partition";
const readout = (page) => page.locator(".readout");

async function open(t, options) {
  const opened = await t.open(LESSON, options);
  await opened.page.getByRole("treeitem").first().waitFor({ state: "attached" });
  return opened;
}

export async function run(t) {
  await t.test("time is moved by keys alone", async () => {
    const { page } = await open(t);
    await page.keyboard.press("ArrowRight");
    await page.locator(".log li.now", { hasText: "InitProducerId request" }).waitFor();
    await page.keyboard.press("]");
    // The key is applied with the next frame.
    await page.waitForFunction(() => [...document.querySelectorAll("select")].some((select) => select.value === "2000"));
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.locator('[data-id="partition:orders-1"] [data-id^="record:"]').first().waitFor();
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Play" }).waitFor();
    await page.keyboard.press("Home");
    await page.locator(".readout", { hasText: "t = 0.0 s" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys and help" }).waitFor();
  });

  await t.test("a click on the time bar goes there, and what played goes on playing", async () => {
    const { page } = await open(t);
    const bar = page.getByRole("slider");
    const time = async () => Number(await bar.getAttribute("aria-valuenow"));
    const { width, height } = await bar.boundingBox();
    const clickAt = (share) => bar.click({ position: { x: width * share, y: height / 2 } });
    const middle = Number(await bar.getAttribute("aria-valuemax")) / 2;
    // So slow that the end is far away, whatever the machine does meanwhile.
    await page.getByRole("button", { name: "Even time" }).click();
    await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "0.1×" });
    await clickAt(0.25);
    await t.eventually(async () => assert.ok(Math.abs((await time()) - middle / 2) < middle / 20));
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await clickAt(0.5);
    const there = await t.eventually(async () => {
      const now = await time();
      assert.ok(now > middle * 0.95, `${now} of ${middle} ms`);
      return now;
    });
    await page.waitForFunction((there) => document.querySelector("[role=slider]").ariaValueNow > there + 50, there);
    await page.getByRole("button", { name: "Pause" }).waitFor();
    // What stood stays standing.
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await clickAt(0.25);
    await t.eventually(async () => assert.ok((await time()) < middle * 0.55));
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  });

  await t.test("the picture is walked as a tree, and Enter opens the inspector", async () => {
    const { page } = await open(t);
    await page.locator("[role=treeitem][tabindex='0']").focus();
    const focused = (kind) => page.locator(`[data-node^="${kind}:"]:focus`).waitFor({ state: "attached" });
    await focused("producer");
    await page.keyboard.press("ArrowDown");
    await focused("broker");
    await page.keyboard.press("ArrowRight");
    await focused("partition");
    await page.keyboard.press("ArrowLeft");
    await focused("broker");
    await page.keyboard.press("Enter");
    await page.locator(".inspector .noun", { hasText: "Broker" }).waitFor();
    await t.eventually(async () => {
      assert.equal(await page.locator("[role=treeitem][aria-selected=true]").count(), 1);
      assert.equal(await page.locator(".scene .focus-ring").count(), 1);
    });
  });

  await t.test("an event of the log is a place to go to", async () => {
    const { page } = await open(t);
    await t.goToEnd(page);
    const event = page.locator(".log li", { hasText: "orders-1 offset 1: cust-2" });
    await event.getByRole("button").click();
    await page.locator(".readout", { hasText: "t = 0.505 s" }).waitFor();
    await t.eventually(async () => {
      assert.equal(await page.locator(".log li", { hasText: "0.505 s" }).filter({ hasText: "offset 1: cust-2" }).count(), 1);
      assert.equal(await page.locator(".log li", { hasText: "cust-3" }).count(), 0, "what comes later is not told");
    });
  });

  await t.test("a click on a record shows its bytes", async () => {
    const { page } = await open(t);
    await t.goToEnd(page);
    await page.locator('[data-id="partition:orders-3"] [data-id^="record:"]').first().click();
    await page.locator(".inspector", { hasText: "63 75 73 74 2d 36" }).waitFor();
  });

  await t.test("the strip opens to the same key with every other client", async () => {
    const opened = await open(t);
    const { page } = opened;
    await t.goToEnd(page);
    await page.getByRole("button", { name: "Other clients" }).click();
    await page.locator(".clients-table tbody tr").nth(20).waitFor();
    await t.assertAccessible(opened);
  });

  await t.test("acting in the past keeps the future that was", async () => {
    const { page } = await t.open("#/learn/grow-the-topic");
    await t.goToEnd(page);
    const end = await readout(page).innerText();
    for (let tenth = 0; tenth < 9; tenth += 1) await page.keyboard.press("PageDown");
    await page.getByLabel("Command line").fill("kafka-topics.sh --bootstrap-server localhost:9092 --alter --topic events --partitions 4");
    await page.getByLabel("Command line").press("Enter");
    await page.getByRole("button", { name: /Earlier future/ }).first().waitFor();
    await page.locator('[data-id="partition:events-3"]').waitFor();
    await t.eventually(async () => assert.notEqual(await readout(page).innerText(), end));
  });

  await t.test("a picture is saved as a file that stands alone", async () => {
    const { page } = await open(t);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save picture" }).click();
    const text = await readFile(await (await download).path(), "utf8");
    assert.match(text, /^<svg/);
    assert.ok(!text.includes("var(--"), "colors are resolved");
    assert.match(text, /orders-service/);
  });

  await t.test("less motion shows the same states without travel", async () => {
    const opened = await open(t, { reducedMotion: "reduce" });
    const { page } = opened;
    await page.keyboard.press(" ");
    await page.locator('[data-id="partition:orders-1"] [data-id^="record:"]').first().waitFor();
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await t.screenshot(opened, "reduced-motion");
    await t.assertAccessible(opened);
  });

  await t.test("everything can be told apart with forced colors", async () => {
    const opened = await open(t, { forcedColors: "active" });
    await t.goToEnd(opened.page);
    await t.screenshot(opened, "forced-colors");
    await t.assertAccessible(opened);
  });

  await t.test("on a screen with more pixels what moves is where what stands is", async () => {
    const opened = await t.open("#/learn/key-to-partition", { viewport: { width: 375, height: 800 }, deviceScaleFactor: 2 });
    await opened.page.locator("svg.scene").waitFor();
    await t.eventually(async () => {
      const [still, moving] = await opened.page.evaluate(() =>
        ["svg.scene", ".scene-motion"].map((name) => {
          const { x, y, width, height } = document.querySelector(name).getBoundingClientRect();
          return { x, y, width, height };
        }),
      );
      assert.deepEqual(moving, still);
    });
    assert.equal(await opened.page.evaluate(() => document.querySelector(".scene-motion").width / document.querySelector("svg.scene").width.baseVal.value), 2);
    await t.assertNoSidewaysScroll(opened);
  });
}
