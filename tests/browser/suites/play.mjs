// The playground as people use it: build from nothing, edit, run, act, compare, share, files, terminal; by keyboard too.
// What Kafka does is tested beside the engine.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { stepUntil } from "../stage.mjs";

export const name = "playground";

const LOOKS = [
  ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1440, height: 900 } }],
  ["768", { viewport: { width: 768, height: 1024 } }],
  ["375-dark", { colorScheme: "dark", viewport: { width: 375, height: 800 }, hasTouch: true }],
  ["320", { viewport: { width: 320, height: 640 }, hasTouch: true }],
  ["forced-colors", { forcedColors: "active" }],
];

export async function run(t) {
  const holds = (field, expected) => t.eventually(async () => assert.match(await field.inputValue(), expected));
  const focus = (element, is) => t.eventually(async () => assert.equal(await element.evaluate((one) => one === document.activeElement), is));
  const open = async (address = "#/play", options = {}) => {
    const opened = await t.open(address, options);
    await opened.page.locator(".play").waitFor();
    return opened;
  };

  for (const [look, options] of LOOKS) {
    await t.test(`is accessible and quiet, empty and with a form open (${look})`, async () => {
      const opened = await open("#/play", options);
      await t.assertNoSidewaysScroll(opened);
      await t.assertAccessible(opened);
      await t.screenshot(opened, `empty-${look}`);
      await opened.page.getByRole("button", { name: /^A topic about to grow/ }).click();
      await item(opened.page, "orders-service").click();
      await opened.page.getByText("Producer settings").click();
      await opened.page.getByRole("button", { name: "Producers", exact: true }).click();
      await opened.page.locator(".act-form").waitFor();
      await t.assertNoSidewaysScroll(opened);
      await t.assertAccessible(opened);
      await t.screenshot(opened, `forms-${look}`);
    });
  }

  await t.test("starts empty and is built step by step", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: "Add a topic" }).first().click();
    await page.getByText("events is there, and nobody writes to it.").waitFor();
    await page.getByRole("button", { name: "Add a producer" }).first().click();
    await item(page, "service").waitFor();
    await page.locator("svg.scene", { hasText: "events-2" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await item(page, "service").waitFor({ state: "detached" });
    await item(page, "events").waitFor();
  });

  await t.test("edits the set-up and keeps what cannot be used, with the client's own words", async () => {
    const { page } = await open("#/play?scenario=grow-the-topic");
    await item(page, "orders-service").click();
    await page.getByText("Producer settings").click();
    const linger = page.getByLabel("linger.ms", { exact: true });
    await linger.fill("abc");
    await linger.press("Enter");
    const error = page.locator(".config-rows .field-error");
    await error.getByText("Invalid value abc for configuration linger.ms: Not a number of type LONG").waitFor();
    await holds(linger, /^abc$/);
    await linger.fill("20");
    await linger.press("Enter");
    await error.waitFor({ state: "detached" });
    await page.getByText("Producer settings (1 set)").waitFor();
    const found = page.getByLabel(/^Find \(/);
    await found.fill("sarama");
    await page.getByLabel("Client library").selectOption("sarama");
    await page.locator("svg.scene", { hasText: /Sarama/i }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Client library").waitFor({ state: "detached" });
  });

  await t.test("adds, changes and removes brokers and readers", async () => {
    const { page } = await open("#/play?scenario=one-key-two-libraries");
    await page.getByRole("button", { name: "Add a broker" }).click();
    await page.getByLabel("broker.rack").fill("a");
    await page.getByLabel("broker.rack").press("Enter");
    await item(page, "rack a").waitFor();
    await page.getByRole("button", { name: "Remove Broker 1" }).click();
    await item(page, "rack a").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add a reader" }).click();
    await page.locator("svg.scene", { hasText: "reader" }).waitFor();
  });

  await t.test("grows a topic with one click, and an act in the past sets the future aside", async () => {
    const { page } = await open("#/play?scenario=one-key-two-libraries");
    for (let step = 0; step < 12; step += 1) await page.keyboard.press("ArrowRight");
    await page.getByRole("button", { name: "Grow events to 6" }).click();
    await page.locator("svg.scene", { hasText: "events-5" }).waitFor();
    await page.getByRole("button", { name: "Rewind" }).click();
    await page.getByRole("button", { name: "Grow events to 6" }).click();
    await page.getByRole("heading", { name: "Futures set aside" }).waitFor();
    await page.getByRole("button", { name: /^Reopen/ }).click();
    await page.getByRole("button", { name: "Undo" }).click();
  });

  await t.test("sends a record, and says beside the button what does not fit", async () => {
    const { page } = await open("#/play?scenario=one-key-two-libraries");
    await page.getByRole("button", { name: "Send a record" }).click();
    await page.getByLabel("Key", { exact: true }).fill("not a number");
    await page.getByRole("combobox", { name: "as", exact: true }).selectOption("int32");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".act-form .field-error").waitFor();
    await page.getByLabel("Key", { exact: true }).fill("42");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".act-form .field-error").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "What you did" }).waitFor();
  });

  await t.test("tells what a key in two partitions breaks once a topic has grown", async () => {
    const { page } = await open("#/play?scenario=one-key-two-libraries");
    await page.getByRole("button", { name: "Grow to …" }).click();
    await page.getByLabel("Partitions", { exact: true }).fill("5");
    await page.getByLabel("Partitions", { exact: true }).press("Enter");
    await page.locator("svg.scene", { hasText: "events-4" }).waitFor();
    await page.getByRole("button", { name: "Send a record" }).click();
    for (const partition of ["0", "3"]) {
      await page.getByLabel("Partition", { exact: true }).fill(partition);
      await page.getByRole("button", { name: "Send", exact: true }).click();
    }
    await page.keyboard.press("Escape");
    await stepUntil(page, page.getByRole("heading", { name: "What this breaks" }));
  });

  await t.test("restarts a producer with another client", async () => {
    const { page } = await open("#/play?scenario=one-key-two-libraries");
    await page.getByRole("button", { name: "Producers", exact: true }).click();
    await page.getByText("Restart it with another client or other settings").click();
    await page.locator(".act-form").getByLabel("Client library").selectOption("librdkafka");
    await page.getByRole("button", { name: "Restart it now" }).click();
    await page.locator("svg.scene", { hasText: "librdkafka" }).waitFor();
  });

  await t.test("compares with one difference and counts the keys that land elsewhere", async () => {
    const opened = await open("#/play?scenario=one-key-two-libraries");
    const { page } = opened;
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByLabel("Client of the second side").selectOption("librdkafka");
    await page.locator(".sides-2").waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Client of the second side").waitFor({ state: "detached" });
    await stepUntil(page, page.getByText("3 of 4 keys land elsewhere"));
    await t.assertAccessible(opened);
    await t.screenshot(opened, "compare");
  });

  await t.test("shares what was built as a link that opens again", async () => {
    const opened = await open("#/play?scenario=one-key-two-libraries");
    await opened.page.getByRole("button", { name: "Grow events to 6" }).click();
    await opened.page.locator(".said", { hasText: "You asked for 6 partitions of events." }).waitFor();
    await opened.page.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { globalThis.copied = text; } } });
    });
    await opened.page.getByRole("button", { name: "Copy link" }).click();
    await opened.page.getByText("Link copied.").waitFor();
    const link = await opened.page.evaluate(() => globalThis.copied);
    assert.match(link, /#\/s\/[\w-]+$/);
    const again = await open(`#/play?link=${link.split("/s/")[1]}`);
    await again.page.locator("svg.scene", { hasText: "events-5" }).waitFor();
    await again.page.getByRole("heading", { name: "What you did" }).waitFor();
  });

  await t.test("goes on where it was left, and from a lesson's present state", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: /^One hot key/ }).click();
    await item(page, "orders-service").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Go on where you left off" }).click();
    await item(page, "orders-service").waitFor();
    const lesson = await t.open("#/learn/one-key-two-libraries");
    await lesson.page.getByRole("link", { name: "Open in the playground" }).click();
    await item(lesson.page, "orders-service").waitFor();
  });

  await t.test("says what is wrong with a broken link", async () => {
    const { page } = await t.open("#/play?link=AAAA");
    await page.getByRole("heading", { name: "This cannot be opened" }).waitFor();
  });

  await t.test("saves a scenario file and opens it, and shows a broken one with its line", async () => {
    const { page } = await open("#/play?scenario=grow-the-topic");
    await page.getByRole("button", { name: "File", exact: true }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as TOML" }).click()]);
    const text = await readFile(await download.path(), "utf8");
    assert.match(text, /name = "grow-the-topic"/);
    const file = (content) => ({ name: "mine.toml", mimeType: "text/plain", buffer: Buffer.from(content) });
    await page.locator("input[type=file]").setInputFiles(file(text.replaceAll("orders-service", "my-service")));
    await item(page, "my-service").waitFor();
    await page.locator("input[type=file]").setInputFiles(file(text.replace("client =", "cleint =")));
    const dialog = page.getByRole("dialog", { name: "The set-up as text" });
    await dialog.getByText(/"cleint" is not a field here\. Did you mean "client"\?/).waitFor();
    await dialog.getByRole("button", { name: /^Go to line/ }).click();
    const area = dialog.getByRole("textbox");
    const chosen = () => area.evaluate((field) => field.value.slice(field.selectionStart, field.selectionEnd));
    await t.eventually(async () => assert.match(await chosen(), /cleint/));
    await area.fill(text.replaceAll("orders-service", "third-service"));
    await dialog.getByRole("button", { name: "Apply" }).click();
    await item(page, "third-service").waitFor();
  });

  await t.test("takes a file that is dropped on the page", async () => {
    const { page } = await open();
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['name = "dropped"\n[[topic]]\nname = "from-a-file"\n'], "dropped.toml"));
      return data;
    });
    await page.dispatchEvent(".play", "drop", { dataTransfer: transfer });
    await item(page, "from-a-file").waitFor();
  });

  await t.test("runs Kafka's command lines with completion and history, and lets the keyboard out", async () => {
    const { page } = await open("#/play?scenario=one-key-two-libraries");
    await page.getByRole("tab", { name: "Terminal" }).click();
    const line = page.getByLabel("Command line");
    await line.fill("kafka-to");
    await line.press("Tab");
    await holds(line, /^kafka-topics\.sh $/);
    await line.pressSequentially("--alter --topic events --partitions 2");
    await line.press("Enter");
    await page.locator(".console pre", { hasText: "Error while executing topic command" }).waitFor();
    await line.fill("help");
    await line.press("Enter");
    await page.getByText("kafka-topics.sh --help").waitFor();
    await line.press("ArrowUp");
    await line.press("ArrowUp");
    await holds(line, /--partitions 2$/);
    await line.press("Escape");
    await line.press("Tab");
    await focus(line, false);
  });

  await t.test("gives a broker its place, its settings and its limits, and refuses what Kafka refuses", async () => {
    const { page } = await open("#/play?scenario=one-key-two-libraries");
    await page.getByRole("button", { name: "Add a broker" }).click();
    await fill(page, "Bytes a second that it can send", "50");
    await page.locator(".field-error", { hasText: "is not a size" }).waitFor();
    await holds(page.getByLabel("Bytes a second that it can send"), /^50$/);
    await fill(page, "Bytes a second that it can send", "50 MB");
    await item(page, "50 MB/s").waitFor();
    await page.getByText("Its own server.properties").click();
    await fill(page, "num.partitions", "many");
    await page.locator(".field-error", { hasText: "Not a number of type INT" }).waitFor();
    await item(page, "Network, seed, cluster").click();
    await page.getByRole("radio", { name: "Off", exact: true }).check({ force: true });
    await fill(page, "Without a controller after its loss", "2 s");
    await item(page, "2 s without a controller").waitFor();
  });

  await t.test("places replicas by hand and fills partitions", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: "Add a topic" }).first().click();
    await item(page, "events").click();
    await page.getByRole("button", { name: "Place replicas by hand" }).click();
    const lines = page.getByLabel("Brokers of each partition, the preferred leader first");
    await lines.fill("0: 1,2\n1: 9");
    await lines.blur();
    await page.locator(".setup .field-error").waitFor();
    await holds(lines, /1: 9$/);
    await lines.fill("0: 3,1\n1: 2,3");
    await lines.blur();
    await item(page, "2 partitions, 2 replicas").waitFor();
    await page.getByText("What it holds at time 0").click();
    await page.getByRole("button", { name: "Fill a partition" }).click();
    await item(page, "2 partitions, 2 replicas, filled").waitFor();
    await describe(page, /Partition: 0\s+Leader: 3\s+Replicas: 3,1/);
  });

  await t.test("kills a broker, sees who leads, and starts it again", async () => {
    const { page } = await cluster(open);
    await act(page, "Brokers");
    await choose(page, "Broker", "1");
    await page.getByRole("button", { name: "Kill", exact: true }).click();
    await said(page, "You killed broker 1.");
    await page.getByRole("button", { name: "Start", exact: true }).waitFor();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await said(page, "You started broker 1.");
    await page.getByRole("button", { name: "Hold its fetches" }).click();
    await page.getByRole("button", { name: "Fetch once" }).click();
    await page.getByRole("button", { name: "Release its fetches" }).click();
    await fill(page, "Its disk needs, for one Produce request", "20 ms");
    await said(page, "Broker 1 now needs 20 ms");
  });

  await t.test("cuts, slows and heals a link between any two nodes", async () => {
    const { page } = await cluster(open);
    await act(page, "Links");
    await choose(page, "Between", "broker-2");
    await choose(page, "and", "orders-service");
    await page.getByRole("button", { name: "Cut the link" }).click();
    await page.getByText("The link between broker 2 and orders-service is cut.").first().waitFor();
    await page.getByRole("button", { name: "Slow the link" }).click();
    await page.getByText("The link between broker 2 and orders-service is slower by 200 ms.").first().waitFor();
    await page.getByRole("button", { name: "Heal the link between broker 2 and orders-service" }).click();
    await page.getByText("All links are whole.").first().waitFor();
  });

  await t.test("shows Kafka's refusals with name and text, for each partition", async () => {
    const { page } = await cluster(open);
    await act(page, "Partitions");
    await page.getByRole("button", { name: "Elect its preferred leader" }).click();
    await said(page, "events-0: ELECTION_NOT_NEEDED");
    await page.getByText("Move the replicas of events").click();
    const lines = page.getByLabel("Brokers of each partition, the preferred leader first");
    await lines.fill("0: 1,9");
    await page.getByRole("button", { name: "Move them now" }).click();
    await said(page, "events-0: INVALID_REPLICA_ASSIGNMENT");
    await holds(lines, /^0: 1,9$/);
    await fill(page, "Delete records below offset (-1: all)", "9999");
    await said(page, "OFFSET_OUT_OF_RANGE");
    await page.getByRole("button", { name: "Close the active segment" }).click();
    await said(page, "You closed the active segment of events-0.");
  });

  await t.test("changes settings at run time, with the broker's own words for what it does not take", async () => {
    const { page } = await cluster(open);
    await act(page, "Settings");
    await page.getByLabel("Find a setting of topics").fill("retention.ms");
    await fill(page, "retention.ms", "soon");
    await page.locator(".act-form .field-error", { hasText: "INVALID_CONFIG" }).waitFor();
    await fill(page, "retention.ms", "60000");
    await page.locator(".act-form .field-error").waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Configs" }).click();
    await page.locator(".configs tr", { hasText: "retention.ms" }).getByText("DYNAMIC_TOPIC_CONFIG").waitFor();
  });

  await t.test("stops a reader and sends it back", async () => {
    const { page } = await cluster(open);
    await act(page, "Readers");
    await page.getByRole("button", { name: "Stop polling" }).click();
    await said(page, "You stopped console.");
    await page.getByRole("button", { name: "Poll again" }).click();
    await choose(page, "Partition", "events-2");
    await fill(page, "Its next offset", "1");
    await said(page, "You sent console to offset 1 of events-2.");
  });

  await t.test("builds the cluster of pasted output and names the lines that it cannot read", async () => {
    const opened = await open();
    const { page } = opened;
    await page.getByRole("button", { name: "Paste real output" }).click();
    const dialog = page.getByRole("dialog", { name: "Paste real output" });
    const text = [
      "Topic: payments\tTopicId: wmyzg8tZRB2NWMlDCjHHAQ\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: retention.ms=60000",
      "\tTopic: payments\tPartition: 0\tLeader: 4\tReplicas: 4,7\tIsr: 4,7",
      "something else",
      "\tTopic: payments\tPartition: 1\tLeader: 7\tReplicas: 7,4\tIsr: 7",
    ].join("\n");
    await dialog.getByRole("textbox").fill(text);
    await dialog.getByText("kafka-topics.sh --describe: 1 topic, 2 partitions, brokers 4, 7.").waitFor();
    await dialog.getByRole("row", { name: /^3 something else/ }).waitFor();
    await dialog.getByText("payments-1 is under-replicated").waitFor();
    await t.assertAccessible(opened);
    await t.screenshot(opened, "paste");
    await dialog.getByRole("button", { name: "Build this cluster" }).click();
    await item(page, "payments").waitFor();
    await describe(page, /Partition: 0\s+Leader: 4\s+Replicas: 4,7/);
    await page.getByRole("button", { name: "Paste real output" }).click();
    await holds(dialog.getByRole("textbox"), /something else/);
  });

  await t.test("types records into a producer and keeps files for the tools", async () => {
    const { page } = await cluster(open);
    await page.getByRole("tab", { name: "Terminal" }).click();
    const line = page.getByLabel("Command line");
    const enter = async (text) => { await line.fill(text); await line.press("Enter"); };
    await enter("kafka-console-producer.sh --bootstrap-server localhost:19092 --topic events --reader-property parse.key=true --reader-property key.separator=:");
    await enter("user-1:hello");
    await page.locator(".console-reading", { hasText: "user-1:hello" }).waitFor();
    await page.getByRole("button", { name: "End the input" }).click();
    await page.locator(".console pre", { hasText: ">user-1:hello" }).waitFor();
    await page.getByText(/^Files \(/).click();
    await page.getByRole("button", { name: "New file" }).click();
    await page.getByRole("button", { name: "Fill in the replicas as they are" }).click();
    await holds(page.getByLabel("Content of plan.json"), /"topic":"events"/);
    await line.fill("kafka-reassign-partitions.sh --bootstrap-server localhost:19092 --verify --reassignment-json-file pl");
    await line.press("Tab");
    await holds(line, /plan\.json $/);
    await line.press("Enter");
    await page.locator(".console pre", { hasText: "Reassignment of partition events-0 is completed." }).waitFor();
  });

  await t.test("inspects a partition: sets, replicas, settings, and the way to an offset", async () => {
    const opened = await cluster(open);
    const { page } = opened;
    await page.locator("svg.scene [data-id='partition:events-0'] text").first().click();
    const inspector = page.getByRole("region", { name: "Inspector" });
    await inspector.getByText("in-sync replicas").waitFor();
    await inspector.getByRole("region", { name: "The log of each replica" }).waitFor();
    await fill(page, "Look up offset", "0");
    await inspector.locator("svg.scene", { hasText: "00000000000000000000" }).waitFor();
    await page.getByRole("tab", { name: "Metrics" }).click();
    await page.getByRole("row", { name: /^UnderReplicatedPartitions/ }).waitFor();
    await t.assertAccessible(opened);
    await t.screenshot(opened, "metrics");
  });

  await t.test("is used by keyboard alone: a form opens, Escape closes it and gives the focus back", async () => {
    const { page } = await open("#/play?scenario=one-key-two-libraries");
    const send = page.getByRole("button", { name: "Send a record" });
    await send.focus();
    await page.keyboard.press("Enter");
    await page.locator(".act-form :focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".act-form").waitFor({ state: "detached" });
    await focus(send, true);
    const text = page.getByRole("button", { name: "Edit as text" });
    await text.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "The set-up as text" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "The set-up as text" }).waitFor({ state: "hidden" });
    await focus(text, true);
  });
}

