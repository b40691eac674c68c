// Types of logarium.js: the JavaScript API and the element `<logarium-widget>`.
// Documentation stands beside each name; how things behave inside Kafka is not explained here.
//
// Names of fields are Kafka's own in snake_case, except in the two types that describe clients (ClientInfo, Explanation).
// Times are milliseconds of simulated time, exact to the microsecond. Values are plain objects.

/** Loads what the functions need; later calls wait for the first. After a crash it starts afresh. The widget calls nothing of this: it loads by itself. */
export default function init(options?: {
  /** The module, if it does not lie beside this script: its URL, or its bytes. */
  wasm?: URL | string | BufferSource;
}): Promise<void>;

/** Versions of this program, of the Apache Kafka that it simulates, and of the share links that it writes. */
export function version(): { logarium: string; kafka: string; link: number };

/** Every client library whose rule is known. Ids never change their meaning. */
export function clients(): ClientInfo[];

/**
 * The partition that a client derives from a key, or null if it does not derive it from the key (no key, or a client that
 * ignores keys). A string is its UTF-8 bytes.
 * @throws LogariumError `client.unknown`, `key.type`, `partitions.out_of_range`
 */
export function partition(client: string, key: Uint8Array | string | null, partitions: number): number | null;

/** The same with the whole arithmetic. */
export function explain(client: string, key: Uint8Array | string | null, partitions: number): Explanation;

/** The partition of each key, -1 where `partition` answers null. Much faster than one call per key. */
export function partitionMany(client: string, keys: Iterable<Uint8Array | string>, partitions: number): Int32Array;

/** The scenarios that `new Simulation(name)` takes. */
export function scenarios(): { name: string; title: string }[];

/** The lessons that the widget takes. */
export function lessons(): { slug: string; title: string; group: string }[];

/** One client library with one of its partitioners. */
export interface ClientInfo {
  id: string;
  /** A short label. */
  name: string;
  library: string;
  language: string;
  versions: string;
  /** The class, function or setting. */
  partitioner: string;
  /** Whether a program that configures nothing gets it. */
  default: boolean;
  /** What happens to a record with a key, without one, and with a key of 0 bytes. */
  keyed: string;
  nullKey: string;
  emptyKey: string;
  note: string;
  /** Variants of one library share it. */
  family: string;
}

/** Why a key lands where it lands. */
export interface Explanation {
  client: string;
  /** The key; null for none. */
  bytes: Uint8Array | null;
  partitions: number;
  /** The hash function; null if the key was not hashed. So are `rawHash`, `sign`, `dividend` and `remainder`. */
  function: string | null;
  /** As the client reads it: signed or unsigned. A digest of more than 32 bits is text in hex. */
  rawHash: number | string | null;
  /** The treatment of the sign, in words. */
  sign: string | null;
  /** The number that is divided; null for a digest. */
  dividend: number | null;
  /** What it is divided by: the partition count. */
  modulo: number;
  /** Before a last correction of its sign. */
  remainder: number | null;
  partition: number | null;
  /** The states of the hash function: at most 256, for murmur2, crc32 and fnv1a. */
  steps: { kind: "start" | "word" | "byte" | "tail" | "finish"; offset: number; input: number; state: number }[];
  /** Why the key was not hashed; null if it was. */
  reason: string | null;
  /** All of it in one sentence. */
  sentence: string;
}

