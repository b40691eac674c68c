// Every built lesson as a reader takes it: opened, its steps done in order, its stage in view, its link copied.
// The numbers of the prose are tested beside the course; here it is that the page leads to them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export const name = "lessons";

// That every step of every lesson can be completed is tested without a browser. Walked here are lessons that differ in
// what the page has to do: several acts, questions, the terminal, the shelf, days that pass.
const WALKED = ["one-key-two-libraries", "grow-the-topic", "split-history", "log-not-queue", "create-and-describe", "min-isr", "compaction"];

const step = (page) => page.locator(".steps li.now");
const readout = (page) => page.locator(".readout");

// Opens a step by its title in the list.
const openStep = (page, title) => page.locator(".steps .step-title", { hasText: title }).click();

// Waits until an act of a lesson is open.
const actIsOpen = (page, place) => page.locator(`.acts button:nth-child(${place + 1})[aria-pressed=true]`).waitFor();

// Does the open step and waits until it is done; a prediction in front of it is answered first.
async function take(page) {
  await step(page).waitFor();
  const prediction = page.locator("form.prediction");
  if (await prediction.count()) {
    const number = prediction.locator("input[type=text]");
    if (await number.count()) await number.fill("1");
    await prediction.getByRole("button", { name: "That is my guess" }).click();
    await page.locator(".prediction.answered").waitFor();
  }
  const yes = page.locator("div.prediction").getByRole("button", { name: "Yes" });
  if (await yes.count()) {
    await yes.click();
    await page.locator(".prediction.answered").waitFor();
  }
  const action = step(page).locator(".button-row .button").first();
  if (!["Back", "Next"].includes(await action.innerText())) await action.click();
  await page.locator(".steps li.now.done").waitFor();
}