// The row of an item of the set-up.
function item(page, text) {
  return page.locator("button.item", { hasText: text }).first();
}

// A cluster of three brokers whose topic has three replicas, a producer and a reader, two seconds after its start.
async function cluster(open) {
  const opened = await open();
  await opened.page.getByRole("button", { name: /^A topic about to grow/ }).click();
  await item(opened.page, "orders-service").waitFor();
  for (let step = 0; step < 60; step += 1) await opened.page.keyboard.press("ArrowRight");
  return opened;
}

// Opens a form of the acts.
async function act(page, name) {
  await page.locator(`[data-act="${name}"]`).click();
  await page.locator(".act-form").waitFor();
}

// Chooses from a menu of the open form.
async function choose(page, label, value) {
  await page.locator(".act-form").getByRole("combobox", { name: label, exact: true }).selectOption(value);
}

// Takes a text over into a field.
async function fill(page, label, text) {
  const field = page.getByLabel(label, { exact: true });
  await field.fill(text);
  await field.press("Enter");
}

// What the bench says about the last act.
async function said(page, text) {
  await page.locator(".said", { hasText: text }).waitFor();
}

// What kafka-topics.sh says about the topics.
async function describe(page, expected) {
  await page.getByRole("tab", { name: "Describe" }).click();
  await page.locator(".deck .terminal pre", { hasText: expected }).first().waitFor();
}
