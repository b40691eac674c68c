// `<logarium-widget>` in pages of other people: life cycle, messages, events, crash, and what is complete in a narrow column.
// The stage itself is tested by the suites of the app.
import assert from "node:assert/strict";

export const name = "widget";

// A course page on another origin. `script` runs before the element is loaded.
function page(t, body, script = "") {
  return t.host(`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Course</title>
    <style>body { margin: 0 auto; max-width: 640px; font-family: serif }</style>
    <body><main><h1>Course</h1>${body}</main><script>${script}</script>
    <script type="module" src="${new URL("logarium.js", t.base)}"></script></body></html>`);
}

const WIDGET = '<logarium-widget lesson="one-key-two-libraries"><p>Words of the teacher.</p></logarium-widget>';

// Counts the frames that the page asks for.
const COUNT_FRAMES = "globalThis.frames_asked = 0; const ask = requestAnimationFrame.bind(globalThis); globalThis.requestAnimationFrame = (f) => { frames_asked += 1; return ask(f); }; globalThis.plain_frame = () => new Promise(ask);";

export async function run(t) {
  // Opens a page and waits until its first widget is ready.
  async function open(address, options) {
    const opened = await t.open(address, options);
    await ready(opened);
    return opened;
  }

  async function ready({ page }) {
    await page.waitForFunction(() => customElements.get("logarium-widget"));
    await page.evaluate(() => document.querySelector("logarium-widget").ready.then(() => null));
  }

  await t.test("three widgets of the course example share one module and one style sheet", async () => {
    const opened = await open("course-example/");
    for (const place of [0, 1, 2]) {
      await opened.page.locator("logarium-widget").nth(place).scrollIntoViewIfNeeded();
      await opened.page.evaluate((place) => document.querySelectorAll("logarium-widget")[place].ready.then(() => null), place);
    }
    assert.equal(opened.requestsFor(".wasm").length, 1);
    const shared = await opened.page.evaluate(() => {
      const [first, ...others] = [...document.querySelectorAll("logarium-widget")].map((widget) => widget.shadowRoot.adoptedStyleSheets);
      return first.length > 0 && others.every((sheets) => first.every((sheet) => sheets.includes(sheet)));
    });
    assert.ok(shared);
    await t.assertNoSidewaysScroll(opened);
    await t.screenshot(opened, "course-example");
    await t.assertAccessible(opened);
  });

  for (const [look, options] of [["dark", { colorScheme: "dark" }], ["320", { viewport: { width: 320, height: 640 }, hasTouch: true }]]) {
    await t.test(`the course example can be read (${look})`, async () => {
      const opened = await open("course-example/", options);
      await t.assertNoSidewaysScroll(opened);
      await t.screenshot(opened, `course-example-${look}`);
      await t.assertAccessible(opened);
    });
  }

  await t.test("without scripts the teacher's words stay", async () => {
    const opened = await t.open("course-example/", { javaScriptEnabled: false });
    assert.equal(await opened.page.getByText("Java’s client hashes them with murmur2").isVisible(), true);
  });

  await t.test("nothing is loaded before a widget comes near", async () => {
    const opened = await t.open(page(t, `<div style="height: 6000px"></div>${WIDGET}`));
    await opened.page.waitForFunction(() => customElements.get("logarium-widget"));
    await opened.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(opened.requestsFor(".wasm").length, 0);
    assert.equal(opened.requestsFor(".css").length, 0);
    assert.equal(await opened.page.getByText("Words of the teacher.").isVisible(), true);
    await opened.page.locator("logarium-widget").scrollIntoViewIfNeeded();
    await ready(opened);
    assert.equal(opened.requestsFor(".wasm").length, 1);
    await opened.page.getByText("Words of the teacher.").waitFor({ state: "hidden" });
  });

  await t.test("an element that is moved goes on where it was", async () => {
    const opened = await open(page(t, `<section id="a">${WIDGET}</section><section id="b"></section>`));
    const times = await opened.page.evaluate(async () => {
      const widget = document.querySelector("logarium-widget");
      let readies = 0;
      widget.addEventListener("logarium-ready", () => (readies += 1));
      widget.seek(1.5);
      const inside = widget.shadowRoot.querySelector(".widget").firstElementChild;
      document.querySelector("#b").append(widget);
      await new Promise((done) => setTimeout(done));
      return [widget.snapshot().time, readies, inside === widget.shadowRoot.querySelector(".widget").firstElementChild];
    });
    assert.deepEqual(times, [1500, 0, true]);
  });

  await t.test("an element that is removed stops, and comes back where it was", async () => {
    const opened = await open(page(t, WIDGET, COUNT_FRAMES));
    const told = await opened.page.evaluate(async () => {
      const widget = document.querySelector("logarium-widget");
      widget.seek(1.2);
      widget.play();
      await plain_frame();
      await plain_frame();
      const asked = frames_asked;
      widget.pause();
      const time = widget.snapshot().time;
      const link = widget.link();
      widget.play();
      widget.remove();
      await new Promise((done) => setTimeout(done));
      const after = frames_asked;
      await plain_frame();
      await plain_frame();
      await plain_frame();
      const still = frames_asked === after;
      const empty = widget.shadowRoot.querySelector(".widget").childElementCount === 0;
      document.querySelector("main").append(widget);
      await widget.ready;
      return { asked, still, empty, time, link: typeof link, back: widget.snapshot().time };
    });
    assert.ok(told.asked > 0, "it asked for frames while it played");
    assert.deepEqual([told.still, told.empty, told.link], [true, true, "string"]);
    assert.ok(told.back >= 1200, `${told.back}`);
  });

  await t.test("off screen it asks for no frame", async () => {
    const opened = await open(page(t, `${WIDGET}<div style="height: 6000px"></div>`, COUNT_FRAMES));
    await opened.page.evaluate(() => document.querySelector("logarium-widget").play());
    await opened.page.waitForFunction(() => frames_asked > 3);
    await opened.page.evaluate(() => scrollTo(0, 5000));
    // Two equal counts, three frames apart: it has come to rest.
    await opened.page.waitForFunction(async () => {
      const before = frames_asked;
      await plain_frame();
      await plain_frame();
      await plain_frame();
      return frames_asked === before;
    });
    assert.equal(await opened.page.evaluate(() => scrollY > 1000), true);
  });

  await t.test("methods act, and events come after the call has returned", async () => {
    const opened = await open(page(t, WIDGET));
    const told = await opened.page.evaluate(async () => {
      const widget = document.querySelector("logarium-widget");
      const heard = [];
      const first = new Promise((tell) => document.addEventListener("logarium-event", tell));
      document.addEventListener("logarium-event", (event) => heard.push(event.detail));
      widget.seek(0.9);
      const outcome = widget.act({ do: "create_partitions", topic: "events", partitions: 6 });
      const duringCall = heard.length;
      const stepped = widget.step();
      const back = widget.stepBack();
      await first;
      widget.seek(3);
      const partitions = widget.snapshot().topics[0].partitions.length;
      const link = widget.link();
      widget.reset();
      return { outcome, duringCall, stepped, back, partitions, link, time: widget.snapshot().time, heard: heard.length };
    });
    assert.equal(told.outcome.command, 0);
    assert.equal(told.duringCall, 0);
    assert.equal(told.stepped[0].index, told.back[0].index);
    assert.ok(told.stepped[0].sentence.length > 0);
    assert.equal(told.partitions, 6);
    assert.ok(told.link.length > 20);
    assert.equal(told.time, 0);
    assert.ok(told.heard > 0, "the page heard what happened");
  });

  await t.test("properties mirror attributes, and a changed one is taken over", async () => {
    const opened = await open(page(t, WIDGET));
    await opened.page.evaluate(() => {
      Object.assign(document.querySelector("logarium-widget"), { client: "librdkafka", partitions: 6, autoplay: false });
    });
    const told = () => opened.page.evaluate(() => {
      const widget = document.querySelector("logarium-widget");
      const { producers, topics } = widget.snapshot();
      return [widget.getAttribute("client"), widget.partitions, producers[0].client, topics[0].partitions.length, widget.autoplay];
    });
    await t.eventually(async () => assert.deepEqual(await told(), ["librdkafka", 6, "librdkafka", 6, false]));
  });

  const MISTAKES = [
    ["a misspelled attribute", '<logarium-widget lesson="key-bytes" clinet="java"></logarium-widget>', /no attribute "clinet".*Did you mean client\?/],
    ["a misspelled lesson", '<logarium-widget lesson="key-byte"><p>Words.</p></logarium-widget>', /no lesson "key-byte".*Did you mean "key-bytes"\?/],
    ["a client that does not exist", '<logarium-widget lesson="key-bytes" client="jvaa"></logarium-widget>', /jvaa/],
    ["a speed out of range", '<logarium-widget lesson="key-bytes" speed="1000"></logarium-widget>', /speed="1000" is not a number from 0\.1 to 100/],
    ["a control that does not exist", '<logarium-widget lesson="key-bytes" controls="plya"></logarium-widget>', /controls does not know "plya".*"play"/],
    ["a broken link", '<logarium-widget link="abc"></logarium-widget>', /link/i],
    ["nothing to show", "<logarium-widget></logarium-widget>", /needs to know what to show/],
  ];
  for (const [what, html, expected] of MISTAKES) {
    await t.test(`${what} is told in the widget, in the console and to the page`, async () => {
      const listen = "globalThis.told = []; addEventListener('logarium-error', ({ detail }) => told.push(detail));";
      const opened = await t.open(page(t, html, listen));
      const message = opened.page.locator("logarium-widget .widget-message").first();
      await t.eventually(async () => assert.match(await message.innerText(), expected));
      await opened.page.waitForFunction(() => told.length > 0);
      const [detail] = await opened.page.evaluate(() => told);
      assert.match(detail.message, expected);
      assert.match(detail.code, /^[a-z]+\.[a-z_]+$/);
      await opened.hear(new RegExp(`^console error: .*(?:${expected.source})`, expected.flags));
      if (html.includes("Words.")) await opened.page.getByText("Words.").waitFor();
    });
  }

  await t.test("a crash touches every widget, and each starts again from its link", async () => {
    const opened = await open(page(t, `${WIDGET}<logarium-widget lesson="key-bytes"></logarium-widget>`));
    await opened.page.evaluate(() => document.querySelectorAll("logarium-widget")[1].ready.then(() => null));
    await opened.page.evaluate(async (door) => {
      document.querySelector("logarium-widget").seek(1.25);
      // The frame after the seek keeps the link.
      for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
      const { instance } = await import(door);
      // Ends of keys beyond their bytes: what the door never sends breaks an invariant inside.
      try {
        (await instance()).api_partition_many("java", new Uint8Array(1), new Uint32Array([9]), 3);
      } catch (trap) {
        // The trap itself; the panic was told before.
      }
    }, new URL("instance.js", t.base).href);
    const cards = opened.page.locator("logarium-widget .widget-crash");
    await cards.nth(1).waitFor();
    await t.screenshot(opened, "crash");
    await opened.hear(/Logarium stopped/);
    await cards.first().getByRole("button", { name: "Start again from here" }).click();
    await ready(opened);
    await t.eventually(async () => {
      assert.equal(await opened.page.evaluate(() => document.querySelector("logarium-widget").snapshot().time), 1250);
      assert.equal(await cards.count(), 1, "the other widget keeps its card until it is asked to go on");
    });
    await cards.first().getByRole("button", { name: "Start over" }).click();
    await opened.page.evaluate(() => document.querySelectorAll("logarium-widget")[1].ready.then(() => null));
  });

  await t.test("embed.html works in a sandboxed frame and tells its height", async () => {
    const listen = "globalThis.heard = []; addEventListener('message', ({ data }) => heard.push(data));";
    const host = t.host(`<!doctype html><html lang="en"><title>Course</title><script>${listen}</script><iframe title="Logarium"
      sandbox="allow-scripts" width="640" height="700" src="${new URL("embed.html?lesson=grow-the-topic&lock=cluster", t.base)}"></iframe></html>`);
    const opened = await t.open(host);
    const frame = opened.page.frameLocator("iframe");
    await frame.locator("logarium-widget .instrument").waitFor();
    await opened.page.waitForFunction(() => heard.some(({ type, height }) => type === "logarium-resize" && height > 300));
    await opened.page.waitForFunction(() => heard.some(({ type }) => type === "logarium-ready"));
    await t.screenshot(opened, "sandboxed-frame");
  });

  for (const lesson of ["one-key-two-libraries", "grow-the-topic"]) {
    await t.test(`${lesson} is complete in a column of 640 px`, async () => {
      const opened = await open(page(t, `<logarium-widget lesson="${lesson}"></logarium-widget>`));
      const widget = opened.page.locator("logarium-widget");
      await opened.page.evaluate(() => document.querySelector("logarium-widget").seek(2));
      const log = widget.locator("[part=log]");
      await log.getByText(/leader/i).first().waitFor();
      await log.getByText(/metadata/i).first().waitFor();
      await widget.locator(".readout", { hasText: "2.0" }).waitFor();
      await t.eventually(async () => {
        const text = await widget.evaluate((element) => element.shadowRoot.querySelector(".widget").textContent);
        for (const part of ["orders-service", "Partition: 0", "Partition: 2", "Leader:", "events-0", "user-1"]) {
          assert.ok(text.includes(part), part);
        }
        assert.match(text, /\.send\(|produce\(/, "the line of code");
        assert.match(text, /\d records?/, "the number of records");
      });
      if (lesson === "one-key-two-libraries") await widget.getByText("Client library").first().waitFor();
      await t.assertNoSidewaysScroll(opened);
      await t.screenshot(opened, `640-${lesson}`);
    });
  }

  await t.test("the steps of a lesson are told to the page", async () => {
    const listen = "globalThis.told = []; for (const kind of ['step', 'predict', 'complete']) addEventListener('logarium-' + kind, ({ detail }) => told.push([kind, detail]));";
    const opened = await open(page(t, '<logarium-widget lesson="one-key-two-libraries" speed="100"></logarium-widget>', listen));
    await opened.page.getByRole("button", { name: "Send with Java" }).click();
    await opened.page.waitForFunction(() => told.some(([kind, { step, done }]) => kind === "step" && step === "java" && done));
    await opened.page.getByRole("button", { name: "Next", exact: true }).click();
    await opened.page.getByRole("button", { name: "That is my guess" }).click();
    await opened.page.waitForFunction(() => told.some(([kind, { prediction, correct }]) => kind === "predict" && prediction === "change" && !correct));
    await opened.page.getByRole("button", { name: "Switch to librdkafka" }).click();
    await opened.page.waitForFunction(() => told.some(([kind]) => kind === "complete"));
  });

  await t.test("a terminal and a partition's folder are there when the page asks for them", async () => {
    const opened = await open(page(t, '<logarium-widget lesson="grow-the-topic" panels="terminal shelf"></logarium-widget>'));
    const widget = opened.page.locator("logarium-widget");
    await opened.page.evaluate(() => document.querySelector("logarium-widget").seek(2));
    await widget.locator(".shelf svg").waitFor();
    await widget.getByRole("combobox", { name: "Partition", exact: true }).selectOption("events-2");
    await widget.getByRole("textbox", { name: "Look up offset" }).fill("0");
    await widget.getByRole("textbox", { name: "Look up offset" }).press("Enter");
    await widget.locator(".shelf li", { hasText: "Looking for offset 0" }).first().waitFor({ state: "attached" });
    await widget.getByRole("textbox", { name: "Look up offset" }).fill("99999999");
    await widget.getByRole("textbox", { name: "Look up offset" }).press("Enter");
    await widget.getByText("This replica holds nothing there.").waitFor();
    await widget.getByText(/^Files of events-2: /).click();
    await widget.getByRole("rowheader", { name: "00000000000000000000.log" }).waitFor();
    await widget.locator(".terminal").getByRole("textbox").fill("kafka-topics.sh --bootstrap-server broker1:9092 --list");
    await widget.locator(".terminal").getByRole("textbox").press("Enter");
    await widget.locator(".terminal pre", { hasText: /^events/ }).waitFor();
    await t.assertNoSidewaysScroll(opened);
    await t.screenshot(opened, "terminal-and-shelf");
    await t.assertAccessible(opened);
  });
}
