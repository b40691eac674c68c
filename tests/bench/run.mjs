// Measures the app in Chromium on software raster: renders of Yew while nothing changes, and main-thread time per frame
// with 300 and 1,000 moving records, and while a group of 200 members and 1,000 partitions rebalances. Started by `cargo xtask bench`; prints a line a bar and exits with 1 if one fails.
import { createRequire } from "node:module";

import { setting } from "../node/report.mjs";
import { serveSite } from "../browser/server.mjs";

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const { chromium } = createRequire(import.meta.url)(setting("LOGARIUM_PLAYWRIGHT"));
const site = await serveSite(setting("LOGARIUM_DIST"));
const browser = await chromium.launch({ executablePath: setting("LOGARIUM_CHROMIUM"), args: FLAGS });
let failed = 0;

function judge(what, value, most) {
  const holds = value <= most;
  failed += holds ? 0 : 1;
  console.log(`${holds ? "held    " : "NOT HELD"} ${what.padEnd(48)} ${value.toFixed(2).padStart(8)}  (at most ${most})`);
}

// A cluster in which so many records are on their way at any time: each burst travels for a second.
function crowd(records) {
  const workload = { topic: "events", key_pattern: { prefix: "user-", count: records }, every: "1 s", burst: records, value: "x" };
  return {
    name: "crowd",
    topic: [{ name: "events", partitions: 12 }],
    producer: [{ name: "orders", client: "java", workload }],
    network: { delay: "1 s" },
    duration: "10 min",
  };
}

// One record that travels for so long that nothing changes while it is watched.
const quiet = {
  name: "quiet",
  topic: [{ name: "events", partitions: 3 }],
  producer: [{ name: "orders", client: "java", workload: { topic: "events", keys: ["user-1"], every: "1 s" } }],
  network: { delay: "1 h" },
  duration: "10 h",
};

// A group that rebalances all the time: of 200 members one joins every 100 ms.
const group = {
  name: "group",
  cluster: { brokers: 3 },
  topic: [{ name: "events", partitions: 1000, replication_factor: 1 }],
  consumer: Array.from({ length: 200 }, (_, number) => ({
    name: `member-${number}`,
    subscribe: ["events"],
    start: `${number * 100} ms`,
    configs: { "group.id": "g", "group.protocol": "consumer" },
  })),
  duration: "10 min",
};

async function play(scenario, speed) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(site.base);
  const link = await page.evaluate(async (scenario) => {
    const api = await import(new URL("logarium.js", document.baseURI).href);
    await api.default();
    const simulation = new api.Simulation(scenario);
    return simulation.link();
  }, scenario);
  await page.goto(`${site.base}#/s/${encodeURIComponent(link)}?debug`);
  await page.reload();
  await page.locator("#loading").waitFor({ state: "detached" });
  if (speed) await page.getByRole("combobox", { name: /speed/i }).selectOption({ label: speed });
  await page.getByRole("button", { name: /^play/i }).first().click();
  return { context, page };
}

async function renders(page) {
  const text = await page.locator(".overlay .total").textContent();
  return Number(text.split(" ")[0]);
}

const still = await play(quiet, "0.1×");
// The start of the cluster is over by then; one request is on its way.
await still.page.waitForTimeout(3_000);
const before = await renders(still.page);
await still.page.waitForTimeout(2_000);
judge("Yew renders in 2 s of play without a change", (await renders(still.page)) - before, 0);
await still.context.close();

async function frames(what, scenario, most) {
  const { context, page } = await play(scenario);
  // The button is below a tall stage.
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(4_000);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const task = async () => (await devtools.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
  const start = await task();
  const count = await page.evaluate(() => new Promise((resolve) => {
    let count = 0;
    const end = performance.now() + 3000;
    const next = (now) => (now < end ? (count++, requestAnimationFrame(next)) : resolve(count));
    requestAnimationFrame(next);
  }));
  judge(`main-thread ms a frame, ${what}`, (((await task()) - start) * 1000) / count, most);
  await context.close();
}

for (const [records, most] of [[300, 6], [1000, 15]]) await frames(`${records} moving records`, crowd(records), most);
await frames("200 members rebalance", group, 15);

await browser.close();
await site.close();
process.exit(failed === 0 ? 0 : 1);