// Copies the link and gives it.
async function copyLink(page) {
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Link copied.").waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

export async function run(t) {
  const index = JSON.parse(await readFile(join(t.dist, "lessons/index.json"), "utf8"));
  const built = index.groups.flatMap((group) => group.lessons).filter((lesson) => !lesson.later);

  for (const lesson of built) {
    if (WALKED.includes(lesson.slug)) await t.test(`leads through the steps of ${lesson.slug}`, async () => {
      const opened = await t.open(`#/learn/${lesson.slug}`, { viewport: { width: 1440, height: 900 } });
      const { page } = opened;
      await page.getByRole("heading", { level: 1, name: lesson.title }).waitFor();
      await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "100×" });
      const acts = page.locator(".acts button");
      for (let act = 0; act < Math.max(1, await acts.count()); act += 1) {
        if (act > 0) {
          await acts.nth(act).click();
          await actIsOpen(page, act);
          await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "100×" });
        }
        const steps = await page.locator(".steps > li").count();
        for (let place = 0; place < steps; place += 1) {
          if (place > 0) await step(page).getByRole("button", { name: "Next", exact: true }).click();
          const opened = page.locator(`.steps > li.now:nth-child(${place + 1})`);
          await opened.waitFor();
          if ((await opened.getAttribute("class")).includes("later")) continue;
          await take(page);
        }
      }
      await page.locator(".instrument").first().waitFor();
      await t.screenshot(opened, `${lesson.slug}-done`);
      await t.assertAccessible(opened);
    });

    await t.test(`fits a phone and a dark room: ${lesson.slug}`, async () => {
      const opened = await t.open(`#/learn/${lesson.slug}`, { viewport: { width: 320, height: 640 }, colorScheme: "dark", hasTouch: true });
      await opened.page.getByRole("heading", { level: 1, name: lesson.title }).waitFor();
      await opened.page.locator(".scene").first().waitFor();
      await t.assertNoSidewaysScroll(opened);
      await t.screenshot(opened, `${lesson.slug}-320-dark`);
      await t.assertAccessible(opened);
    });
  }

  await t.test("brings the stage of a run into view that a small window had below its edge", async () => {
    const { page } = await t.open("#/learn/commit-in-two-phases", { viewport: { width: 375, height: 500 }, hasTouch: true });
    await take(page);
    await step(page).getByRole("button", { name: "Next", exact: true }).click();
    await take(page);
    await t.eventually(async () => {
      const { top } = await page.evaluate(() => document.querySelector(".scene-frame").getBoundingClientRect());
      assert.ok(top < 500, `the stage begins at ${top}`);
    });
  });

  await t.test("remembers what was done, and forgets it when asked", async () => {
    const { page } = await t.open("#/learn/one-key-two-libraries");
    await take(page);
    await page.reload();
    await page.locator(".steps li.done").first().waitFor();
    await page.getByRole("button", { name: "Start the lesson again" }).click();
    await page.locator(".steps li.done").waitFor({ state: "detached" });
  });

  await t.test("keeps what was typed and says what is expected", async () => {
    const { page } = await t.open("#/learn/key-to-partition");
    const field = page.getByLabel("Explicit partition");
    await field.fill("many");
    await field.press("Enter");
    await page.locator(".controls .field-error", { hasText: "number" }).waitFor();
    await t.eventually(async () => assert.equal(await field.inputValue(), "many"));
  });

  await t.test("goes on from a copied link at the same time", async () => {
    const opened = await t.open("#/learn/key-to-partition", { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    await take(page);
    // The run stops by itself where the step is complete.
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    const before = await readout(page).innerText();
    const again = await t.open(await copyLink(page));
    await again.page.getByRole("heading", { level: 1, name: "From key bytes to a partition number" }).waitFor();
    await t.eventually(async () => assert.equal(await readout(again.page).innerText(), before));
    await again.page.locator(".strip-part.result", { hasText: "1" }).first().waitFor();
  });

  await t.test("links hold the moment to which the reader went last", async () => {
    const { page } = await t.open("#/learn/key-to-partition", { permissions: ["clipboard-read", "clipboard-write"] });
    await t.goToEnd(page);
    const end = await readout(page).innerText();
    const again = await t.open(await copyLink(page));
    await t.eventually(async () => assert.equal(await readout(again.page).innerText(), end));
    await page.getByRole("link", { name: "Open in the playground" }).click();
    await page.locator(".play").waitFor();
    await t.eventually(async () => assert.equal(await readout(page).innerText(), end));
  });

  await t.test("holds a caption back until its question is answered or skipped", async () => {
    const { page } = await t.open("#/learn/grow-the-topic");
    await openStep(page, "Add partitions");
    await step(page).getByText("Which of the six keys move?").waitFor();
    const caption = step(page).getByText("Three empty partitions appear");
    assert.equal(await caption.count(), 0, "it says the answer");
    await step(page).getByRole("button", { name: "That is my guess" }).click();
    await caption.waitFor();
    await step(page).getByText("You said none of them. The engine says user-3, user-5, user-6.").waitFor();
    await page.getByRole("group", { name: "Acts" }).getByRole("button", { name: "3 to 4 partitions" }).click();
    await step(page).getByText("How many of the six keys move?").waitFor();
    const next = step(page).getByText("Back to 3 partitions and the same six keys.");
    assert.equal(await next.count(), 0, "every question holds its caption back");
    await step(page).getByRole("button", { name: "Skip the question" }).click();
    await next.waitFor();
    await step(page).getByText("You skipped this. The engine says 6.").waitFor();
  });

  await t.test("leads on from the end of an act to the next act, and from the last one to the next lesson", async () => {
    const { page } = await t.open("#/learn/grow-the-topic");
    await openStep(page, "Open the wheel");
    const onward = step(page).getByText(/^Next/);
    await step(page).getByRole("button", { name: "Open the wheel" }).waitFor();
    assert.equal(await onward.count(), 0, "not before the act is done");
    await take(page);
    await step(page).getByRole("button", { name: "Next: 3 to 4 partitions" }).click();
    await actIsOpen(page, 1);
    await page.locator(".steps > li.now:first-child").getByText("How many of the six keys move?").waitFor();
    await page.getByRole("group", { name: "Acts" }).getByRole("button", { name: "Never fewer" }).click();
    await actIsOpen(page, 2);
    await openStep(page, "Ask for fewer");
    await take(page);
    const { title } = built[built.findIndex((lesson) => lesson.slug === "grow-the-topic") + 1];
    await step(page).getByRole("link", { name: `Next lesson: ${title}` }).click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
  });

  await t.test("explains a term without leaving the lesson", async () => {
    const { page } = await t.open("#/learn/key-to-partition");
    await page.locator("a.term").first().click();
    const dialog = page.getByRole("dialog", { name: /Glossary/ });
    await t.eventually(async () => assert.ok((await dialog.innerText()).length > 40));
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  });
}
