// What a browser suite works with: cases, and pages on which every request, message and error is recorded.
//
// A case fails when one of its pages has said anything on the console, thrown, or asked for anything outside, unless
// the case has taken those lines with `take()` or `hear()`. No case is run again. A page is drawn some frames after it
// was acted on, however many a loaded machine needs: what it shows is waited for and never read just once.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

// How long a page may take to show what is waited for, in milliseconds.
const WAIT = 20_000;

// Events that may come before what is stepped to.
const STEPS_MAX = 400;

// Between two looks at what is waited for, in milliseconds.
const LOOK_AGAIN = 20;

export class Stage {
  #suite;
  #report;
  #browser;
  #hosts;
  #artifacts;
  #axe;
  #slowdown;
  #open = [];

  constructor({ suite, report, browser, site, hosts, dist, artifacts, axe, slowdown }) {
    this.#suite = suite;
    this.#report = report;
    this.#browser = browser;
    this.#hosts = hosts;
    this.#artifacts = artifacts;
    this.#axe = axe;
    this.#slowdown = slowdown;
    // The URL of the site's folder, with a slash at its end.
    this.base = site.base;
    // The site's folder on disk.
    this.dist = dist;
    this.origins = [site.origin, hosts.origin];
  }

  // Runs one case, then checks and closes the pages that it opened.
  test(name, body) {
    return this.#report.test(`${this.#suite}: ${name}`, async () => {
      try {
        await body();
        assert.deepEqual(this.#open.flatMap((opened) => opened.take()), [], "the page was quiet");
      } catch (error) {
        await this.#keepPictures(name);
        throw error;
      } finally {
        await Promise.all(this.#open.splice(0).map((opened) => opened.context.close()));
      }
    });
  }

  // Opens a page in a browser profile of its own. `address` is relative to the site, or whole.
  // Options are Playwright's for a context (viewport, colorScheme, reducedMotion, forcedColors ...).
  async open(address, options = {}) {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(WAIT);
    const opened = new Opened(context, await context.newPage());
    this.#open.push(opened);
    const url = new URL(address, this.base).href;
    await opened.record([...this.origins, ...(url.startsWith("file:") ? [url] : [])]);
    if (this.#slowdown > 1) {
      const session = await context.newCDPSession(opened.page);
      await session.send("Emulation.setCPUThrottlingRate", { rate: this.#slowdown });
    }
    await opened.page.goto(url);
    return opened;
  }

  // The URL of a page on another origin, such as a course page that embeds the widget.
  host(html) {
    return this.#hosts.show(html);
  }

  // Repeats assertions until they hold, and gives what they return. If they never do, their last failure is the case's.
  eventually(assertions) {
    return eventually(assertions);
  }

  // Goes to the end of the time bar and waits until the page is there.
  async goToEnd(page) {
    await page.getByRole("slider").focus();
    await page.keyboard.press("End");
    await page.waitForFunction(() => {
      const { ariaValueNow, ariaValueMax } = document.querySelector("[role=slider]");
      return ariaValueMax > 0 && ariaValueNow === ariaValueMax;
    });
  }

  // Waits until the app has taken the place of the loading screen.
  async ready(frame) {
    await frame.locator("#loading").waitFor({ state: "detached" });
  }

  // No rule of axe is broken in the page as it stands.
  async assertAccessible(opened) {
    const source = await readFile(join(this.#axe, "axe.min.js"), "utf8");
    await opened.page.evaluate(source);
    const broken = await opened.page.evaluate(async () => {
      const { violations } = await globalThis.axe.run(document);
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
    });
    assert.deepEqual(broken, [], "axe finds nothing");
  }

  // The page can be read without scrolling sideways.
  async assertNoSidewaysScroll(opened) {
    const [content, window] = await opened.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= window, `the page is ${content} px wide in a window of ${window} px`);
  }

  // Keeps a picture for people to look at.
  async screenshot(opened, name, options = {}) {
    await opened.page.screenshot({ path: join(this.#artifacts, `${this.#suite}-${name}.png`), fullPage: true, ...options });
  }

  async #keepPictures(name) {
    for (const [index, opened] of this.#open.entries()) {
      const file = `failed-${this.#suite}-${name.replace(/[^a-z0-9]+/gi, "-")}-${index}.png`;
      // A page that cannot be drawn must not hide why the case failed.
      await opened.page.screenshot({ path: join(this.#artifacts, file) }).catch(() => {});
    }
  }
}

// A page and all that it said and asked for.
class Opened {
  // URLs in the order in which they were asked for.
  requests = [];
  #lines = [];

  constructor(context, page) {
    this.context = context;
    this.page = page;
  }

  // Starts recording; a request that starts with none of `allowed` is stopped and recorded.
  async record(allowed) {
    const isAllowed = (url) => url.startsWith("data:") || url.startsWith("blob:") || allowed.some((start) => url.startsWith(start));
    await this.context.route("**/*", (route) => {
      const url = route.request().url();
      this.requests.push(url);
      if (isAllowed(url)) {
        return route.continue();
      }
      this.#lines.push(`outside request: ${url}`);
      return route.abort();
    });
    this.page.on("console", (message) => this.#lines.push(`console ${message.type()}: ${message.text()}`));
    this.page.on("pageerror", (error) => this.#lines.push(`error: ${error.message}`));
    this.page.on("response", (response) => {
      if (response.status() >= 400) this.#lines.push(`response ${response.status()}: ${response.url()}`);
    });
  }

  // What was said since the last time, and forgets it.
  take() {
    return this.#lines.splice(0);
  }

  // Waits until every pattern has matched a line of what was said, and forgets all lines until then.
  async hear(...patterns) {
    const lines = [];
    await eventually(() => {
      lines.push(...this.take());
      for (const pattern of patterns) assert.ok(lines.some((line) => pattern.test(line)), `${pattern} is in ${lines}`);
    });
  }

  // The requests whose path ends with `end`.
  requestsFor(end) {
    return this.requests.filter((url) => new URL(url).pathname.endsWith(end));
  }
}

// Steps from event to event until the page holds what is looked for. Each step is drawn before the next one, so that
// nothing is passed over however slow the machine is.
export async function stepUntil(page, found) {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if ((await found.count()) > 0) return;
    await page.keyboard.press("ArrowRight");
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  }
  assert.fail(`${found} is not there after ${STEPS_MAX} events`);
}

// Only an assertion is repeated: a read that fails by itself, as on a closed page, fails at once.
async function eventually(assertions) {
  const last = performance.now() + WAIT;
  for (;;) {
    try {
      return await assertions();
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || performance.now() > last) throw error;
    }
    await delay(LOOK_AGAIN);
  }
}
