// Producers driven by hand in the playground: calls, illegal calls, a second instance, crashes between two events, and
// what the stage, the inspector and the panels say of a transaction. By keyboard too.
// What Kafka does is tested beside the engine.
import assert from "node:assert/strict";

import { stepUntil } from "../stage.mjs";

export const name = "transactions";

const LOOKS = [
  ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1440, height: 900 } }],
  ["768", { viewport: { width: 768, height: 1024 } }],
  ["375-dark", { colorScheme: "dark", viewport: { width: 375, height: 800 }, hasTouch: true }],
];

export async function run(t) {
  for (const [look, options] of LOOKS) {
    await t.test(`an open transaction is accessible and quiet (${look})`, async () => {
      const opened = await byHand(t, options);
      await openTransaction(opened.page);
      await t.assertNoSidewaysScroll(opened);
      await t.assertAccessible(opened);
      await t.screenshot(opened, `open-${look}`);
      await call(opened.page, "commitTransaction");
      await stepTo(opened.page, "PrepareCommit");
      await t.screenshot(opened, `decided-${look}`);
    });
  }

  await t.test("a transaction is begun, written and committed by keyboard alone", async () => {
    const { page } = await byHand(t);
    const press = async (label) => {
      const button = page.locator(".act-form").getByRole("button", { name: label, exact: true });
      await button.focus();
      await page.keyboard.press("Enter");
    };
    await press("initTransactions");
    await stepTo(page, "READY");
    await press("beginTransaction");
    await scene(page, "IN_TRANSACTION");
    await press("Send");
    await stepTo(page, "LSO");
    await press("commitTransaction");
    await stepTo(page, "PrepareCommit");
    await stepUntil(page, page.getByRole("tree").first().getByRole("treeitem", { name: /COMMIT marker of producer id/ }));
    await stepUntil(page, ended(page, "CompleteCommit"));
  });

  await t.test("an illegal call gets the client's exception where it was called", async () => {
    const { page } = await byHand(t);
    await call(page, "beginTransaction");
    const error = page.locator(".act-form .field-error", { hasText: "IllegalStateException" }).first();
    await error.waitFor();
    assert.match(await error.textContent(), /^beginTransaction\(\) threw/);
  });

  await t.test("a refused field holds its buttons back, keeps what was typed and gets the focus", async () => {
    const { page } = await byHand(t);
    const timeout = page.locator(".act-form").getByRole("textbox", { name: "Timeout of close, ms" });
    await timeout.fill("0.5");
    await call(page, "close");
    await call(page, "close");
    assert.equal(await timeout.getAttribute("aria-invalid"), "true");
    assert.equal(await timeout.inputValue(), "0.5");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-invalid")), "true");
    assert.equal(await page.locator("svg.scene", { hasText: /CLOS(ING|ED)/ }).count(), 0, "nothing was closed");
    await timeout.fill("300");
    await call(page, "close");
    await stepTo(page, "CLOSED");
  });

  await t.test("an answer that waits for time to go on offers it beside the call", async () => {
    const { page } = await byHand(t);
    await call(page, "initTransactions");
    await page.locator(".act-form").getByRole("button", { name: "Play", exact: true }).click();
    await scene(page, "READY");
    assert.equal(await page.locator(".act-form").getByRole("button", { name: "Play", exact: true }).count(), 0);
  });

  await t.test("a producer that died is started again in its place, and the focus stays there", async () => {
    const { page } = await byHand(t);
    const form = page.locator(".act-form");
    await form.getByRole("button", { name: "Freeze", exact: true }).focus();
    await page.keyboard.press("Enter");
    await form.getByRole("button", { name: "Thaw", exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Thaw");
    await form.getByRole("button", { name: "Crash", exact: true }).focus();
    await page.keyboard.press("Enter");
    await form.getByRole("button", { name: "Start again", exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Start again");
    await page.keyboard.press("Enter");
    await form.getByRole("button", { name: "Crash", exact: true }).waitFor();
  });

  await t.test("a long key does not make the page scroll sideways", async () => {
    const opened = await byHand(t);
    await opened.page.locator(".act-form").getByRole("textbox", { name: "Key" }).first().fill("x".repeat(300));
    await opened.page.locator(".act-form").getByRole("button", { name: "Send", exact: true }).click();
    await opened.page.locator(".said", { hasText: "xxx" }).first().waitFor();
    await t.assertNoSidewaysScroll(opened);
  });

  await t.test("a second instance takes the id over, and the first one is told", async () => {
    const { page } = await byHand(t);
    await openTransaction(page);
    await page.getByRole("button", { name: "Second instance" }).click();
    await scene(page, "fare-service-2");
    await page.locator(".act-form").getByRole("combobox", { name: "Producer", exact: true }).selectOption("fare-service-2");
    await call(page, "initTransactions");
    await stepUntil(page, ended(page, "CompleteAbort"));
  });

  await t.test("a crash between two events of a commit leaves the decision", async () => {
    const { page } = await byHand(t);
    await openTransaction(page);
    await call(page, "commitTransaction");
    await stepTo(page, "PrepareCommit");
    await page.getByText("Crash here: step through its events").click();
    await page.getByRole("button", { name: "Crash fare-service", exact: true }).click();
    await scene(page, "crashed");
    await stepUntil(page, ended(page, "CompleteCommit"));
  });

  await t.test("the inspector tells a transactional id, its log and its instances", async () => {
    const { page } = await byHand(t);
    await openTransaction(page);
    await page.locator("svg.scene [data-id='transaction:fare-writer-7'] text").first().click();
    const inspector = page.getByRole("region", { name: "Inspector" });
    await inspector.getByRole("region", { name: "Its records in the coordinator's log" }).waitFor();
    await inspector.getByText("fare-service: IN_TRANSACTION, epoch 0").waitFor();
  });

  await t.test("a full buffer shows who waits, and its metrics", async () => {
    const opened = await t.open("#/play");
    const { page } = opened;
    await page.getByRole("button", { name: /^A full buffer/ }).click();
    await page.getByRole("slider").focus();
    await page.keyboard.press("End");
    await scene(page, "buffers");
    await page.getByRole("tab", { name: "Metrics" }).click();
    await page.getByRole("row", { name: /^bufferpool-wait-ratio/ }).waitFor();
    await t.screenshot(opened, "full-buffer");
  });
}

// The example with the form of its producer open.
async function byHand(t, options = {}) {
  const opened = await t.open("#/play", options);
  const { page } = opened;
  await page.locator(".play").waitFor();
  await page.getByRole("button", { name: /^A transaction by hand/ }).click();
  await page.locator('[data-act="Producers"]').click();
  await page.locator(".act-form .calls").waitFor();
  return opened;
}

async function call(page, name) {
  await page.locator(".act-form .calls").getByRole("button", { name, exact: true }).click();
}

async function openTransaction(page) {
  await call(page, "initTransactions");
  await stepTo(page, "READY");
  await call(page, "beginTransaction");
  await page.locator(".act-form").getByRole("button", { name: "Send", exact: true }).click();
  await stepTo(page, "LSO");
}

// What the coordinator knows. The picture tells a state that has to follow before it is there; the tree does not.
function ended(page, state) {
  return page.getByRole("tree").first().getByRole("treeitem", { name: new RegExp(`^transactional id fare-writer-7, ${state}`) });
}

// The picture holds these words.
async function scene(page, text) {
  await page.locator("svg.scene", { hasText: text }).first().waitFor();
}

// Steps from event to event until the picture holds these words.
function stepTo(page, text) {
  return stepUntil(page, page.locator("svg.scene", { hasText: text }));
}