/** A cluster that runs in simulated time, forward and back. Equal scenarios, seeds and commands give equal runs. */
export class Simulation {
  /**
   * By the name of a scenario, or from data.
   * @throws LogariumError with the path of what is wrong, such as `scenario.unknown_field` at `topic[0].partition`
   */
  constructor(scenario: string | Scenario, options?: { seed?: number });
  /** @throws LogariumError `link.broken`, `link.checksum`, `link.version`, `link.scenario` */
  static fromLink(link: string): Simulation;
  /** Simulated milliseconds. */
  readonly now: number;
  /** How far this branch has been run. */
  readonly end: number;
  /** Acts now. Before `end` the future is set aside as a branch. Errors of Kafka are in the outcome. */
  act(command: Command): Outcome;
  /** Runs on; the number of events. */
  advance(ms: number): number;
  /** Goes on until something happens; null if nothing is left. */
  step(): Event | null;
  /** Goes back to before the last thing that happened; null at the start. */
  stepBack(): Event | null;
  /** Goes to a time, back or forward: the state after the last event at it. */
  seek(ms: number): void;
  /** What has happened up to now, oldest first; 10,000 events unless `limit` says otherwise. */
  events(query?: { from?: number; to?: number; kinds?: Event["kind"][]; limit?: number }): Event[];
  /** The state now. */
  snapshot(): Snapshot;
  /** Runs a Kafka command line, which takes simulated time. */
  console(line: string): { exit: number; stdout: string; stderr: string };
  /** Takes back the last command; false if there is none. */
  undo(): boolean;
  /** Futures that were set aside, oldest first. */
  branches(): Branch[];
  /** Goes on with one of them; the present future is set aside in turn. */
  openBranch(id: number): void;
  /** The share link of now: exact, versioned, checksummed. */
  link(): string;
  /** 16 hex digits, equal for equal runs, native and wasm. */
  traceHash(): string;
  /** The picture at `now`, as a document that stands by itself. */
  svg(): string;
  /** Gives the memory back; nothing can be called afterwards. */
  free(): void;
}

/** Wrong input, never an error of Kafka. */
export class LogariumError extends Error {
  /** Stable, such as `client.unknown`, `link.checksum` or `command.unknown_field`. */
  code: string;
  /** Where inside the input. */
  path?: string;
  /** What to do; the message says it too. */
  hint?: string;
}

/** An error of Kafka, as a value. */
export interface KafkaError {
  /** The protocol's name, such as `INVALID_PARTITIONS`. */
  error: string;
  /** The Java client's class without its package; may be empty. */
  exception: string;
  message: string;
}

/** What exists at time 0. Durations are text with a unit ("500 ms"); settings are text under Kafka's own names. */
export interface Scenario {
  name: string;
  kafka?: "4.3.1";
  seed?: number;
  duration?: string;
  cluster?: {
    brokers?: number | { id: number; rack?: string; produce_time?: string }[];
    placement?: number;
    configs?: Record<string, string>;
    /** Who coordinates a transactional id or a group, by broker id. */
    coordinators?: Record<string, number>;
    /** The first producer id that a broker gives out; 0 by default. */
    first_producer_id?: number;
  };
  topic?: {
    name: string;
    partitions?: number;
    replication_factor?: number;
    assignment?: number[][];
    configs?: Record<string, string>;
  }[];
  producer?: Producer[];
  consumer?: { name: string; assign: string[]; behind?: number; configs?: Record<string, string> }[];
  network?: { delay?: string };
}

/** A producer: one instance of a client library. */
export interface Producer {
  name: string;
  /** An id of the catalogue; `java` by default. */
  client?: string;
  configs?: Record<string, string>;
  workload?: Workload;
  metadata_age?: string;
  random_start?: number;
}

/** A stream of records. */
export interface Workload {
  topic: string;
  keys?: string[];
  key_pattern?: { prefix: string; first?: number; count: number };
  key_encoding?: string;
  values?: string[];
  value?: string;
  value_size?: number;
  partition?: number;
  every?: string;
  burst?: number;
  start?: string;
  count?: number;
  skew_percent?: number;
}

/** What may be done to a running cluster. */
export type Command =
  | { do: "create_topic"; topic: string; partitions?: number; replication_factor?: number; assignment?: number[][]; configs?: Record<string, string> }
  | { do: "create_partitions"; topic: string; partitions: number; assignment?: number[][] }
  | { do: "delete_topic"; topic: string }
  | ({ do: "producer" } & Producer)
  | { do: "send"; producer: string; topic: string; key?: string; key_encoding?: string; value?: string; partition?: number }
  | { do: "flush"; producer: string }
  | { do: "close"; producer: string }
  | { do: "set_workload"; producer: string; workload?: Workload }
  | { do: "disconnect"; producer: string };

