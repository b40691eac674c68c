// Runs the suites of this folder in Chromium: `node tests/browser/run.mjs [SUITE...]`, started by `cargo xtask test`.
// What a suite gets is in stage.mjs. With LOGARIUM_SLOWDOWN=4 the pages run as on a machine of a quarter of the speed.
// Two suites run at the same time, each in a browser of its own: a case mostly waits for its page.
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { Report, setting, suites } from "../node/report.mjs";
import { serveHosts, serveSite } from "./server.mjs";
import { Stage } from "./stage.mjs";

// No network of the browser's own, no GPU, and no sandbox because tests often run as root.
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

const require = createRequire(import.meta.url);
const { chromium } = require(setting("LOGARIUM_PLAYWRIGHT"));
const artifacts = fileURLToPath(new URL("artifacts", import.meta.url));
await mkdir(artifacts, { recursive: true });

const report = new Report();
const dist = setting("LOGARIUM_DIST");
const axe = setting("LOGARIUM_AXE");
const slowdown = Number(process.env.LOGARIUM_SLOWDOWN ?? 1);
const chosen = await suites(fileURLToPath(new URL("suites", import.meta.url)), process.argv.slice(2));
const site = await serveSite(dist);
const hosts = await serveHosts();
// Takes suites from the list until none is left.
async function work() {
  const browser = await chromium.launch({ executablePath: setting("LOGARIUM_CHROMIUM"), args: FLAGS });
  for (let suite = chosen.pop(); suite; suite = chosen.pop()) {
    await suite.run(new Stage({ suite: suite.name, report, browser, site, hosts, dist, artifacts, axe, slowdown }));
  }
  await browser.close();
}

await Promise.all([work(), work()]);
await Promise.all([site.close(), hosts.close()]);
report.finish();
