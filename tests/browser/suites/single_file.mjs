// The self-contained page: from a file and in a sandboxed frame, asking for nothing.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const name = "single file";

export async function run(t) {
  await t.test("opens from a file and asks for nothing else", async () => {
    const url = pathToFileURL(join(t.dist, "logarium.html")).href;
    const opened = await t.open(url);
    await t.ready(opened.page);
    assert.deepEqual(opened.requests.filter((asked) => !/^(data|blob):/.test(asked)), [url]);
    await t.assertAccessible(opened);
  });

  await t.test("carries every data file of the site", async () => {
    const opened = await t.open("logarium.html");
    await t.ready(opened.page);
    const paths = await opened.page.evaluate(() => Object.keys(globalThis.__logariumData));
    assert.ok(paths.includes("styles/tokens.css"), `${paths}`);
  });

  for (const page of ["logarium.html", "embed.html"]) {
    await t.test(`${page} runs in a sandboxed frame of another site`, async () => {
      const host = t.host(`<!doctype html><html lang="en"><title>Course</title><iframe title="Logarium" sandbox="allow-scripts"
        width="640" height="600" src="${new URL(page, t.base)}"></iframe></html>`);
      const opened = await t.open(host);
      await t.ready(opened.page.frameLocator("iframe"));
      assert.deepEqual(opened.requests.filter((asked) => !/^(data|blob):/.test(asked)).length, 2);
      await t.screenshot(opened, page);
    });
  }
}
