// Groups driven by hand in the playground: members join, work, break and leave, in every way that the forms offer.
// What protocols and assignors decide is tested beside the engine.
import assert from "node:assert/strict";

import { stepUntil } from "../stage.mjs";

export const name = "groups";

const LOOKS = [
  ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1440, height: 900 } }],
  ["768", { viewport: { width: 768, height: 1024 } }],
  ["375-dark", { colorScheme: "dark", viewport: { width: 375, height: 800 }, hasTouch: true }],
];

export async function run(t) {
  // Two members that read six partitions, a minute after their start.
  const group = async (options = {}) => {
    const opened = await t.open("#/play", options);
    const { page } = opened;
    await page.getByRole("button", { name: /^A group that rebalances/ }).click();
    await item(page, "worker-2").waitFor();
    return opened;
  };
  const running = async (options = {}) => {
    const opened = await group(options);
    await t.goToEnd(opened.page);
    await members(opened.page);
    await condition(opened.page, /^worker runs, STABLE at \d+ in group analytics, owns orders-0/).waitFor();
    return opened;
  };

  for (const [look, options] of LOOKS) {
    await t.test(`is accessible and quiet with the form of a member open (${look})`, async () => {
      const opened = await running(options);
      await opened.page.getByText("Its partitions: seek, pause, resume").click();
      await opened.page.getByText("Its subscription, its work, its listener").click();
      await t.assertNoSidewaysScroll(opened);
      await t.assertAccessible(opened);
      await t.screenshot(opened, `member-${look}`);
    });
  }

  await t.test("lets one more join, who takes partitions over, and leave again", async () => {
    const { page } = await running();
    await page.getByRole("button", { name: "One more joins" }).click();
    await said(page, "You started worker-3.");
    await choose(page, "Member", "worker-3");
    await stepUntil(page, condition(page, /^worker-3 runs, STABLE at \d+ in group analytics, owns orders-/));
    await page.getByRole("button", { name: "close(LEAVE_GROUP)" }).click();
    await said(page, "You closed worker-3 with LEAVE_GROUP.");
    await stepUntil(page, condition(page, /^worker-3 is closed\.$/));
    await page.getByRole("button", { name: "Start again" }).click();
    await stepUntil(page, condition(page, /^worker-3 runs, STABLE/));
    await page.getByRole("button", { name: "close(REMAIN_IN_GROUP)" }).click();
    await said(page, "You closed worker-3 with REMAIN_IN_GROUP.");
    await stepUntil(page, condition(page, /^worker-3 is closed\.$/));
  });

  await t.test("commits, asks for a rebalance, and closes", async () => {
    const { page } = await running();
    const before = await page.locator(".act-form .hint").first().textContent();
    for (const call of ["commitSync", "commitAsync", "enforceRebalance"]) {
      await page.getByRole("button", { name: call, exact: true }).click();
      await said(page, `You called ${call}() of worker.`);
    }
    await stepUntil(page, condition(page, new RegExp(`STABLE at ${Number(/at (\d+)/.exec(before)[1]) + 1} `)));
    await page.getByRole("button", { name: "close", exact: true }).click();
    await said(page, "You closed worker.");
    await stepUntil(page, condition(page, /^worker is closed\.$/));
  });

  await t.test("freezes, wakes, stops to poll, crashes and starts again", async () => {
    const { page } = await running();
    const process = page.getByRole("group", { name: "Its process" });
    const press = (word) => process.getByRole("button", { name: word, exact: true }).click();
    await press("Freeze");
    await condition(page, /^worker stands still/).waitFor();
    await press("Thaw");
    await condition(page, /^worker runs/).waitFor();
    await press("Stop polling");
    await condition(page, /^worker does not poll/).waitFor();
    await press("Poll again");
    await condition(page, /^worker runs/).waitFor();
    await press("Crash");
    await condition(page, /^worker has crashed\.$/).waitFor();
    await page.locator("svg.scene", { hasText: "crashed" }).waitFor();
    await press("Start again");
    await condition(page, /^worker runs/).waitFor();
  });

  await t.test("seeks, goes to both ends, pauses and resumes a partition, and takes no offset that is none", async () => {
    const { page } = await running();
    await page.getByText("Its partitions: seek, pause, resume").click();
    await choose(page, "Partition", "orders-1");
    const offset = page.getByLabel("Its next offset", { exact: true });
    await offset.fill("soon");
    await offset.press("Enter");
    await page.locator(".act-form .field-error").waitFor();
    await t.eventually(async () => assert.equal(await offset.inputValue(), "soon"));
    await fill(page, "Its next offset", "2");
    await said(page, "You sent worker to offset 2 of orders-1.");
    await page.getByRole("button", { name: "seekToBeginning" }).click();
    await said(page, "You sent worker to the beginning.");
    await page.getByRole("button", { name: "seekToEnd" }).click();
    await said(page, "You sent worker to the end.");
    await page.getByRole("button", { name: "pause", exact: true }).click();
    await said(page, "You paused orders-1 at worker.");
    await page.getByRole("button", { name: "resume", exact: true }).click();
    await said(page, "You resumed orders-1 at worker.");
  });

  await t.test("subscribes to something else, to what is not there, and to nothing", async () => {
    const { page } = await running();
    await page.getByText("Its subscription, its work, its listener").click();
    await fill(page, "Subscribe to (topics)", "orders, nowhere");
    await said(page, "nowhere");
    await stepUntil(page, condition(page, /^worker runs, PREPARING_REBALANCE/));
    await fill(page, "Subscribe to (topics)", "orders");
    await said(page, "You subscribed worker to orders.");
    await page.getByRole("button", { name: "unsubscribe", exact: true }).click();
    await said(page, "You unsubscribed worker.");
  });

  await t.test("works longer on records, and its listener takes its time", async () => {
    const { page } = await running();
    await page.getByText("Its subscription, its work, its listener").click();
    await fill(page, "Works on each record for", "a while");
    await page.locator(".act-form .field-error").waitFor();
    await fill(page, "Works on each record for", "200 ms");
    await page.locator(".act-form .field-error").waitFor({ state: "detached" });
    await choose(page, "Its next", "onPartitionsRevoked");
    await fill(page, "takes", "5 s");
    await page.getByRole("button", { name: "enforceRebalance", exact: true }).click();
    await stepUntil(page, condition(page, /; onPartitionsRevoked runs\.$/));
  });

  await t.test("sets protocol, assignor and static id, and a second process of one id fences the first", async () => {
    const { page } = await group();
    for (const worker of ["worker", "worker-2"]) {
      await row(page, worker).click();
      await fill(page, "Static id (group.instance.id)", "w");
      await row(page, worker).click();
    }
    await t.goToEnd(page);
    await members(page);
    const fenced = page.locator(".act-form", { hasText: /FencedInstanceIdException/ });
    await t.eventually(async () => {
      for (const worker of ["worker", "worker-2"]) {
        await choose(page, "Member", worker);
        if (await fenced.count()) return;
      }
      assert.fail("one of them is fenced");
    });
  });

  await t.test("moves to the consumer protocol, whose second process of one id is refused", async () => {
    const { page } = await group();
    for (const worker of ["worker", "worker-2"]) {
      await row(page, worker).click();
      await page.getByRole("radio", { name: "consumer (KIP-848)" }).check({ force: true });
      await page.getByRole("combobox", { name: "Assignor", exact: true }).selectOption("range");
      await fill(page, "Static id (group.instance.id)", "w");
      await row(page, worker).click();
    }
    await t.goToEnd(page);
    await members(page);
    const refused = page.locator(".act-form", { hasText: /UnreleasedInstanceIdException/ });
    await t.eventually(async () => {
      for (const worker of ["worker", "worker-2"]) {
        await choose(page, "Member", worker);
        if (await refused.count()) return;
      }
      assert.fail("one of them is refused");
    });
  });

  await t.test("says that assignors do not fit together", async () => {
    const { page } = await group();
    await row(page, "worker").click();
    await page.getByRole("combobox", { name: "Assignor", exact: true }).selectOption("RangeAssignor");
    await row(page, "worker").click();
    await row(page, "worker-2").click();
    await page.getByRole("combobox", { name: "Assignor", exact: true }).selectOption("RoundRobinAssignor");
    await row(page, "worker-2").click();
    await t.goToEnd(page);
    await members(page);
    const refused = page.locator(".act-form", { hasText: /InconsistentGroupProtocolException/ });
    await t.eventually(async () => {
      for (const worker of ["worker", "worker-2"]) {
        await choose(page, "Member", worker);
        if (await refused.count()) return;
      }
      assert.fail("one of them is refused");
    });
  });

  await t.test("says what is wrong with a pattern, and keeps it", async () => {
    const { page } = await group();
    await row(page, "worker").click();
    await page.getByText("Subscription by a pattern").click();
    const java = page.getByLabel("java.util.regex.Pattern, at the client", { exact: true });
    await java.fill("orders-(");
    await java.press("Enter");
    await page.locator(".setup .field-error").first().waitFor();
    await t.eventually(async () => assert.equal(await java.inputValue(), "orders-("));
    await java.fill("ord.*");
    await java.press("Enter");
    await page.locator(".setup .field-error").waitFor({ state: "detached" });
    const re2j = page.getByLabel("RE2/J, at the broker (consumer protocol)", { exact: true });
    await re2j.fill("ord.*");
    await re2j.press("Enter");
    await page.locator(".setup .field-error", { hasText: "UnsupportedOperationException" }).waitFor();
  });

  await t.test("is used by keyboard alone", async () => {
    const { page } = await group();
    await t.goToEnd(page);
    const button = page.locator('[data-act="Members"]');
    await button.focus();
    await page.keyboard.press("Enter");
    await page.locator(".act-form :focus").waitFor();
    const commit = page.getByRole("button", { name: "commitSync", exact: true });
    for (let presses = 0; presses < 12 && !(await isFocused(commit)); presses += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await said(page, "You called commitSync() of worker.");
    await t.eventually(async () => assert.ok(await isFocused(commit), "the focus stays"));
    await page.keyboard.press("Escape");
    await t.eventually(async () => assert.ok(await isFocused(button), "Escape gives the focus back"));
  });
}

function isFocused(element) {
  return element.evaluate((one) => one === document.activeElement);
}

// The row of an item of the set-up by a part of its text.
function item(page, text) {
  return page.locator("button.item", { hasText: text }).first();
}

// The row of a member of the set-up by its name.
function row(page, name) {
  return page.locator("button.item", { has: page.getByText(name, { exact: true }) }).first();
}

// Opens the form of members.
async function members(page) {
  await page.locator('[data-act="Members"]').click();
  await page.locator(".act-form").waitFor();
}

// The sentence about the member of the open form.
function condition(page, expected) {
  return page.locator(".act-form .hint", { hasText: expected }).first();
}

async function choose(page, label, value) {
  await page.locator(".act-form").getByRole("combobox", { name: label, exact: true }).selectOption(value);
}

async function fill(page, label, text) {
  const field = page.getByLabel(label, { exact: true });
  await field.fill(text);
  await field.press("Enter");
}

async function said(page, text) {
  await page.locator(".said", { hasText: text }).waitFor();
}