/** What came of a command. */
export interface Outcome {
  /** Its number on this branch, from 0. */
  command: number;
  /** Pending: the answer needs simulated time; an event `command_finished` will tell. */
  status: "pending" | "done" | "failed";
  record?: { topic: string; partition: number; offset: number | null };
  error?: KafkaError;
}

/** A future that was set aside. */
export interface Branch {
  id: number;
  forked: Moment;
  end: Moment;
  command_count: number;
}

/** A point of a run: many things can happen at one time. */
export interface Moment {
  time: number;
  sequence: number;
}

/** Something that takes part. */
export type Node =
  | { node: "controller" }
  | { node: "broker"; id: number }
  | { node: "producer" | "consumer"; name: string }
  | { node: "admin" };

/** A fact in the past tense. `kind` says which fields it has beside these. */
export type Event = Moment & {
  /** Its place in the trace, from 0. */
  index: number;
  /** The event that led to it. */
  cause?: number;
  /** The fact in plain words. */
  sentence: string;
} & EventKind;

export type EventKind =
  | { kind: "broker_registered"; broker: number }
  | { kind: "topic_created"; topic: string; partitions: number; replication_factor: number }
  | { kind: "partitions_created"; topic: string; before: number; after: number }
  | { kind: "topic_deleted"; topic: string }
  | { kind: "leader_elected"; topic: string; partition: number; leader: number; leader_epoch: number }
  | { kind: "producer_started"; producer: string; client: string }
  | { kind: "producer_closed"; producer: string }
  | { kind: "metadata_refreshed"; client: Node; reason: "first_use" | "age" | "error"; topics: [string, number][] }
  | {
      kind: "record_partitioned";
      record: KafkaRecord;
      producer: string;
      topic: string;
      partition: number;
      decision: Decision;
      /** The count that the client knew. */
      partitions: number;
      opened_batch: boolean;
      batch_size_bytes: number;
      /** Where the same key went before, if it was another partition. */
      moved_from?: number;
    }
  | { kind: "sticky_partition_switched"; producer: string; topic: string; before: number; after: number; records: number; bytes: number }
  | { kind: "message_sent" | "message_arrived" | "message_lost"; message: Message }
  | ({ kind: "batch_appended"; broker: number; base_offset: number } & Batch)
  | ({ kind: "duplicate_ignored"; broker: number; base_offset: number } & Batch)
  | { kind: "high_watermark_advanced"; topic: string; partition: number; high_watermark: number }
  | ({ kind: "batch_acknowledged"; producer: string; base_offset: number | null } & Batch)
  | ({ kind: "batch_retried"; producer: string; error: KafkaError } & Batch)
  | { kind: "send_failed"; producer: string; records: KafkaRecord[]; error: KafkaError }
  | { kind: "records_read"; consumer: string; topic: string; partition: number; first_offset: number; records: KafkaRecord[] }
  | { kind: "command_applied"; number: number; command: Command }
  | { kind: "command_finished"; outcome: Outcome }
  | { kind: "warned"; client: Node; text: string };

/** Why a record goes to its partition. */
export type Decision =
  | { rule: "explicit" }
  | { rule: "hashed"; explanation: unknown }
  | { rule: "keyless"; partitions: number; produced_bytes: number; threshold_bytes: number };

export interface KafkaRecord {
  id: { producer: number; number: number };
  producer: string;
  /** The key's bytes in hex; null for no key. */
  key: string | null;
  key_text: string | null;
  value: string | null;
  value_size: number;
  timestamp: number;
  command?: number;
}

export interface Batch {
  topic: string;
  partition: number;
  records: KafkaRecord[];
  size_bytes: number;
}

/** A request or response on its way. */
export interface Message {
  id: number;
  api: "Metadata" | "Produce" | "Fetch" | "CreateTopics" | "CreatePartitions" | "DeleteTopics";
  is_response: boolean;
  from: Node;
  to: Node;
  sent: Moment;
  arrives: number;
  batches?: Batch[];
  is_notable: boolean;
  error?: KafkaError;
}

