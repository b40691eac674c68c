// Every built lesson as a reader takes it: opened, its steps done in order, its stage in view, its link copied.
// The numbers of the prose are tested beside the course; here it is that the page leads to them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export const name = "lessons";

const step = (page) => page.locator(".steps li.now");

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
  if (await yes.count()) await yes.click();
  const action = step(page).locator(".button-row .button").first();
  if (!["Back", "Next"].includes(await action.innerText())) await action.click();
  await page.locator(".steps li.now.done").waitFor();
}

export async function run(t) {
  const index = JSON.parse(await readFile(join(t.dist, "lessons/index.json"), "utf8"));
  const built = index.groups.flatMap((group) => group.lessons).filter((lesson) => !lesson.later);

  for (const lesson of built) {
    await t.test(`leads through the steps of ${lesson.slug}`, async () => {
      const opened = await t.open(`#/learn/${lesson.slug}`, { viewport: { width: 1440, height: 900 } });
      const { page } = opened;
      await page.getByRole("heading", { level: 1, name: lesson.title }).waitFor();
      await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "100×" });
      const acts = page.locator(".acts button");
      for (let act = 0; act < Math.max(1, await acts.count()); act += 1) {
        if (act > 0) {
          await acts.nth(act).click();
          await page.locator(`.acts button:nth-child(${act + 1})[aria-pressed=true]`).waitFor();
          await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "100×" });
        }
        const steps = await page.locator(".steps > li").count();
        for (let place = 0; place < steps; place += 1) {
          if (place > 0) await step(page).getByRole("button", { name: "Next", exact: true }).click();
          if ((await page.locator(".steps > li").nth(place).getAttribute("class")).includes("later")) continue;
          await take(page);
        }
      }
      assert.ok(await page.locator(".instrument").first().isVisible());
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
    const error = page.locator(".controls .field-error");
    await error.waitFor();
    assert.match(await error.innerText(), /number/);
    assert.equal(await field.inputValue(), "many");
  });

  await t.test("goes on from a copied link at the same time", async () => {
    const opened = await t.open("#/learn/key-to-partition", { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    await take(page);
    const before = await page.locator(".readout").innerText();
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Link copied.").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const again = await t.open(link);
    await again.page.getByRole("heading", { level: 1, name: "From key bytes to a partition number" }).waitFor();
    assert.equal(await again.page.locator(".readout").innerText(), before);
    await again.page.locator(".strip-part.result", { hasText: "1" }).first().waitFor();
  });

  await t.test("explains a term without leaving the lesson", async () => {
    const { page } = await t.open("#/learn/key-to-partition");
    await page.locator("a.term").first().click();
    const dialog = page.getByRole("dialog", { name: /Glossary/ });
    await dialog.waitFor();
    assert.ok((await dialog.innerText()).length > 40);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  });
}
