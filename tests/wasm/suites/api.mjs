// The contract of logarium.d.ts, function by function, in Node and without a page.
// Which partition is right is proved elsewhere; here it is that names, shapes and errors are as promised.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

export const name = "api";

const EVENT_KINDS = ["broker_registered", "topic_created", "leader_elected", "metadata_refreshed", "record_partitioned", "batch_appended"];

export async function run(t) {
  const door = await import(pathToFileURL(`${t.dist}/logarium.js`).href);
  const { assign, clients, explain, lessons, LogariumError, partition, partitionMany, scenarios, Simulation, version } = door;

  // Calls `body` and checks the error that it must throw.
  function refuse(body, code, path) {
    assert.throws(body, (error) => {
      assert.ok(error instanceof LogariumError, `${error}`);
      assert.equal(error.name, "LogariumError");
      assert.equal(error.code, code, error.message);
      if (path !== undefined) assert.equal(error.path, path);
      assert.ok(error.message.length > 10, "the message is a sentence");
      return true;
    });
  }

  await t.test("nothing can be called before init", () => {
    refuse(() => version(), "logarium.not_ready");
    refuse(() => new Simulation("one-key-two-libraries"), "logarium.not_ready");
  });

  await t.test("init takes bytes and can be called twice", async () => {
    await Promise.all([door.default({ wasm: t.bytes }), door.default()]);
    await door.default();
  });

  await t.test("every function of the contract is there, and no other", async () => {
    const types = await readFile(`${t.dist}/logarium.d.ts`, "utf8");
    const declared = [...types.matchAll(/^export (?:function|class) (\w+)/gm)].map(([, found]) => found);
    assert.deepEqual(Object.keys(door).sort(), ["default", ...declared].sort());
    const simulation = types.slice(types.indexOf("export class Simulation"), types.indexOf("/** Wrong input"));
    const members = [...simulation.matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)].map(([, found]) => found);
    for (const member of members) assert.ok(member in Simulation.prototype, member);
    assert.equal(typeof Simulation.fromLink, "function");
  });

  await t.test("version tells three versions", () => {
    assert.deepEqual(Object.keys(version()), ["logarium", "kafka", "link"]);
    assert.equal(version().kafka, "4.3.1");
    assert.equal(typeof version().link, "number");
  });

  await t.test("clients are plain objects with the promised fields", () => {
    const java = clients().find((client) => client.id === "java");
    const fields = ["id", "library", "language", "versions", "partitioner", "default", "keyed", "nullKey", "emptyKey", "note"];
    for (const field of fields) assert.ok(field in java, field);
    assert.equal(Object.getPrototypeOf(java), Object.prototype);
    assert.equal(java.default, true);
  });

  await t.test("keys are text, bytes or null", () => {
    assert.equal(partition("java", "user-1", 12), 8);
    assert.equal(partition("java", new TextEncoder().encode("user-1"), 12), 8);
    assert.equal(partition("java", "", 12), 9);
    assert.equal(partition("java", null, 12), null);
    assert.equal(partition("librdkafka", "", 12), null);
    refuse(() => partition("java", undefined, 12), "key.type", "key");
    refuse(() => partition("java", 42, 12), "key.type", "key");
    refuse(() => partition("jvaa", "user-1", 12), "client.unknown", "client");
    for (const count of [0, -1, 1.5, 2 ** 31, "12", NaN]) {
      refuse(() => partition("java", "user-1", count), "partitions.out_of_range", "partitions");
    }
  });

  await t.test("a client that does not exist is named with the likely one", () => {
    assert.throws(() => partition("librdkafak", "x", 3), (error) => /librdkafka/.test(error.hint));
  });

  await t.test("many keys at once are the same keys one by one", () => {
    const keys = ["user-1", new Uint8Array([0, 255, 7]), "", "größer €uro 😀", "x".repeat(3000)];
    for (const { id } of clients()) {
      const one = keys.map((key) => partition(id, key, 48) ?? -1);
      const many = partitionMany(id, keys, 48);
      assert.ok(many instanceof Int32Array);
      assert.deepEqual([...many], one, id);
    }
    // Enough keys of one length for the vector instructions, and some over.
    for (const length of [3, 4, 8, 13]) {
      const block = Array.from({ length: 150 }, (_, number) => String(number).padStart(length, "k"));
      assert.deepEqual([...partitionMany("java", block, 48)], block.map((key) => partition("java", key, 48)), `${length} bytes`);
    }
    assert.deepEqual([...partitionMany("java", new Set(["a"]), 3)], [partition("java", "a", 3)]);
    assert.equal(partitionMany("java", [], 3).length, 0);
    refuse(() => partitionMany("java", ["a", null], 3), "key.type", "keys[1]");
    refuse(() => partitionMany("java", "abc", 3), "key.type", "keys");
  });

  await t.test("an explanation holds the whole arithmetic", () => {
    const { bytes, ...told } = explain("java", "cust-2", 6);
    assert.deepEqual(bytes, new TextEncoder().encode("cust-2"));
    assert.equal(told.function, "murmur2");
    assert.equal(told.rawHash, -1762245835);
    assert.equal(told.sign, "sign bit cleared");
    assert.equal(told.dividend, 385237813);
    assert.equal(told.modulo, 6);
    assert.equal(told.partition, 1);
    assert.match(told.sentence, /^cust-2 hashes to -1762245835/);
    assert.equal(told.steps.at(0).kind, "start");
    assert.equal(explain("java", null, 6).bytes, null);
    assert.equal(explain("java", null, 6).partition, null);
    assert.match(explain("java", null, 6).reason, /no key/);
  });

  await t.test("every assignor answers as it was recorded", async () => {
    const folder = new URL("../../conformance/assignors/", import.meta.url);
    for (const kind of ["client-range", "client-roundrobin", "client-sticky", "client-cooperative-sticky", "server-uniform", "server-range", "share-simple"]) {
      const text = await readFile(new URL(`${kind}.jsonl`, folder), "utf8");
      const lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line)).filter((line) => !line.owned_gone).slice(0, 150);
      assert.ok(lines.length > 50, kind);
      for (const { id, topics, replica_racks, members, assignment, error } of lines) {
        const result = assign(kind, { topics, replica_racks, members });
        assert.equal(result.error, error ?? null, id);
        if (error) continue;
        for (const member of members) {
          const expected = assignment[member.id] ?? [];
          const flat = Array.isArray(expected)
            ? expected
            : Object.entries(expected).flatMap(([topic, list]) => list.map((partition) => `${topic}-${partition}`));
          assert.deepEqual([...result.assignment[member.id]].sort(), [...flat].sort(), `${id}, ${member.id}`);
        }
      }
    }
  });

  await t.test("assign says who runs the assignor, and what is wrong with its input", () => {
    const input = { topics: { orders: 6 }, members: ["A", "B"].map((id) => ({ id, topics: ["orders"] })) };
    assert.deepEqual(assign("range", input), {
      assignor: "client-range",
      runs: "member",
      assignment: { A: ["orders-0", "orders-1", "orders-2"], B: ["orders-3", "orders-4", "orders-5"] },
      error: null,
    });
    assert.equal(assign("uniform", input).runs, "broker");
    assert.equal(assign("sticky", { topics: {}, members: [] }).error, "java.lang.ArithmeticException: / by zero");
    refuse(() => assign("rang", input), "assignor.unknown", "assignor");
    assert.throws(() => assign("server-X", input), /ServerAssignor X is not supported\. Supported assignors: uniform, range\./);
    refuse(() => assign("range", null), "input.invalid", "input");
    refuse(() => assign("range", { topics: { t: "six" }, members: [] }), "input.invalid", "topics.t");
    refuse(() => assign("range", { ...input, colour: 1 }), "input.unknown_field", "colour");
  });

  await t.test("scenarios and lessons are listed", () => {
    assert.ok(scenarios().some(({ name }) => name === "one-key-two-libraries"));
    assert.ok(lessons().some(({ slug, group }) => slug === "grow-the-topic" && group === "keys-and-partitioners"));
    for (const { name, title } of scenarios()) assert.ok(name && title);
  });

  await t.test("every scenario runs, step by step, forward and back", () => {
    for (const { name } of scenarios()) {
      const simulation = new Simulation(name);
      assert.equal(simulation.now, 0);
      const first = simulation.step();
      assert.equal(typeof first.kind, "string", name);
      assert.ok(first.sentence.length > 0);
      const back = simulation.stepBack();
      assert.equal(back.sequence, first.sequence, "both name the same moment");
      assert.equal(simulation.now, 0);
      simulation.free();
      refuse(() => simulation.now, "simulation.freed");
    }
  });

  await t.test("a run tells its events and its state as plain data", () => {
    const simulation = new Simulation("one-key-two-libraries");
    const count = simulation.advance(2000);
    assert.equal(simulation.now, 2000);
    assert.equal(simulation.end, 2000);
    const events = simulation.events();
    assert.equal(events.length, count);
    for (const kind of EVENT_KINDS) assert.ok(events.some((event) => event.kind === kind), kind);
    assert.deepEqual(events.map(({ index }) => index), events.map((_, place) => place));
    assert.deepEqual(simulation.events({ kinds: ["record_partitioned"], limit: 2 }).map(({ kind }) => kind), Array(2).fill("record_partitioned"));
    const late = simulation.events({ from: 500.5, to: 1000 });
    assert.ok(late.length > 0 && late.every(({ time }) => time >= 500.5 && time <= 1000));
    const snapshot = simulation.snapshot();
    assert.equal(snapshot.time, 2000);
    assert.equal(Object.getPrototypeOf(snapshot.topics[0].configs), Object.prototype, "maps are plain objects");
    const records = snapshot.topics[0].partitions.reduce((sum, each) => sum + each.record_count, 0);
    assert.equal(records, snapshot.producers.reduce((sum, each) => sum + each.acknowledged_count, 0));
    assert.deepEqual(JSON.parse(JSON.stringify(snapshot)), snapshot, "nothing is lost in JSON");
  });

  await t.test("queries that cannot be meant are refused", () => {
    const simulation = new Simulation("one-key-two-libraries");
    refuse(() => simulation.events({ kind: "x" }), "query.unknown_field", "query.kind");
    refuse(() => simulation.events({ kinds: ["record_partitoned"] }), "query.kinds", "query.kinds");
    refuse(() => simulation.events({ kinds: "x" }), "query.kinds");
    refuse(() => simulation.events({ limit: -1 }), "query.limit");
    refuse(() => simulation.events({ from: -1 }), "time.out_of_range", "query.from");
    for (const ms of [-1, NaN, Infinity, "5", undefined]) refuse(() => simulation.seek(ms), "time.out_of_range", "ms");
    refuse(() => simulation.advance(1e15), "time.out_of_range", "ms");
  });

  await t.test("acting in the past forks, and the old future can be opened", () => {
    const simulation = new Simulation("one-key-two-libraries");
    simulation.advance(0);
    const [{ name: topic, partitions }] = simulation.snapshot().topics;
    simulation.advance(2000);
    const before = simulation.traceHash();
    simulation.seek(700);
    const grow = { do: "create_partitions", topic, partitions: partitions.length + 3 };
    const outcome = simulation.act(grow);
    assert.equal(outcome.command, 0);
    assert.ok(["pending", "done"].includes(outcome.status), outcome.status);
    simulation.advance(1300);
    assert.notEqual(simulation.traceHash(), before);
    const [branch] = simulation.branches();
    assert.equal(branch.end.time, 2000);
    simulation.openBranch(branch.id);
    simulation.seek(2000);
    assert.equal(simulation.traceHash(), before);
    assert.equal(simulation.undo(), false);
    refuse(() => simulation.openBranch(99), "branch.unknown");
  });

  await t.test("an error of Kafka is a value", () => {
    const simulation = new Simulation("one-key-two-libraries");
    simulation.advance(100);
    const [{ name: topic }] = simulation.snapshot().topics;
    simulation.act({ do: "create_partitions", topic, partitions: 1 });
    simulation.advance(1000);
    const [finished] = simulation.events({ kinds: ["command_finished"] });
    assert.equal(finished.outcome.status, "failed");
    assert.equal(finished.outcome.error.error, "INVALID_PARTITIONS");
    assert.equal(finished.outcome.error.exception, "InvalidPartitionsException");
  });

  await t.test("a wrong command is named with its field", () => {
    const simulation = new Simulation("one-key-two-libraries");
    refuse(() => simulation.act({ do: "explode" }), "command.unknown", "do");
    refuse(() => simulation.act({ do: "flush", producer: "p", colour: 1 }), "command.unknown_field", "colour");
    refuse(() => simulation.act({ do: "flush" }), "command.missing_field", "producer");
    refuse(() => simulation.act({ do: "flush", producer: "nobody" }), "command.unknown_producer");
    refuse(() => simulation.act("flush"), "command.invalid");
    const circle = {};
    circle.self = circle;
    refuse(() => simulation.act(circle), "command.invalid");
  });

  await t.test("a scenario as data runs, and a wrong one is named with its path", () => {
    const data = { name: "mine", topic: [{ name: "t", partitions: 2 }], producer: [{ name: "p", workload: { topic: "t", keys: ["a", "b"], every: "1 ms" } }] };
    const simulation = new Simulation(data, { seed: 3 });
    simulation.advance(1000);
    assert.equal(simulation.snapshot().producers[0].acknowledged_count, 2);
    const broken = structuredClone(data);
    broken.topic[0].partition = 3;
    assert.throws(() => new Simulation(broken), (error) => error instanceof LogariumError && /partition/.test(error.message));
    refuse(() => new Simulation("one-key-two-librarys"), "scenario.unknown", "scenario");
    refuse(() => new Simulation(null), "scenario.invalid");
    refuse(() => new Simulation(data, { seeds: 1 }), "options.unknown_field", "options.seeds");
    refuse(() => new Simulation(data, { seed: -1 }), "options.seed", "options.seed");
  });

  await t.test("a link holds a run exactly", () => {
    const simulation = new Simulation("one-key-two-libraries", { seed: 5 });
    simulation.advance(900);
    const [{ name: topic, partitions }] = simulation.snapshot().topics;
    simulation.act({ do: "create_partitions", topic, partitions: partitions.length * 2 });
    simulation.advance(1500);
    const link = simulation.link();
    const copy = Simulation.fromLink(link);
    assert.equal(copy.now, simulation.now);
    assert.equal(copy.traceHash(), simulation.traceHash());
    assert.deepEqual(copy.snapshot(), simulation.snapshot());
    assert.equal(copy.link(), link);
    const middle = Math.floor(link.length / 2);
    const changed = link.slice(0, middle) + (link[middle] === "A" ? "B" : "A") + link.slice(middle + 1);
    assert.throws(() => Simulation.fromLink(changed), (error) => /^link\./.test(error.code));
    assert.throws(() => Simulation.fromLink(link.slice(0, middle)), (error) => /^link\./.test(error.code));
    assert.throws(() => Simulation.fromLink(""), (error) => /^link\./.test(error.code));
  });

  await t.test("the picture is a document of its own", () => {
    const simulation = new Simulation("one-key-two-libraries");
    simulation.advance(1500);
    const picture = simulation.svg();
    assert.match(picture, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    assert.doesNotMatch(picture, /var\(|href|<script|<style/);
  });

  await t.test("the console prints what Kafka prints", () => {
    const simulation = new Simulation("one-key-two-libraries");
    simulation.advance(100);
    const [{ name: topic }] = simulation.snapshot().topics;
    const described = simulation.console(`kafka-topics.sh --bootstrap-server broker1:9092 --describe --topic ${topic}`);
    assert.equal(described.exit, 0, described.stderr);
    assert.match(described.stdout, new RegExp(`^Topic: ${topic}\\tTopicId: `));
    const unknown = simulation.console("kafka-nonsense.sh");
    assert.notEqual(unknown.exit, 0);
  });
}