/** The whole cluster at one moment. */
export interface Snapshot extends Moment {
  kafka: string;
  brokers: { id: number; rack: string | null; is_controller: boolean; leader_count: number; queue_size: number }[];
  topics: {
    name: string;
    topic_id: string;
    replication_factor: number;
    configs: Record<string, string>;
    partitions: PartitionState[];
  }[];
  producers: ProducerState[];
  consumers: {
    name: string;
    positions: { topic: string; partition: number; position: number }[];
    read_count: number;
    recent: (KafkaRecord & { topic: string; partition: number; offset: number; read: Moment })[];
  }[];
  in_flight: Message[];
}

export interface PartitionState {
  partition: number;
  leader: number | null;
  leader_epoch: number;
  replicas: number[];
  isr: number[];
  log_start_offset: number;
  high_watermark: number;
  last_stable_offset: number;
  log_end_offset: number;
  size_bytes: number;
  record_count: number;
  /** The last records, oldest first; at most 10,000. */
  records: (KafkaRecord & { offset: number; appended: Moment })[];
}

export interface ProducerState {
  name: string;
  client: string;
  state: "READY" | "CLOSING" | "CLOSED";
  configs: Record<string, string>;
  /** Topic and the partition count that it knows. */
  metadata: Record<string, number>;
  metadata_refreshed: number | null;
  metadata_due: number | null;
  last: { record: KafkaRecord; topic: string; partition: number; decision: Decision } | null;
  batches: { topic: string; partition: number; record_count: number; size_bytes: number; is_in_flight: boolean }[];
  sticky: { topic: string; partition: number | null; produced_bytes: number; threshold_bytes: number }[];
  sent_count: number;
  acknowledged_count: number;
  failed_count: number;
  waiting_count: number;
}

/**
 * `<logarium-widget>`: a stage inside any page. Each property mirrors the attribute of its name, except `link`, which is
 * the method; `setAttribute("link", ...)` sets that one.
 */
export interface LogariumWidget extends HTMLElement {
  /** What is shown: one of these three, or `link`. */
  lesson: string | null;
  scenario: string | null;
  /** Attribute `lesson-act`: id of the lesson's act; the first one by default. */
  lessonAct: string | null;
  /** Client id of the first producer. */
  client: string | null;
  /** The second side: a client id or a partition count. */
  compare: string | null;
  partitions: number | null;
  seed: number | null;
  /** Seconds of simulated time at which it opens. */
  t: number | null;
  /** 0.1 to 100. */
  speed: number | null;
  autoplay: boolean;
  /** Names separated by spaces: settings such as `client`, and `play`, `step`, `time`, `speed`, `reset`, `link`, `branch`. */
  controls: string | null;
  /** Names of what readers cannot change; `cluster` stands for all that changes the cluster. */
  lock: string | null;
  /** Names of panels: `strip`, `code`, `describe`, `log`, and those of lessons. */
  panels: string | null;
  theme: "auto" | "light" | "dark" | null;
  /** Resolves when the stage can be used. */
  readonly ready: Promise<LogariumWidget>;
  play(): void;
  pause(): void;
  step(): Event[];
  stepBack(): Event[];
  /** To a time in seconds, as in the attribute `t`. */
  seek(seconds: number): void;
  act(command: Command): Outcome;
  snapshot(): Snapshot;
  /** The share link of what is shown; null before the widget is ready for the first time. */
  link(): string | null;
  reset(): void;
}

/** What the events of a widget carry. They bubble, cross shadow roots, and come after the call that caused them has returned. */
export interface LogariumWidgetEvents {
  "logarium-ready": CustomEvent<{ lesson: string | null; scenario: string }>;
  "logarium-event": CustomEvent<Event>;
  "logarium-step": CustomEvent<{ step: string; done: boolean }>;
  "logarium-predict": CustomEvent<{ prediction: string; answer: unknown; correct: boolean }>;
  "logarium-complete": CustomEvent<{ lesson: string }>;
  "logarium-error": CustomEvent<{ code: string; message: string; path?: string; hint?: string }>;
}

declare global {
  interface HTMLElementTagNameMap {
    "logarium-widget": LogariumWidget;
  }
  interface HTMLElementEventMap extends LogariumWidgetEvents {}
}
