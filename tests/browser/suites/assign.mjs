// The assignment lab: join and leave, every assignor beside the others, links, bad input, the keyboard.
// Numbers here are those of the lessons' tables; how they are computed is tested beside the code.
import assert from "node:assert/strict";

export const name = "assignment lab";

const LOOKS = [
  ["light", { viewport: { width: 1440, height: 900 }, colorScheme: "light" }],
  ["768-dark", { viewport: { width: 768, height: 1024 }, colorScheme: "dark" }],
  ["375", { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true }],
  ["320-dark", { viewport: { width: 320, height: 640 }, colorScheme: "dark", hasTouch: true }],
  ["forced-colors", { forcedColors: "active" }],
  ["reduced-motion", { reducedMotion: "reduce" }],
];

const TWO_TOPICS = "#/assign?topics=orders:3,payments:3&members=c1,c2";

export async function run(t) {
  const open = async (address = "#/assign", options = {}) => {
    const opened = await t.open(address, options);
    await opened.page.getByRole("heading", { level: 1, name: "Assignment lab" }).waitFor();
    return opened;
  };
  const button = (page, text) => page.getByRole("button", { name: text, exact: true });
  const card = (page, title) => page.getByRole("region", { name: title, exact: true });
  // The counters of a card: { Moved: "2", … }.
  const counters = (page, title) =>
    card(page, title).locator(".assign-counters > div").evaluateAll((pairs) =>
      Object.fromEntries(pairs.map((pair) => [...pair.children].map((child) => child.textContent))));
  // Who has what in a card: { A: "p0 p1", … }, moved partitions with an arrow.
  const members = (page, title) =>
    card(page, title).locator(".assign-members > li").evaluateAll((rows) =>
      Object.fromEntries(rows.map((row) => [
        row.querySelector("b").textContent,
        [...row.querySelectorAll(".assign-socket")].map((socket) => [...socket.childNodes]
          .filter((node) => !node.classList?.contains("hidden-visually")).map((node) => node.textContent).join("")).join(" "),
      ])));
  const moved = async (page, expected) => t.eventually(async () => {
    for (const [title, count] of Object.entries(expected)) assert.equal((await counters(page, title)).Moved, count, title);
  });

  for (const [look, options] of LOOKS) {
    await t.test(`is accessible and quiet (${look})`, async () => {
      const opened = await open("#/assign", options);
      await t.assertNoSidewaysScroll(opened);
      await t.screenshot(opened, look);
      await t.assertAccessible(opened);
      await button(opened.page, "Create payments with 6").click();
      await button(opened.page, "Co-partition links").click();
      await opened.page.locator(".assign-bundle.met").first().waitFor();
      await t.assertNoSidewaysScroll(opened);
      await t.screenshot(opened, `${look}-links`);
      await t.assertAccessible(opened);
    });
  }

  await t.test("there is something to see at once, and what moved is marked with more than a color", async () => {
    const { page } = await open();
    await moved(page, { Range: "3", RoundRobin: "4", Sticky: "2", CooperativeSticky: "2", "uniform, broker": "2" });
    assert.deepEqual(await members(page, "Sticky"), { A: "p0 p1", B: "p3 p4", C: "↷p2 ↷p5" });
    assert.equal(await card(page, "Sticky").locator(".assign-sentence").innerText(), "p2 and p5 move to C, 4 stay.");
    const border = await card(page, "Sticky").locator(".assign-socket.moved").first().evaluate((socket) => getComputedStyle(socket).borderStyle);
    assert.equal(border, "dashed");
    assert.equal((await counters(page, "Sticky"))["Given up"], "6");
    assert.equal((await counters(page, "CooperativeSticky"))["Given up"], "2");
  });

  await t.test("members join and leave, and the counters follow", async () => {
    const { page } = await open();
    await button(page, "Next: B leaves").click();
    await moved(page, { Range: "2", RoundRobin: "4", Sticky: "2", CooperativeSticky: "2" });
    assert.deepEqual(await members(page, "Sticky"), { A: "p0 p1 ↷p3", C: "p2 ↷p4 p5" });
    await button(page, "B joins").click();
    await button(page, "D joins").click();
    await t.eventually(async () => assert.deepEqual((await counters(page, "Range")).Spread, "1 to 2"));
    for (const name of ["E joins", "F joins", "G joins"]) await button(page, name).click();
    await t.eventually(async () => assert.equal((await counters(page, "Range")).Idle, "1"));
    await button(page, "Undo").click();
    await t.eventually(async () => assert.equal((await counters(page, "Range")).Idle, "0"));
  });

  await t.test("steps go back and forward, and a change in the past forgets what came later", async () => {
    const { page } = await open();
    await button(page, "Back").click();
    await t.eventually(async () => assert.deepEqual(await members(page, "Range"), { A: "p0 p1 p2", B: "↷p3 ↷p4 ↷p5" }));
    await page.getByRole("button", { name: "Start with A" }).click();
    await moved(page, { Range: "–" });
    await button(page, "A leaves").first().click();
    await t.eventually(async () => assert.equal(await page.locator(".assign-step").count(), 2));
    await card(page, "Range").getByText("Nobody is in the group, so no assignor runs.").waitFor();
    await button(page, "Undo").click();
    await t.eventually(async () => assert.equal(await page.locator(".assign-step").count(), 4));
  });

  await t.test("partitions of one number meet under Range and split under RoundRobin", async () => {
    const { page } = await open(TWO_TOPICS);
    await t.eventually(async () => {
      const [range, dealt] = [await counters(page, "Range"), await counters(page, "RoundRobin")];
      assert.deepEqual([range.Spread, range.Meet, dealt.Spread, dealt.Meet], ["2 to 4", "3 of 3", "3", "0 of 3"]);
    });
    await button(page, "Co-partition links").click();
    await t.eventually(async () => {
      assert.equal(await card(page, "Range").locator(".assign-bundle.met").count(), 3);
      assert.equal(await card(page, "RoundRobin").locator(".assign-bundle.met").count(), 0);
    });
  });

  await t.test("the table says who has what", async () => {
    const { page } = await open("#/assign?topics=orders:6&members=A,B&do=join:C&show=client-range,client-sticky");
    const cells = (row) => page.locator(".assign-table tr").nth(row).locator("th, td").allInnerTexts();
    await t.eventually(async () => {
      assert.deepEqual(await cells(0), ["Partition", "Range", "Sticky"]);
      assert.deepEqual((await cells(5)).map((cell) => cell.trim()), ["p4", "C ↷ from B", "C ↷ from A"]);
      assert.deepEqual(await cells(7), ["Moved", "3", "2"]);
    });
  });

  await t.test("topics grow, come and go, and members choose among them", async () => {
    const { page } = await open();
    const topics = page.getByRole("region", { name: "Topics" });
    await topics.getByLabel("partitions").fill("4");
    await page.keyboard.press("Enter");
    await page.getByText("The topic orders currently has 6 partition(s); 4 would not be an increase.").waitFor();
    assert.equal(await topics.getByLabel("partitions").inputValue(), "4", "what was typed stays");
    await topics.getByLabel("partitions").fill("8");
    await page.keyboard.press("Enter");
    await card(page, "Range").locator(".assign-socket.dealt", { hasText: "+p7" }).waitFor();
    await topics.getByLabel("Create a topic").fill("payments 3");
    await page.keyboard.press("Enter");
    await page.getByRole("group", { name: "A subscribes to" }).getByRole("button", { name: "payments" }).click();
    await page.getByRole("button", { name: "A subscribes to orders" }).waitFor();
    await t.eventually(async () => assert.ok(!(await members(page, "Range")).A.includes("payments")));
    await button(page, "Delete payments").click();
    await page.getByRole("group", { name: "A subscribes to" }).waitFor({ state: "detached" });
  });

  await t.test("racks turn Range, and not the broker's assignors", async () => {
    const { page } = await open("#/assign?topics=orders:3&members=A,B,C");
    await page.getByRole("region", { name: "Topics" }).getByLabel("racks").fill("a b c");
    await page.keyboard.press("Enter");
    for (const [place, rack] of ["c", "a", "b"].entries()) {
      await page.getByRole("region", { name: "Members" }).getByLabel("rack").nth(place).fill(rack);
      await page.keyboard.press("Enter");
    }
    await t.eventually(async () => {
      assert.deepEqual(await members(page, "Range"), { A: "p2", B: "p0", C: "p1" });
      assert.deepEqual(await members(page, "range, broker"), { A: "p0", B: "p1", C: "p2" });
    });
  });

  await t.test("a link brings the same story back", async () => {
    const { page } = await open("#/assign", { permissions: ["clipboard-read", "clipboard-write"] });
    await button(page, "D joins").click();
    await page.getByRole("region", { name: "What to show" }).getByRole("button", { name: "RoundRobin" }).click();
    await card(page, "RoundRobin").waitFor({ state: "detached" });
    await button(page, "Copy link").click();
    await page.getByText("Copied.").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(link, /#\/assign\?v=1&topics=orders:6&members=A&do=join:B,join:C,join:D&show=/);
    assert.equal(page.url(), link, "the address is the link");
    const other = await open(link);
    await t.eventually(async () => {
      assert.deepEqual(await members(other.page, "Sticky"), await members(page, "Sticky"));
      assert.equal(await card(other.page, "RoundRobin").count(), 0);
    });
  });

  await t.test("a broken link and a bad id say what is wrong", async () => {
    const { page } = await open("#/assign?topics=orders:0&members=A");
    await page.getByText("The link cannot be shown: A topic has 1 to 100 partitions here, not 0.").waitFor();
    await page.getByLabel("A member joins").fill("my member");
    await page.keyboard.press("Enter");
    await page.getByText("A member id is 1 to 24 letters, digits, dots, dashes and underscores; \"my member\" is not.").waitFor();
    assert.equal(await page.getByLabel("A member joins").inputValue(), "my member");
    await page.getByLabel("A member joins").fill("A");
    await page.keyboard.press("Enter");
    await page.getByText("The group has a member A already; ids are unique in a group.").waitFor();
    const later = await open("#/assign?v=2");
    await later.page.getByText("this page reads version 1", { exact: false }).waitFor();
  });

  await t.test("a new address on the open page is followed", async () => {
    const { page } = await open();
    await page.evaluate(() => { location.hash = "#/assign?topics=orders:5&members=A,B"; });
    await t.eventually(async () => {
      assert.equal((await counters(page, "uniform, broker")).Spread, "2 to 3");
      assert.deepEqual(await members(page, "uniform, broker"), { A: "p0 p1", B: "p2 p3 p4" });
    });
  });

  await t.test("touch targets are 44 px high", async () => {
    const { page } = await open("#/assign", { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true });
    const low = await page.locator(".assign button:visible, .assign input:visible, .assign select:visible").evaluateAll((targets) =>
      targets.filter((target) => target.getBoundingClientRect().height < 44).map((target) => target.outerHTML.slice(0, 90)));
    assert.deepEqual(low, []);
  });

  await t.test("everything is reached and done with the keyboard alone", async () => {
    const { page } = await open();
    const focus = async (locator) => {
      for (let presses = 0; presses < 90; presses += 1) {
        if (await locator.evaluate((element) => element === document.activeElement)) return;
        await page.keyboard.press("Tab");
      }
      assert.fail(`${locator} was not reached`);
    };
    await focus(button(page, "Next: B leaves"));
    await page.keyboard.press("Enter");
    await moved(page, { Range: "2" });
    await focus(page.getByRole("region", { name: "What to show" }).getByRole("button", { name: "RoundRobin" }));
    await page.keyboard.press("Space");
    await card(page, "RoundRobin").waitFor({ state: "detached" });
    await focus(page.getByLabel("A member joins"));
    await page.keyboard.type("Z");
    await page.keyboard.press("Enter");
    await t.eventually(async () => assert.ok("Z" in (await members(page, "Range"))));
    await focus(page.getByRole("region", { name: "Partitions and the members that have them" }));
  });
}
