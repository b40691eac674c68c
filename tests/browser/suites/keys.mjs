// The key lab as a reader uses it: type, paste, drop and choose keys, cancel, filter, ask, export, share a link.
// Numbers here are those of the published tables; how they are computed is tested beside the code.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

export const name = "key lab";

const LOOKS = [
  ["light", { viewport: { width: 1440, height: 900 }, colorScheme: "light" }],
  ["dark", { viewport: { width: 1440, height: 900 }, colorScheme: "dark" }],
  ["768-dark", { viewport: { width: 768, height: 1024 }, colorScheme: "dark" }],
  ["375", { viewport: { width: 375, height: 812 }, hasTouch: true }],
  ["320", { viewport: { width: 320, height: 640 }, hasTouch: true }],
  ["forced-colors", { forcedColors: "active" }],
  ["reduced-motion", { reducedMotion: "reduce" }],
];

const SAMPLE = "Sample: user-1 to user-30";

const users = (count) => Array.from({ length: count }, (_, number) => `user-${number}\n`).join("");

const file = (text, fileName = "keys.csv") => ({ name: fileName, mimeType: "text/csv", buffer: Buffer.from(text) });

export async function run(t) {
  const open = async (options = {}, address = "#/keys") => {
    const opened = await t.open(address, options);
    await opened.page.getByRole("heading", { level: 1, name: "Key lab" }).waitFor();
    return opened;
  };
  const answer = (page) => page.locator(".keys-answer").first();
  const answers = (page, expected) => t.eventually(async () => assert.match(await answer(page).innerText(), expected));
  const type = (page, text) => page.getByRole("textbox", { name: /One key a line/ }).fill(text);
  const table = (page) => page.getByRole("region", { name: "Keys and their partitions" });

  for (const [look, options] of LOOKS) {
    await t.test(`is accessible and quiet, empty and full (${look})`, async () => {
      const opened = await open(options);
      await opened.page.getByRole("heading", { name: "Put in some keys to begin" }).waitFor();
      await t.assertAccessible(opened);
      await opened.page.getByRole("button", { name: SAMPLE }).click();
      await answer(opened.page).waitFor();
      await opened.page.getByRole("button", { name: "user-3", exact: true }).click();
      await opened.page.getByText("Add a client:").click();
      await t.assertNoSidewaysScroll(opened);
      await t.screenshot(opened, look);
      await t.assertAccessible(opened);
    });
  }

  await t.test("the sample answers at once", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: SAMPLE }).click();
    await answers(page, /Java and librdkafka agree on 7 of 30 keys at 6 partitions \(23\.33 %\)/);
    const row = page.locator(".keys-rows tbody tr").nth(2).locator("th, td");
    await t.eventually(async () => assert.deepEqual((await row.allInnerTexts()).map((cell) => cell.trim()), [
      "user-3", "3", "1", "1141442267", "5", "↷ 11", "2418550584", "0", "0", "differ", "moves",
    ]));
  });

  await t.test("CSV is found out, counts weigh, and bad lines are listed", async () => {
    const { page } = await open();
    await type(page, "region,user_id,count\neu,user-1,5\neu,user-2,x\neu\nus,user-3,2\nus,user-1,1\n\n\"us,user-4,1\n");
    await t.eventually(async () => {
      const facts = await page.locator(".keys-facts").innerText();
      assert.equal(facts.replaceAll("\n", " "),
        "different keys 2 records 8 lines with a key 3 repeated keys 1 blank lines left out 1 bad lines 3");
      const bad = await page.locator(".keys-bad tbody tr").allInnerTexts();
      assert.deepEqual(bad.map((row) => row.split("\t")[0]), ["3", "4", "8"]);
      assert.match(bad[0], /whole number of 0 or more/);
      assert.match(bad[2], /not closed/);
    });
    await page.getByLabel("Key column").selectOption("region");
    await page.getByRole("button", { name: "us", exact: true }).waitFor();
  });

  await t.test("keys in another notation are other bytes", async () => {
    const { page } = await open({}, "#/keys?clients=java&counts=12");
    await type(page, "42\n");
    await page.getByRole("row", { name: /417700972/ }).waitFor();
    await page.getByLabel("Keys are").selectOption("int32");
    await page.getByRole("row", { name: /1606757304/ }).waitFor();
    await type(page, "forty-two\n");
    await page.getByRole("heading", { name: "No key was found" }).waitFor();
    await page.locator(".keys-bad tbody tr", { hasText: "whole decimal number" }).waitFor();
  });

  await t.test("a file of 100,000 keys is a table of a few rows", async () => {
    const { page } = await open();
    await page.locator("input[type=file]").setInputFiles(file(users(100_000)));
    await answers(page, /of 100\u202f000 keys/);
    await table(page).focus();
    await page.keyboard.press("End");
    await page.getByRole("button", { name: "user-99999", exact: true }).waitFor();
    await t.eventually(async () => assert.ok((await page.locator(".keys-rows tbody tr").count()) <= 20, "only rows in sight exist"));
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("button", { name: "user-14", exact: true }).waitFor();
    await page.getByRole("button", { name: "user-0", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Key", exact: true }).click();
    await page.locator("th[aria-sort=ascending]", { hasText: "Key" }).waitFor();
  });

  await t.test("reading can be cancelled, and what was there stays", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: SAMPLE }).click();
    await answer(page).waitFor();
    // The button is pressed the moment it appears, however fast the machine is.
    await page.evaluate(() => {
      new MutationObserver(() => document.querySelector(".keys-working button")?.click())
        .observe(document.querySelector(".keys"), { subtree: true, childList: true });
    });
    await page.locator("input[type=file]").setInputFiles(file(users(400_000)));
    await page.getByText(/was cancelled/).waitFor();
    await answers(page, /7 of 30 keys/);
  });

  await t.test("dropped files and long pastes are read without filling the text field", async () => {
    const { page } = await open();
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "dropped.txt"));
      document.querySelector(".keys-input").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, users(50));
    await page.getByText("dropped.txt").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.locator(".keys-text textarea").waitFor();
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      document.querySelector(".keys-text textarea").dispatchEvent(paste);
    }, users(20_000));
    await answers(page, /20\u202f000 keys at 6 partitions \(16\.95 %\)/);
    await page.locator(".keys-text textarea").waitFor({ state: "detached" });
  });

  await t.test("filters and the question who shares a partition narrow the table", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: SAMPLE }).click();
    await page.getByText("30 keys in the table").waitFor();
    await page.getByRole("button", { name: "Clients disagree" }).click();
    await page.getByText(/\d+ keys of 30 in the table/).waitFor();
    await page.getByLabel("Which of my keys share a partition with").fill("user-3");
    await page.getByRole("button", { name: "Show them" }).click();
    await page.getByText("user-3 hashes to 1141442267").first().waitFor();
    await page.getByText("6 keys of 30 in the table").waitFor();
    await page.getByRole("button", { name: "Java: partition 5 of 6 ×" }).click();
    await page.getByText("30 keys in the table").waitFor();
    await page.getByLabel("Find in keys").fill("user-2");
    await page.keyboard.press("Enter");
    await page.getByText("11 keys of 30 in the table").waitFor();
  });

  await t.test("clients and counts are added, refused and taken away", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: SAMPLE }).click();
    await page.getByText("Add a client:").click();
    await page.getByLabel("Search by name, language or rule").fill("murmur2_random");
    await page.getByRole("button", { name: /librdkafka.*murmur2_random/ }).first().click();
    await page.getByRole("cell", { name: "100.00 %" }).first().waitFor();
    await page.getByLabel("Add counts").fill("0");
    await page.keyboard.press("Enter");
    await page.getByText("0 partitions: expected a number from 1 to 10000.").waitFor();
    await page.getByLabel("Add counts").fill("8");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove 8 partitions" }).waitFor();
    for (const count of [8, 12, 6]) await page.getByRole("button", { name: `Remove ${count} partitions` }).click();
    await page.getByText("Choose at least one partition count.").waitFor();
  });

  await t.test("what is exported is what the table shows, and formulas are guarded", async () => {
    const { page } = await open({ acceptDownloads: true });
    await type(page, "user-3\n=1+1\n");
    await answer(page).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV: 2 keys" }).click();
    const text = await readFile(await (await download).path(), "utf8");
    assert.equal(text, [
      "line,key,key_hex,records,java of 6,java of 12,librdkafka of 6,librdkafka of 12,clients_disagree,moves",
      "1,user-3,757365722d33,1,5,11,0,0,yes,yes",
      "2,'=1+1,3d312b31,1,4,4,0,0,yes,no",
      "",
    ].join("\r\n"));
  });

  await t.test("a link carries the settings, and the keys only if asked", async () => {
    const options = { permissions: ["clipboard-read", "clipboard-write"] };
    const { page } = await open(options, "#/keys?clients=java,sarama&counts=8");
    await type(page, "user-1\nuser-2\n");
    await answer(page).waitFor();
    const copy = async (button, expected) => {
      await page.getByRole("button", { name: button }).click();
      await page.getByText("Copied.").waitFor();
      return t.eventually(async () => {
        const link = await page.evaluate(() => navigator.clipboard.readText());
        assert.match(link, expected);
        return link;
      });
    };
    await copy("Copy link to these settings", /#\/keys\?v=1&clients=java,sarama&counts=8$/);
    await page.getByLabel(/Put my keys into the link/).check();
    const link = await copy("Copy link with keys", /#\/keys\?v=1&clients=java,sarama&counts=8&.*keys=/);
    const other = await t.open(link);
    await answers(other.page, /Java and Sarama.* of 2 keys at 8 partitions/);
  });

  await t.test("a broken link says what is wrong with it", async () => {
    const { page } = await open({}, "#/keys?v=1&clients=jaba");
    await page.getByText('The link cannot be shown: there is no client "jaba"').waitFor();
    await page.getByRole("button", { name: SAMPLE }).click();
    await answer(page).waitFor();
    const cut = await open({}, "#/keys?v=1&keys=0000");
    await cut.page.getByText("incomplete or changed", { exact: false }).waitFor();
  });

  await t.test("everything is reached and done with the keyboard alone", async () => {
    const { page } = await open();
    const focus = async (locator) => {
      for (let presses = 0; presses < 80; presses += 1) {
        if (await locator.evaluate((element) => element === document.activeElement)) return;
        await page.keyboard.press("Tab");
      }
      assert.fail(`${locator} was not reached`);
    };
    await focus(page.getByRole("button", { name: SAMPLE }));
    await page.keyboard.press("Enter");
    await answer(page).waitFor();
    await focus(page.getByRole("button", { name: "Moves when growing" }));
    await page.keyboard.press("Space");
    await page.getByText(/\d+ keys of 30 in the table/).waitFor();
    await focus(table(page));
    await focus(page.getByRole("button", { name: "Key", exact: true }));
    await page.keyboard.press("Enter");
    await page.locator("th[aria-sort=ascending]", { hasText: "Key" }).waitFor();
  });
}
