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

/**
 * Which member of a group gets which partitions, for any assignor: `client-range`, `client-roundrobin`, `client-sticky`,
 * `client-cooperative-sticky`, `server-uniform`, `server-range`, `share-simple`, and `server-uniform-4.0.0`, which
 * only that version had. Kafka's own name will do where there is one of it; `range` alone is the client's. What the assignor throws is in the result.
 * @throws LogariumError `assignor.unknown`, `input.invalid`, `input.unknown_field`, `input.too_large`
 */
export function assign(assignor: string, input: AssignInput): AssignResult;

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

/** A group as an assignor is given it, in the words of the recorded assignments. */
export interface AssignInput {
  /**
   * By name, how many partitions there are; -1, or no entry, for a topic without metadata. Assignors of the broker also
   * know topics by their id, 22 letters as Kafka prints them; without one, topics keep the order of their names.
   * `assignable` are the partitions that a share group may read, if not all.
   */
  topics: Record<string, number | { id?: string; partitions: number; assignable?: number[] }>;
  /** By topic and partition, the racks of the replicas. Only Range and the sticky assignors of the client look. */
  replica_racks?: Record<string, string[][]>;
  /** In the order of Java's map of them; it decides who gets what under the sticky assignors, uniform and simple. At most 2,000. */
  members: {
    id: string;
    /** `group.instance.id` of a static member. */
    instance?: string;
    /** `client.rack`. */
    rack?: string;
    /** What it subscribes to. */
    topics: string[];
    /** What it had, as `topic-partition`. */
    owned?: string[];
    /** The same by topic; both may be used. */
    previous?: Record<string, number[]>;
    /** The generation in which it got that. */
    generation?: number;
  }[];
}

/** What an assignor gives: `assignment` or `error`; the other one is null. */
export interface AssignResult {
  /** Its full id, such as `client-range`. */
  assignor: string;
  /** Who runs it: the leader of a classic group, or the coordinator. */
  runs: "member" | "broker";
  /** By member, its partitions as `topic-partition`. */
  assignment: Record<string, string[]> | null;
  /** What Java throws, as `class: message`. */
  error: string | null;
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

// From here on: the data, as the engine names it. A test holds this list to the engine's own types.

/** An error that Kafka reports: data that travels in responses, outcomes and events. */
export interface KafkaError {
  /** The protocol name, such as `INVALID_PARTITIONS`, or the library's own, such as `_QUEUE_FULL`. */
  error: string;
  /** The exception class of the Java client, without its package; empty for other libraries. */
  exception: string;
  /** The text exactly as Kafka words it. */
  message: string;
  /** The exception inside it (`getCause`), if there is one. */
  cause?: KafkaError;
  /** What librdkafka says of it besides; absent for other libraries. */
  flags?: ErrorFlags;
}

/** The initial state of a simulation. The same structure is read from TOML and JSON. */
export interface Scenario {
  /** Kebab-case name; a share link may name a scenario by it. */
  name: string;
  /** The Kafka version that is simulated; only `4.3.1` for now. */
  kafka?: string;
  /** Decides everything that is random. */
  seed?: number;
  /** How far the time bar reaches at first; by default as far as the workloads do. */
  duration?: string;
  /** The brokers. */
  cluster?: Cluster;
  /** Topics that exist at time 0. */
  topic?: TopicSpec[];
  /** Producers that start at time 0. */
  producer?: Producer[];
  /** Readers that start at time 0. */
  consumer?: Consumer[];
  /** Members of share groups. */
  share_consumer?: ShareConsumer[];
  /** Delays between nodes. */
  network?: Network;
  /** Variants of the scenario: each choice with the value in force. Topics, producers, readers and scripted commands with an `only` belong to some values and are left out with others. */
  choices?: Record<string, string>;
  /** Commands that come by themselves. */
  script?: Scripted[];
}

/** One act. Tagged by `do`, in the words of Kafka's clients. */
export type Command =
  | { do: "create_topic"; topic: string; partitions?: number; replication_factor?: number; assignment?: number[][]; configs?: Record<string, string> }
  | { do: "create_partitions"; topic: string; partitions: number; assignment?: number[][] }
  | { do: "delete_topic"; topic: string }
  | ({ do: "producer" } & Producer)
  | { do: "send"; producer: string; topic: string; key?: string; key_encoding?: string; value?: string; value_encoding?: string; value_bytes?: number; partition?: number; timestamp_ms?: number; headers?: [string, string][] }
  | { do: "partitions_for"; producer: string; topic: string }
  | { do: "flush"; producer: string; timeout_ms?: number }
  | { do: "close"; producer: string; timeout_ms?: number }
  | { do: "init_transactions"; producer: string; timeout_ms?: number }
  | { do: "begin_transaction"; producer: string }
  | { do: "commit_transaction"; producer: string; timeout_ms?: number }
  | { do: "abort_transaction"; producer: string; timeout_ms?: number }
  | { do: "send_offsets_to_transaction"; producer: string; group: string; offsets: Record<string, number>; generation?: number; member?: string; timeout_ms?: number }
  | { do: "purge"; producer: string; in_flight?: boolean }
  | { do: "poll"; producer: string }
  | { do: "freeze"; client: string }
  | { do: "thaw"; client: string }
  | { do: "crash"; client: string }
  | ({ do: "request" } & RawRequest)
  | { do: "set_workload"; producer: string; workload?: Workload }
  | { do: "disconnect"; producer: string }
  | { do: "alter_topic_config"; topic: string; name: string; value?: string }
  | { do: "alter_configs"; topic?: string; broker?: number; set?: Record<string, string>; delete?: string[] }
  | { do: "delete_records"; topic: string; partition: number; before_offset: number }
  | { do: "reassign"; partitions: Reassignment[]; allow_replication_factor_change?: boolean }
  | { do: "cancel_reassignment"; partitions: PartitionName[] }
  | { do: "elect_leaders"; election: ElectionKind; partitions?: PartitionName[] }
  | { do: "start_broker"; broker: number }
  | { do: "stop_broker"; broker: number }
  | { do: "kill_broker"; broker: number }
  | { do: "pause_broker"; broker: number }
  | { do: "resume_broker"; broker: number }
  | { do: "cut_link"; from: string; to: string }
  | { do: "heal_link"; from: string; to: string }
  | { do: "slow_link"; from: string; to: string; delay: string }
  | { do: "slow_disk"; broker: number; time: string }
  | { do: "set_batch_time"; time?: string; is_stalled?: boolean }
  | { do: "hold_fetches"; broker: number }
  | { do: "fetch_once"; broker: number }
  | { do: "release_fetches"; broker: number }
  | { do: "roll_segment"; topic: string; partition: number }
  | { do: "clean_log"; topic: string; partition: number }
  | { do: "seek"; consumer: string; topic: string; partition: number; offset: number }
  | { do: "stop_poll"; consumer: string }
  | { do: "resume_poll"; consumer: string }
  | ({ do: "consumer" } & Consumer)
  | { do: "subscribe"; consumer: string; topics?: string[]; pattern?: string; re2j?: string }
  | { do: "unsubscribe"; consumer: string }
  | { do: "assign"; consumer: string; partitions: string[] }
  | { do: "commit_sync"; consumer: string; offsets?: Record<string, number> }
  | { do: "commit_async"; consumer: string; offsets?: Record<string, number> }
  | { do: "seek_to_beginning"; consumer: string; partitions?: string[] }
  | { do: "seek_to_end"; consumer: string; partitions?: string[] }
  | { do: "pause"; consumer: string; partitions: string[] }
  | { do: "resume"; consumer: string; partitions: string[] }
  | { do: "enforce_rebalance"; consumer: string }
  | { do: "close_consumer"; consumer: string; operation?: "DEFAULT" | "LEAVE_GROUP" | "REMAIN_IN_GROUP" }
  | { do: "slow_callback"; consumer: string; callback: RebalanceCallback; time: string }
  | { do: "set_processing"; consumer: string; time: string }
  | { do: "alter_group_configs"; group: string; set?: Record<string, string>; delete?: string[] }
  | { do: "alter_consumer_group_offsets"; group: string; offsets: Record<string, number> }
  | { do: "delete_consumer_group_offsets"; group: string; partitions: string[] }
  | { do: "delete_consumer_group"; group: string }
  | { do: "remove_members"; group: string; instances?: string[] }
  | ({ do: "share_consumer" } & ShareConsumer)
  | { do: "share_poll"; consumer: string; timeout_ms?: number }
  | { do: "acknowledge"; consumer: string; topic: string; partition: number; offset: number; acknowledgement?: AcknowledgeType }
  | { do: "set_acknowledging"; consumer: string; acknowledge: Acknowledging }
  | { do: "alter_share_group_offsets"; group: string; offsets: Record<string, number> }
  | { do: "delete_share_group_offsets"; group: string; topics: string[] };

/** What an application says of a record of a share group. */
export type AcknowledgeType = "ACCEPT" | "RELEASE" | "REJECT" | "RENEW";

/** A callback of `ConsumerRebalanceListener`. */
export type RebalanceCallback = "revoked" | "lost" | "assigned";

/** What came of a command. */
export interface Outcome {
  /** Which command of the branch this is, from 0. */
  command: number;
  /** Whether it is finished. */
  status: Status;
  /** Partition and offset of a record that was sent. */
  record?: RecordMetadata;
  /** Kafka's error, if it failed. */
  error?: KafkaError;
  /** How the error reached the application; set with `error` for calls of a producer. */
  surfaced?: Surface;
  /** Producer id and epoch in the answer of a request. */
  identity?: [number, number];
  /** What it came to for each partition, for requests that name several. */
  partitions?: PartitionOutcome[];
  /** What `share_poll` returned, in order. */
  delivered?: DeliveredRecord[];
}

/** A record as a member of a share group got it. */
export interface DeliveredRecord extends TopicPartition {
  /** Its offset. */
  offset: number;
  /** How often it was delivered, this time included. */
  delivery_count: number;
  /** The record; absent for one without content, as scenarios may have at time 0. */
  record?: KafkaRecord;
}

/** A point of a run. Many things can happen at one time; `sequence` counts the queue entries that have been processed, so it tells them apart. */
export interface Moment {
  /** Simulated time. */
  time: number;
  /** Entries processed up to and including this one. */
  sequence: number;
}

/** The fact itself. */
export type EventKind =
  | { kind: "broker_registered"; broker: number }
  | { kind: "topic_created"; topic: string; partitions: number; replication_factor: number }
  | { kind: "partitions_created"; topic: string; before: number; after: number }
  | { kind: "topic_deleted"; topic: string }
  | ({ kind: "leader_elected"; leader: number; leader_epoch: number } & TopicPartition)
  | { kind: "producer_started"; producer: string; client: string }
  | { kind: "producer_closed"; producer: string }
  | { kind: "metadata_refreshed"; client: Node; reason: RefreshReason; topics: [string, number][] }
  | ({ kind: "record_partitioned"; record: KafkaRecord; producer: string; decision: Decision; partitions: number; opened_batch: boolean; batch_size_bytes: number; moved_from?: number } & TopicPartition)
  | { kind: "sticky_partition_switched"; producer: string; topic: string; before: number; after: number; records: number; bytes: number }
  | { kind: "message_sent"; message: Message }
  | { kind: "message_arrived"; message: Message }
  | { kind: "message_lost"; message: Message }
  | ({ kind: "batch_appended"; broker: number; base_offset: number } & Batch)
  | ({ kind: "duplicate_ignored"; broker: number; base_offset: number } & Batch)
  | ({ kind: "high_watermark_advanced"; high_watermark: number } & TopicPartition)
  | ({ kind: "batch_acknowledged"; producer: string; base_offset: number | null } & Batch)
  | ({ kind: "batch_retried"; producer: string; error: KafkaError } & Batch)
  | { kind: "send_failed"; producer: string; records: KafkaRecord[]; error: KafkaError }
  | ({ kind: "records_read"; consumer: string; first_offset: number; records: KafkaRecord[] } & TopicPartition)
  | { kind: "command_applied"; number: number; command: Command }
  | { kind: "command_finished"; outcome: Outcome }
  | { kind: "broker_started"; broker: number }
  | { kind: "broker_stopped"; broker: number; is_clean: boolean }
  | { kind: "broker_paused"; broker: number }
  | { kind: "broker_resumed"; broker: number }
  | { kind: "broker_fenced"; broker: number }
  | { kind: "broker_unfenced"; broker: number }
  | { kind: "controller_elected"; controller: number | null }
  | ({ kind: "leader_lost" } & TopicPartition)
  | ({ kind: "isr_changed"; before: number[]; isr: number[]; elr: number[]; last_known_elr: number[] } & TopicPartition)
  | ({ kind: "batch_replicated"; broker: number; log_end_offset: number } & TopicPartition)
  | ({ kind: "follower_high_watermark_advanced"; broker: number; high_watermark: number } & TopicPartition)
  | ({ kind: "log_truncated"; broker: number; before: number; log_end_offset: number } & TopicPartition)
  | ({ kind: "segment_rolled"; broker: number; base_offset: number; reason: RollReason } & TopicPartition)
  | ({ kind: "segment_deleted"; broker: number; base_offset: number; reason: DeleteReason } & TopicPartition)
  | ({ kind: "log_start_moved"; broker: number; log_start_offset: number } & TopicPartition)
  | ({ kind: "log_cleaned"; broker: number; clean_until: number; before: number; kept: number } & TopicPartition)
  | ({ kind: "segment_uploaded"; broker: number; base_offset: number } & TopicPartition)
  | ({ kind: "reassignment_started"; replicas: number[]; adding: number[]; removing: number[] } & TopicPartition)
  | ({ kind: "reassignment_completed"; replicas: number[] } & TopicPartition)
  | ({ kind: "reassignment_cancelled"; replicas: number[] } & TopicPartition)
  | { kind: "config_changed"; topic?: string; broker?: number; name: string; value: string | null }
  | { kind: "link_changed"; from: Node; to: Node; link: LinkState }
  | ({ kind: "position_reset"; consumer: string; before: number; position: number; error?: KafkaError } & TopicPartition)
  | { kind: "consumer_failed"; consumer: string; error: KafkaError }
  | { kind: "warned"; client: Node; text: string }
  | TransactionEvent
  | ShareEvent;

/** The whole cluster at one moment. */
export interface Snapshot extends Moment {
  /** The Kafka version. */
  kafka: string;
  /** The brokers, by id. */
  brokers: BrokerSnapshot[];
  /** The topics, in the order of their creation. */
  topics: TopicSnapshot[];
  /** The producers, in the order of their creation; closed ones too. */
  producers: ProducerState[];
  /** The consumers: readers without a group, and members of groups. */
  consumers: ConsumerSnapshot[];
  /** The broker whose process is the active controller; absent while there is none. */
  controller: number | null;
  /** Links that are cut or slow. */
  links: LinkSnapshot[];
  /** Dynamic defaults of all brokers. */
  broker_defaults: Record<string, string>;
  /** Messages on their way. */
  in_flight: Message[];
  /** What coordinators know of transactional ids, by id. */
  transactions: TransactionSnapshot[];
  /** Committed offsets of groups, by group. */
  group_offsets: GroupOffsetsSnapshot[];
  /** Groups, by name, as their coordinators see them. */
  groups: GroupSnapshot[];
  /** Members of share groups, in the order of their creation; the newest of each name. */
  share_consumers: ShareConsumerSnapshot[];
  /** What share groups know of the partitions that they may use, by group and partition. */
  share_partitions: SharePartitionSnapshot[];
}

/** The three flags of an error of librdkafka. */
export interface ErrorFlags {
  /** The client cannot go on. */
  is_fatal: boolean;
  /** The call may be made again. */
  is_retriable: boolean;
  /** The transaction must be aborted first. */
  requires_abort: boolean;
}

/** The brokers of the cluster and how replicas are placed on them. */
export interface Cluster {
  /** A number of brokers (ids 1 to n), or a list. */
  brokers?: number | BrokerSpec[];
  /** Start value of the placement's random source; by default it follows from the seed. */
  placement?: number;
  /** Broker settings of the whole cluster under Kafka's own names, as in every `server.properties`. */
  configs?: Record<string, string>;
  /** Feature levels that differ from those of a new cluster, such as `eligible.leader.replicas.version = 0`. */
  features?: Record<string, number>;
  /** How long the cluster is without a controller when the active one is lost; 0 by default. */
  controller_failover?: string;
  /** The brokers together take at most one batch of producers in that time, first in first out; without it each takes what comes. */
  batch_time?: string;
  /** Who coordinates a transactional id or a group: the replicas of its partition begin with this broker. */
  coordinators?: Record<string, number>;
  /** The first producer id that a broker gives out; 0 by default. */
  first_producer_id?: number;
}

/** A reader that is assigned its partitions by hand and belongs to no group. */
export interface Consumer {
  /** The name on its card. */
  name: string;
  /** Its library: `java` by default, or `librdkafka`. */
  client?: string;
  /** What it reads without a group: topics ("events") or partitions ("events-2"). */
  assign?: string[];
  /** Topics that it subscribes to, as a member of the group that `group.id` names. */
  subscribe?: string[];
  /** Subscribes by a `java.util.regex.Pattern` that the client evaluates. */
  pattern?: string;
  /** Subscribes by a pattern of RE2/J that the broker evaluates (consumer protocol only). */
  re2j?: string;
  /** Stays that many records behind the high watermark; 0 by default. Only without a group. */
  behind?: number;
  /** The member id that a client of the consumer protocol takes; a random uuid by default. */
  member_id?: string;
  /** How long its application works on each record; 0 by default. */
  processing?: string;
  /** Its application sends every record on that it reads: a copier. Its producer chooses the partition. */
  copy_to?: { producer: string; topic: string };
  /** When it starts; at once by default. */
  start?: string;
  /** What its `ConsumerRebalanceListener` does. */
  listener?: { commit_in_revoked?: boolean; commit_in_lost?: boolean; commits_unread?: boolean; has_no_lost?: boolean; reload?: string };
  /** It goes on polling after that many exceptions out of `poll`; by default it closes at the first. */
  keep_on_error?: number;
  /** Consumer settings under Kafka's own names, such as `client.rack` or `auto.offset.reset`. */
  configs?: Record<string, string>;
  /** Values of choices that it belongs to; see `Scenario::choices`. */
  only?: string[];
}

/** A member of a share group (`KafkaShareConsumer`). */
export interface ShareConsumer {
  /** The name on its card, and its `client.id`. */
  name: string;
  /** Topics that it subscribes to. */
  subscribe?: string[];
  /** Consumer settings under Kafka's own names: `group.id`, `share.acknowledgement.mode`. */
  configs?: Record<string, string>;
  /** Its member id; a random uuid by default. */
  member_id?: string;
  /** How long its application works on each record; 0 by default. */
  processing?: string;
  /** What its application says of the records that it has worked on. */
  acknowledge?: Acknowledging;
  /** Its application calls nothing by itself. */
  is_manual?: boolean;
  /** When it starts; at once by default. */
  start?: string;
  /** Values of choices that it belongs to; see `Scenario::choices`. */
  only?: string[];
}

/** What an application that works by itself says of its records; only with `share.acknowledgement.mode=explicit`. Every other record is accepted. */
export interface Acknowledging {
  /** Every n-th record is released. */
  release_every?: number;
  /** Every n-th record is rejected. */
  reject_every?: number;
  /** A record is renewed each time that it was worked on for so long and is not done. */
  renew_after?: string;
  /** `commitSync()` after that many records; by default acknowledgements leave with the next poll. */
  commit_every?: number;
}

/** The network between all nodes. */
export interface Network {
  /** How long a message takes; 0 by default. */
  delay?: string;
}

/** A producer: one instance of a client library. */
export interface Producer {
  /** The name on its card; unique among the producers. */
  name: string;
  /** An id of the client catalogue. */
  client?: string;
  /** Client settings under the library's own names. */
  configs?: Record<string, string>;
  /** What it sends by itself. */
  workload?: Workload;
  /** Age of its metadata at time 0: the next refresh comes that much earlier. */
  metadata_age?: string;
  /** The partitioner's random source counts up from here, as in Kafka's own tests, instead of drawing from the seed. */
  random_start?: number;
  /** Values of choices that it belongs to; see `Scenario::choices`. */
  only?: string[];
}

/** A command that a scenario gives by itself: after everything that happens at its time. */
export interface Scripted {
  /** When, counted from the start. */
  at: string;
  /** What. */
  command: Command;
  /** Values of choices that it belongs to, such as `crash=between`; see `Scenario::choices`. */
  only?: string[];
}

/** A topic. */
export interface TopicSpec {
  /** Its name, legal for Kafka. */
  name: string;
  /** How many partitions; 1 if neither this nor an assignment is given. */
  partitions?: number;
  /** How many replicas each partition has; 1 by default. */
  replication_factor?: number;
  /** Replicas per partition, the preferred leader first, instead of Kafka's own placement. */
  assignment?: number[][];
  /** Topic settings under Kafka's own names. */
  configs?: Record<string, string>;
  /** What its partitions hold at time 0, on every replica. */
  preload?: Preload[];
  /** Values of choices that it belongs to; see `Scenario::choices`. */
  only?: string[];
}

/** Which election is asked for. */
export type ElectionKind = "preferred" | "unclean";

/** A partition by name. */
export interface PartitionName {
  /** The topic. */
  topic: string;
  /** The partition. */
  partition: number;
}

/** A request as it goes over the wire, tagged by `request`. */
export type RawRequest =
  | { request: "init_producer_id"; transactional_id?: string; timeout_ms?: number; producer_id?: number; epoch?: number; enable_2pc?: boolean; keep_prepared_txn?: boolean }
  | { request: "add_partitions_to_txn"; transactional_id: string; producer_id: number; epoch: number; partition: PartitionName; api_version: number }
  | { request: "end_txn"; transactional_id: string; producer_id: number; epoch: number; end: MarkerKind; api_version: number }
  | { request: "produce"; transactional_id?: string; partition: PartitionName; producer_id: number; epoch: number; base_sequence: number; records: number; value_prefix: string; api_version: number; acks: number; timestamp_ms?: number }
  | { request: "abort_partition"; partition: PartitionName; producer_id: number; epoch: number; coordinator_epoch: number };

/** New replicas of a partition. */
export interface Reassignment {
  /** The topic. */
  topic: string;
  /** The partition. */
  partition: number;
  /** The replicas it shall have, the preferred leader first. */
  replicas: number[];
}

/** A stream of records. */
export interface Workload {
  /** The topic it writes to. */
  topic: string;
  /** Keys, taken in turn. Empty together with `key_pattern`: records without a key. */
  keys?: string[];
  /** Keys such as user-1 ... user-30 instead of a list. */
  key_pattern?: KeyPattern;
  /** How the text of a key becomes bytes: `text`, `int32`, `int64`, `hex`, `uuid`, `json` ... */
  key_encoding?: string;
  /** Values, taken in turn; `value` is the same for a single one. */
  values?: string[];
  /** The value of every record. */
  value?: string;
  /** A value of that many bytes instead of text. */
  value_size?: number;
  /** Size of its records once they are compressed, in percent; 50 by default, without effect unless the producer compresses. */
  compressed_percent?: number;
  /** The partition of every record, set explicitly. */
  partition?: number;
  /** Record i goes to partition i modulo this, set explicitly. */
  partitions?: number;
  /** Time between two bursts. */
  every?: string;
  /** Bursts a second, instead of `every`: each comes to the microsecond, also where a second cannot be divided evenly. */
  rate?: number;
  /** Records sent at once; 1 by default. */
  burst?: number;
  /** When the first record is sent; 0 by default. */
  start?: string;
  /** How many records in all. By default one pass over a list of keys, else no end. */
  count?: number;
  /** Percent of the records that carry the first key; the rest is spread evenly over the others. */
  skew_percent?: number;
  /** Records are written in transactions of that many: begin, send, commit, again and again. The producer needs a `transactional.id`. */
  records_per_transaction?: number;
  /** A producer that was fenced is closed, and a new one of the same settings takes its place. */
  init_on_fence?: boolean;
  /** What becomes of a record that a library refuses at once because its queue is full; `drop` by default. */
  when_full?: "drop" | "retry" | "spill";
}

/** What an Admin request came to for one partition. */
export interface PartitionOutcome extends PartitionName {
  /** Kafka's error, if it was refused. */
  error?: KafkaError;
  /** The new log start offset, for `delete_records`. */
  low_watermark?: number;
}

/** Where a record was written, as `RecordMetadata` of the clients. */
export interface RecordMetadata {
  /** The topic. */
  topic: string;
  /** The partition. */
  partition: number;
  /** Its offset; absent when the broker did not tell (acks=0). */
  offset: number | null;
}

/** How far a command has come. */
export type Status = "pending" | "done" | "failed";

/** Where an application meets an error of a client. */
export type Surface = "thrown" | "future";

/** A batch as it travels or lies in a log. */
export interface Batch extends TopicPartition {
  /** Its records. */
  records: KafkaRecord[];
  /** Its size in bytes. */
  size_bytes: number;
  /** How its records are compressed. */
  codec?: Codec;
}

/** Why a record goes to its partition. */
export type Decision =
  | { rule: "explicit" }
  | { rule: "hashed"; explanation: unknown }
  | { rule: "keyless"; partitions: number; produced_bytes: number; threshold_bytes: number };

/** Why a segment was deleted. */
export type DeleteReason = "log_start" | "size" | "time" | "local" | "truncated";

/** How a link between two nodes is. */
export type LinkState =
  | { state: "whole" }
  | { state: "cut" }
  | { state: "slow"; delay: string };

/** A message between two nodes. It knows its arrival from birth. */
export interface Message {
  /** Unique in a run. */
  id: number;
  /** What it is for. */
  api: Api;
  /** The request's API version, where Kafka's answer depends on it. */
  version?: number;
  /** The answer to a request, or the request itself. */
  is_response: boolean;
  /** Who sends. */
  from: Node;
  /** Who receives. */
  to: Node;
  /** When it was sent. */
  sent: Moment;
  /** When it arrives. */
  arrives: number;
  /** Batches inside a Produce request. */
  batches?: Batch[];
  /** Whether it carries something worth watching; empty fetches do not. */
  is_notable: boolean;
  /** The error that an answer carries. */
  error?: KafkaError;
  /** Which end of a transaction an EndTxn or WriteTxnMarkers request asks for. */
  end?: MarkerKind;
  /** Partitions that get a marker by this request. */
  markers?: TopicPartition[];
}

/** Something that takes part. */
export type Node =
  | { node: "controller" }
  | { node: "broker"; id: number }
  | { node: "producer"; name: string }
  | { node: "consumer"; name: string }
  | { node: "admin" };

/** One record on its way or in a log, as the picture shows it. Shared, never copied. */
export interface KafkaRecord {
  /** Unique in a run: the producer's number and the record's number there. */
  id: RecordId;
  /** The producer instance that sent it. */
  producer: string;
  /** The key's bytes; absent for a null key. */
  key: string | null;
  /** The key as text to show: UTF-8 if it is, else hex with `0x`. */
  key_text: string | null;
  /** The value as text, at most `VALUE_TEXT_BYTES_MAX` bytes of it; absent for a null value. */
  value: string | null;
  /** The value's real size in bytes. */
  value_size: number;
  /** When the application called `send`. */
  timestamp: number;
  /** Its timestamp in Kafka's sense (CreateTime): milliseconds after the start of the run, negative before it. */
  create_time: number;
  /** Its headers, in order. */
  headers?: [string, string][];
  /** Number of a `send` command that asked for it, if one did. */
  command?: number;
}

/** Why a client asked for metadata. */
export type RefreshReason = "first_use" | "age" | "error";

/** Why a segment was closed. */
export type RollReason = "size" | "time" | "offset_index" | "time_index" | "offsets" | "retention" | "command";

/** A partition of a topic. */
export interface TopicPartition {
  /** The topic. */
  topic: string;
  /** The partition. */
  partition: number;
}

/** What happened to producers' ids, transactions and their markers. */
export type TransactionEvent =
  | { kind: "producer_id_assigned"; producer: string; producer_id: number; epoch: number }
  | { kind: "producer_epoch_raised"; producer: string; producer_id: number; epoch: number }
  | { kind: "client_state_changed"; producer: string; before: ClientState; state: ClientState; error?: KafkaError }
  | { kind: "call_blocked"; producer: string; call: Call; reason: WaitReason; deadline?: number }
  | { kind: "call_returned"; producer: string; call: Call; waited: string; error?: KafkaError }
  | { kind: "client_crashed"; client: Node }
  | { kind: "client_frozen"; client: Node }
  | { kind: "client_thawed"; client: Node }
  | { kind: "coordinator_loaded"; broker: number; partition: number; transactional_ids: number }
  | { kind: "transaction_state_logged"; broker: number; transactional_id: string; state: TransactionState; producer_id: number; epoch: number; partitions: TopicPartition[]; offset: number }
  | { kind: "transaction_state_changed"; broker: number; transactional_id: string; before: TransactionState; state: TransactionState; producer_id: number; epoch: number; partitions: TopicPartition[] }
  | { kind: "transaction_timed_out"; broker: number; transactional_id: string; open_for: string; limit: string }
  | { kind: "producer_fenced"; broker: number; transactional_id?: string; producer_id: number; epoch: number; current: number }
  | ({ kind: "marker_appended"; broker: number; marker: MarkerKind; producer_id: number; epoch: number; coordinator_epoch: number; offset: number } & TopicPartition)
  | ({ kind: "marker_skipped"; broker: number } & TopicPartition)
  | ({ kind: "last_stable_offset_advanced"; last_stable_offset: number } & TopicPartition)
  | { kind: "transactional_id_expired"; broker: number; transactional_id: string }
  | { kind: "groups_loaded"; broker: number; partition: number; groups: number }
  | { kind: "group_state_changed"; broker: number; group: string; group_type: GroupType; before?: GroupState; state: GroupState; epoch: number }
  | { kind: "member_joined"; broker: number; group: string; member: string; client: string; instance?: string }
  | { kind: "member_removed"; broker: number; group: string; member: string; reason: RemovalReason }
  | { kind: "generation_started"; broker: number; group: string; generation: number; protocol: string; leader: string; members: string[] }
  | { kind: "assignment_made"; broker: number; group: string; epoch: number; assignor: string; assignment: [string, TopicPartition[]][] }
  | { kind: "member_reconciled"; broker: number; group: string; member: string; epoch: number; state: MemberState; assigned: TopicPartition[] }
  | { kind: "offsets_committed"; broker: number; group: string; offsets: [TopicPartition, number][] }
  | { kind: "offsets_removed"; broker: number; group: string; partitions: TopicPartition[] }
  | { kind: "client_member_state_changed"; consumer: string; before: ClientMemberState; state: ClientMemberState }
  | { kind: "member_id_assigned"; consumer: string; member: string }
  | { kind: "join_answered"; consumer: string; generation: number; protocol: string; is_leader: boolean; members: number; error?: KafkaError }
  | { kind: "callback_started"; consumer: string; callback: RebalanceCallback; partitions: TopicPartition[]; generation: number; owned: TopicPartition[]; is_librdkafka?: boolean }
  | { kind: "callback_returned"; consumer: string; callback: RebalanceCallback; is_librdkafka?: boolean }
  | { kind: "assignment_changed"; consumer: string; owned: TopicPartition[] }
  | { kind: "poll_failed"; consumer: string; error: KafkaError }
  | { kind: "commit_returned"; consumer: string; how: CommitKind; offsets: [TopicPartition, number][]; error?: KafkaError }
  | ({ kind: "records_read_again"; consumer: string; first_offset: number; count: number } & TopicPartition)
  | { kind: "consumer_closed"; consumer: string };

/** What happened to records of share groups. */
export type ShareEvent =
  | { kind: "share_coordinator_loaded"; broker: number; partition: number; share_partitions: number }
  | { kind: "share_partitions_initialized"; broker: number; group: string; partitions: TopicPartition[] }
  | ({ kind: "share_partition_opened"; broker: number; group: string; start_offset: number; in_flight: number } & TopicPartition)
  | ({ kind: "records_acquired"; member: string; delivery_count: number; locked_until: number } & RecordRange)
  | ({ kind: "records_acknowledged"; member: string; acknowledgement: AcknowledgeType } & RecordRange)
  | ({ kind: "locks_expired"; member: string } & RecordRange)
  | ({ kind: "locks_released"; member: string } & RecordRange)
  | ({ kind: "records_archived"; reason: "rejected" | "delivery_limit" | "log_start_moved" | "not_for_readers" } & RecordRange)
  | ({ kind: "share_state_written"; broker: number; group: string; start_offset: number; delivery_complete_count: number } & TopicPartition)
  | ({ kind: "share_start_offset_moved"; broker: number; group: string; before: number; start_offset: number } & TopicPartition)
  | { kind: "records_polled"; consumer: string; records: DeliveredRecord[] }
  | ({ kind: "record_work_started"; consumer: string; offset: number; until: number } & TopicPartition)
  | ({ kind: "acknowledgement_chosen"; consumer: string; offset: number; acknowledgement: AcknowledgeType } & TopicPartition)
  | { kind: "acknowledgements_returned"; consumer: string; results: AcknowledgementResult[] };

/** What became of the acknowledgements for one partition. */
export interface AcknowledgementResult extends TopicPartition {
  /** Offsets that were acknowledged, in order. */
  offsets: number[];
  /** Why they do not count, if they do not. */
  error?: KafkaError;
}

/** Records of one share partition that are next to each other and were treated alike. */
export interface RecordRange extends TopicPartition {
  /** The leader of the partition. */
  broker: number;
  /** The share group. */
  group: string;
  /** The first offset. */
  first_offset: number;
  /** The last offset. */
  last_offset: number;
}

/** A partition as one share group uses it. */
export interface SharePartitionSnapshot extends TopicPartition {
  /** The share group. */
  group: string;
  /** The broker that leads the partition and delivers its records. */
  leader: number | null;
  /** The partition of `__share_group_state` that has its state. */
  state_partition: number;
  /** The broker that leads that partition. */
  coordinator: number | null;
  /** The first offset that matters; null while the leader has not opened it. */
  start_offset: number | null;
  /** The offset after the last one that was ever acquired; null while it is not open. */
  end_offset: number | null;
  /** Records from the start offset up to the end offset, in order; done ones below are gone. */
  in_flight: InFlightRecord[];
  /** The state that is written; null while nothing was. */
  persisted: ShareStateSnapshot | null;
}

/** A record of a share partition. */
export interface InFlightRecord {
  /** Its offset. */
  offset: number;
  /** Its state. */
  state: "AVAILABLE" | "ACQUIRED" | "ACKNOWLEDGED" | "ARCHIVED";
  /** How often it was delivered. */
  delivery_count: number;
  /** Id of the member that holds it. */
  member?: string;
  /** When its lock expires. */
  locked_until?: number;
}

/** What `__share_group_state` says of a share partition. */
export interface ShareStateSnapshot {
  /** The start offset as it was written: one write behind the leader's. */
  start_offset: number;
  /** The leader epoch that wrote it. */
  leader_epoch: number;
  /** Records from there on that are done or archived. */
  delivery_complete_count: number;
  /** End of the log, less the start offset, less that count; null without a leader. */
  lag: number | null;
}

/** A share consumer as it sees itself. */
export interface ShareConsumerSnapshot {
  /** Its name. */
  name: string;
  /** `group.id`. */
  group: string;
  /** Its member id. */
  member: string;
  /** Its state as a member. */
  state: ClientMemberState;
  /** Its member epoch. */
  epoch: number;
  /** How its process is. */
  process: ClientProcess;
  /** Whether its application acknowledges by itself (`share.acknowledgement.mode=explicit`). */
  is_explicit: boolean;
  /** Whether it only does what commands say. */
  is_manual: boolean;
  /** Whether its application stopped polling. */
  is_paused: boolean;
  /** Whether it is closed. */
  is_closed: boolean;
  /** What ended it, if something did. */
  error: KafkaError | null;
  /** Topics that it subscribes to. */
  topics: string[];
  /** Partitions that it fetches from. */
  assigned: TopicPartition[];
  /** Records that `poll` returned and that are not known to be settled, in order. */
  held: HeldRecord[];
  /** The record that its application works on, and until when. */
  working_on: WorkSnapshot | null;
  /** Records polled so far. */
  read_count: number;
  /** Acknowledgements that count, by ACCEPT, RELEASE and REJECT. */
  acknowledged_counts: [number, number, number];
  /** The last records that it polled, oldest first: at most 64. */
  recent: ReadRecord[];
  /** When its next heartbeat is due. */
  heartbeat_due: number | null;
}

/** A record in the hands of an application. */
export interface HeldRecord extends TopicPartition {
  /** Its offset. */
  offset: number;
  /** How often it was delivered, this time included. */
  delivery_count: number;
  /** What the application says of it, once it has. */
  acknowledgement?: AcknowledgeType;
}

/** What an application works on. */
export interface WorkSnapshot extends TopicPartition {
  /** The record. */
  offset: number;
  /** Since when. */
  since: number;
  /** Until when. */
  until: number;
}

/** A broker. */
export interface BrokerSnapshot {
  /** Its id. */
  id: number;
  /** Its rack. */
  rack: string | null;
  /** Whether it is the active controller as well. */
  is_controller: boolean;
  /** Partitions that it leads. */
  leader_count: number;
  /** Produce requests waiting to be worked on, the current one included. */
  queue_size: number;
  /** How its process is. */
  state: BrokerState;
  /** Whether the controller has given it up. */
  is_fenced: boolean;
  /** Whether its followers fetch only when they are told to. */
  fetches_held: boolean;
  /** Its own static settings. */
  static_configs: Record<string, string>;
  /** Its own dynamic settings. */
  configs: Record<string, string>;
  /** Time that it needs for a Produce request. */
  produce_time: string;
  /** Raised with every start of the process. */
  broker_epoch: number;
}

/** A reader. */
export interface ConsumerSnapshot {
  /** Its name. */
  name: string;
  /** Its `client.rack`. */
  rack: string | null;
  /** Whether it stopped polling. */
  is_paused: boolean;
  /** How its process is. */
  process: ClientProcess;
  /** What ended it, if something did. */
  error: KafkaError | null;
  /** Bytes that it read from brokers of its own rack, and from others. */
  read_bytes: [number, number];
  /** Position per partition. */
  positions: PositionSnapshot[];
  /** Records read so far. */
  read_count: number;
  /** Whether it reads with `isolation.level=read_committed`. */
  is_read_committed: boolean;
  /** Records of aborted transactions that it fetched and dropped. */
  skipped_count: number;
  /** The last records that it read, oldest first: at most 64. */
  recent: ReadRecord[];
  /** Its membership of a group, if it has a `group.id`. */
  membership: MembershipSnapshot | null;
}

/** The protocol of a group. */
export type GroupType = "Classic" | "Consumer" | "Share";

/** A group's state. */
export type GroupState = "Empty" | "PreparingRebalance" | "CompletingRebalance" | "Assigning" | "Reconciling" | "Stable" | "Dead";

/** A member of the consumer protocol in the eyes of its coordinator. */
export type MemberState = "STABLE" | "UNREVOKED_PARTITIONS" | "UNRELEASED_PARTITIONS";

/** A member in its own eyes. */
export type ClientMemberState =
  | "UNSUBSCRIBED" | "JOINING" | "PREPARING_REBALANCE" | "COMPLETING_REBALANCE" | "RECONCILING" | "ACKNOWLEDGING"
  | "STABLE" | "FENCED" | "PREPARE_LEAVING" | "LEAVING" | "STALE" | "FATAL";

/** A group as its coordinator sees it. */
export interface GroupSnapshot {
  /** Its id. */
  group: string;
  /** Its partition of `__consumer_offsets`. */
  partition: number;
  /** The broker that coordinates it. */
  coordinator: number | null;
  /** Its protocol. */
  group_type: GroupType;
  /** Its state. */
  state: GroupState;
  /** Classic: the generation. Else the group epoch. */
  epoch: number;
  /** Epoch of the target assignment; the generation of a classic group. */
  assignment_epoch: number;
  /** The assignor in use; empty while there is none. */
  assignor: string;
  /** Classic: the protocol type, such as `consumer`; empty for a group that has only offsets. */
  protocol_type: string;
  /** Classic: id of the member that assigns. */
  leader: string | null;
  /** Members, in the coordinator's order. */
  members: GroupMemberSnapshot[];
  /** When a timer of the group ends its present state, in microseconds. */
  due: number | null;
}

/** A member as its coordinator sees it. */
export interface GroupMemberSnapshot {
  /** Its id. */
  member: string;
  /** Its `group.instance.id`. */
  instance: string | null;
  /** Its `client.id`. */
  client: string;
  /** Its host, such as `/127.0.0.1`. */
  host: string;
  /** Its `client.rack`. */
  rack: string | null;
  /** Whether it uses the classic protocol in a group of the consumer protocol. */
  is_classic: boolean;
  /** Its epoch; -2 for a static member that left for a while. Classic: the generation. */
  epoch: number;
  /** Consumer: its state. */
  state: MemberState;
  /** Topics that it subscribes to. */
  topics: string[];
  /** The pattern that it subscribes by, on the broker. */
  pattern: string | null;
  /** What it was told to own. */
  assigned: TopicPartition[];
  /** Consumer: what it shall own in the end. */
  target: TopicPartition[];
  /** Consumer: what it has to give up first. */
  revoking: TopicPartition[];
  /** Classic: whether its JoinGroup waits at the coordinator. */
  is_joining: boolean;
  /** When it is removed if it stays silent, in microseconds. */
  session_ends: number | null;
}

/** A membership as the member sees it. */
export interface MembershipSnapshot {
  /** It is a client of librdkafka, and not of Java; absent if not. */
  is_librdkafka?: boolean;
  /** `group.id`. */
  group: string;
  /** `group.protocol`. */
  protocol: GroupType;
  /** Its member id; empty while it has none. */
  member: string;
  /** Its `group.instance.id`. */
  instance: string | null;
  /** Its state. */
  state: ClientMemberState;
  /** Generation or member epoch; -1 or 0 while it has none. */
  generation: number;
  /** What it owns: `assignment()`. */
  owned: TopicPartition[];
  /** What it paused: `paused()`. */
  paused: TopicPartition[];
  /** What it owns but may not read at present. */
  held: TopicPartition[];
  /** Topics that it subscribes to. */
  topics: string[];
  /** The callback that runs, with its partitions. */
  callback: [RebalanceCallback, TopicPartition[]] | null;
  /** Records that were fetched and not polled yet. */
  buffered_count: number;
  /** Until when its application works on what it polled, in microseconds. */
  busy_until: number | null;
  /** When its next heartbeat is due, in microseconds. */
  heartbeat_due: number | null;
  /** What it committed last, by partition. */
  committed: [TopicPartition, number][];
  /** Records that its group had processed before. */
  repeated_count: number;
  /** Whether it is closed. */
  is_closed: boolean;
}

/** Why a member is no member any more. */
export type RemovalReason =
  | "left" | "session_expired" | "rebalance_timeout" | "revocation_timeout" | "never_synced" | "replaced" | "by_admin";

/** Who committed. */
export type CommitKind = "sync" | "async" | "auto" | "in_revoked" | "in_lost";

/** Committed offsets of a group. */
export interface GroupOffsetsSnapshot {
  /** The group. */
  group: string;
  /** The broker that coordinates it, while one does. */
  coordinator: number | null;
  /** Its partition of `__consumer_offsets`. */
  partition: number;
  /** Offsets that are committed, by partition. */
  committed: [TopicPartition, number][];
  /** Offsets inside open transactions: producer id, partition, offset. */
  pending: [number, TopicPartition, number][];
}

/** A link that is not as it should be. */
export interface LinkSnapshot {
  /** One end. */
  from: Node;
  /** The other end. */
  to: Node;
  /** How it is. */
  link: LinkState;
}

/** A producer instance. */
export interface ProducerState {
  /** Its name. */
  name: string;
  /** Its client id in the catalogue. */
  client: string;
  /** What it is doing. */
  state: ProducerStatus;
  /** Its producer id, once the idempotent producer has one. */
  producer_id: number | null;
  /** Its producer epoch. */
  producer_epoch: number | null;
  /** Settings that were given. */
  configs: Record<string, string>;
  /** What it knows: topic and partition count. */
  metadata: Record<string, number>;
  /** When its metadata was last refreshed. */
  metadata_refreshed: number | null;
  /** When the next refresh is due by age. */
  metadata_due: number | null;
  /** The record that it handed over last, with its partition. */
  last: LastRecord | null;
  /** Open and waiting batches. */
  batches: BatchSnapshot[];
  /** The keyless rule's state per topic. */
  sticky: StickySnapshot[];
  /** Records given to `send`. */
  sent_count: number;
  /** Records acknowledged. */
  acknowledged_count: number;
  /** Records failed. */
  failed_count: number;
  /** Records waiting for metadata. */
  waiting_count: number;
  /** Its `transactional.id`. */
  transactional_id: string | null;
  /** Its transaction manager's state; absent without a `transactional.id`. */
  client_state: ClientState | null;
  /** The error behind an error state. */
  client_error: KafkaError | null;
  /** Partitions of the open transaction, as far as the client knows. */
  transaction_partitions: TopicPartition[];
  /** How its process is. */
  process: ClientProcess;
  /** The application's call that waits, oldest first; later ones queue behind it. */
  calls: CallSnapshot[];
  /** Its memory. */
  buffer: BufferSnapshot;
  /** The client's metrics under their real names, in thousandths of their unit. */
  metrics: Record<string, number>;
}

/** A topic. */
export interface TopicSnapshot {
  /** Its name. */
  name: string;
  /** Its id, 22 characters of URL-safe base64. */
  topic_id: string;
  /** Replicas of each partition. */
  replication_factor: number;
  /** Settings that were given. */
  configs: Record<string, string>;
  /** The partitions, from 0. */
  partitions: PartitionState[];
  /** Whether it is one of Kafka's own: `__transaction_state`, `__consumer_offsets`. */
  is_internal: boolean;
}

/** A transactional id as its coordinator knows it. */
export interface TransactionSnapshot {
  /** The id. */
  transactional_id: string;
  /** Its partition of `__transaction_state`. */
  partition: number;
  /** The broker that coordinates it, while one does. */
  coordinator: number | null;
  /** The state that counts. */
  state: TransactionState;
  /** The state that is on its way into the log. */
  pending_state: TransactionState | null;
  /** The producer id. */
  producer_id: number;
  /** Its epoch; absent before the first. */
  epoch: number | null;
  /** The epoch before the last raise, if it is remembered. */
  last_epoch: number | null;
  /** `transaction.timeout.ms` of its producer. */
  timeout: string;
  /** When its first partition was added. */
  started: number | null;
  /** Partitions of the transaction; while markers leave, those that have none yet. */
  partitions: TopicPartition[];
  /** Its records in `__transaction_state`, oldest first. */
  log: TransactionLogSnapshot[];
}

/** One broker. */
export interface BrokerSpec {
  /** Its `broker.id`. */
  id: number;
  /** Its `broker.rack`, if it has one. */
  rack?: string;
  /** How long it works on one Produce request; a slow disk has a long time. */
  produce_time?: string;
  /** Bytes a second that it can send to followers and readers; without it sending takes no time. */
  bandwidth?: string;
  /** Its own settings, over those of the cluster. */
  configs?: Record<string, string>;
}

/** Records that a partition holds at time 0: either records with keys and values, one batch each, or `records` of them without content, in equal batches. */
export interface Preload {
  /** The partition. */
  partition: number;
  /** Keys of records with content; an empty text is an empty key. */
  keys?: string[];
  /** Their values, taken in turn; without any, each is a tombstone. */
  values?: string[];
  /** Places in `keys`, from 0, whose record is a tombstone all the same. */
  tombstones?: number[];
  /** Records without content, instead of keys. */
  records?: number;
  /** Records in each batch; 1 by default. */
  batch_records?: number;
  /** Size of each batch without content. */
  batch_size?: string;
  /** First offsets of segments, beyond those that the topic's settings make. */
  segments?: number[];
  /** Time between the timestamps of two batches; the last batch is written at time 0. */
  every?: string;
}

/** Which of the two ends of a transaction a control record tells. */
export type MarkerKind = "commit" | "abort";

/** Keys made of a prefix and a number. */
export interface KeyPattern {
  /** Text before the number. */
  prefix: string;
  /** The first number; 1 by default. */
  first?: number;
  /** How many keys. */
  count: number;
}

/** How the records of a batch are compressed. */
export type Codec = "none" | "gzip" | "snappy" | "lz4" | "zstd";

/** The API of a request. */
export type Api = "Metadata" | "Produce" | "Fetch" | "CreateTopics" | "CreatePartitions" | "DeleteTopics" | "IncrementalAlterConfigs" | "DeleteRecords" | "AlterPartitionReassignments" | "ElectLeaders" | "AlterPartition" | "BrokerRegistration" | "BrokerHeartbeat" | "InitProducerId" | "ListOffsets" | "FindCoordinator" | "AddPartitionsToTxn" | "AddOffsetsToTxn" | "EndTxn" | "WriteTxnMarkers" | "TxnOffsetCommit" | "JoinGroup" | "SyncGroup" | "Heartbeat" | "LeaveGroup" | "OffsetCommit" | "OffsetFetch" | "ConsumerGroupHeartbeat" | "DeleteGroups" | "OffsetDelete" | "ShareGroupHeartbeat" | "ShareFetch" | "ShareAcknowledge" | "InitializeShareGroupState" | "ReadShareGroupState" | "WriteShareGroupState" | "DeleteShareGroupState" | "AlterShareGroupOffsets" | "DeleteShareGroupOffsets";

/** The name of a record in a run. */
export interface RecordId {
  /** Number of the producer instance, in order of creation. */
  producer: number;
  /** Number of the record at that instance, from 0. */
  number: number;
}

/** A call of an application that can wait. */
export type Call = "send" | "partitions_for" | "flush" | "close" | "init_transactions" | "begin_transaction" | "commit_transaction" | "abort_transaction" | "send_offsets_to_transaction";

/** A transaction in the eyes of its producer (`TransactionManager.State` of the Java client). */
export type ClientState = "UNINITIALIZED" | "INITIALIZING" | "READY" | "IN_TRANSACTION" | "PREPARED_TRANSACTION" | "COMMITTING_TRANSACTION" | "ABORTING_TRANSACTION" | "ABORTABLE_ERROR" | "FATAL_ERROR";

/** A transaction in the eyes of its coordinator (`TransactionState` of Kafka). */
export type TransactionState = "Empty" | "Ongoing" | "PrepareCommit" | "PrepareAbort" | "CompleteCommit" | "CompleteAbort" | "Dead" | "PrepareEpochFence";

/** What a call waits for. */
export type WaitReason = "metadata" | "buffer" | "coordinator" | "batches";

/** How a broker's process is. */
export type BrokerState = "running" | "shutting_down" | "paused" | "stopped";

/** How a client's process is. */
export type ClientProcess = "running" | "frozen" | "crashed";

/** Where a reader stands in a partition. */
export interface PositionSnapshot {
  /** The topic. */
  topic: string;
  /** The partition. */
  partition: number;
  /** The next offset to read. */
  position: number;
  /** The broker that it reads from. */
  read_from: number | null;
}

/** A record as a reader got it. */
export interface ReadRecord extends KafkaRecord {
  /** The topic. */
  topic: string;
  /** The partition. */
  partition: number;
  /** Its offset. */
  offset: number;
  /** When it was read. */
  read: Moment;
}

/** A batch inside a producer. */
export interface BatchSnapshot {
  /** Its topic. */
  topic: string;
  /** Its partition. */
  partition: number;
  /** Records inside. */
  record_count: number;
  /** Bytes inside. */
  size_bytes: number;
  /** Whether it is on its way to the broker. */
  is_in_flight: boolean;
}

/** A producer's memory for records: the Java client's buffer pool, or librdkafka's queue. */
export interface BufferSnapshot {
  /** `buffer.memory`, or `queue.buffering.max.kbytes` in bytes. */
  total_bytes: number;
  /** What is not handed out. */
  available_bytes: number;
  /** Size of a pooled buffer: `batch.size`; 0 for librdkafka. */
  buffer_bytes: number;
  /** `queue.buffering.max.messages` and how many are queued; librdkafka only. */
  messages: [number, number] | null;
  /** Batches that hold memory, those in flight included, by partition. */
  batches: [TopicPartition, number][];
}

/** A call that waits. */
export interface CallSnapshot {
  /** The call. */
  call: Call;
  /** What it waits for. */
  reason: WaitReason;
  /** Since when. */
  since: number;
  /** When it gives up. */
  deadline: number | null;
}

/** The record that a producer handed over last. */
export interface LastRecord {
  /** The record. */
  record: KafkaRecord;
  /** Its topic. */
  topic: string;
  /** Its partition. */
  partition: number;
  /** Why it goes there. */
  decision: Decision;
}

/** Whether a producer runs. */
export type ProducerStatus = "READY" | "CLOSING" | "CLOSED";

/** The keyless rule at one topic. */
export interface StickySnapshot {
  /** The topic. */
  topic: string;
  /** The current partition, once one was chosen. */
  partition: number | null;
  /** Bytes since the last switch, where the rule counts them. */
  produced_bytes: number;
  /** Bytes at which it may move on; 0 where the rule does not count. */
  threshold_bytes: number;
}

/** A partition. */
export interface PartitionState {
  /** Its number. */
  partition: number;
  /** The leader's broker id. */
  leader: number | null;
  /** Raised with every election. */
  leader_epoch: number;
  /** Replicas, the preferred leader first. */
  replicas: number[];
  /** In-sync replicas. */
  isr: number[];
  /** First offset of the log. */
  log_start_offset: number;
  /** Readers see everything below. */
  high_watermark: number;
  /** Below it no transaction is open. */
  last_stable_offset: number;
  /** The next offset. */
  log_end_offset: number;
  /** Bytes in the log. */
  size_bytes: number;
  /** Records in the log. */
  record_count: number;
  /** The last records, oldest first, at most as many as were asked for. */
  records: LogRecord[];
  /** Raised with every change of leader, replicas or in-sync set. */
  partition_epoch: number;
  /** Eligible leader replicas (KIP-966). */
  elr: number[];
  /** The last known leader, while nobody else may lead. */
  last_known_elr: number[];
  /** Replicas that a reassignment adds. */
  adding: number[];
  /** Replicas that a reassignment removes. */
  removing: number[];
  /** Whether an unclean election has not been settled yet. */
  is_recovering: boolean;
  /** `min.insync.replicas` as it applies: never more than there are replicas. */
  min_isr: number;
  /** Each replica's own log, in the order of `replicas`; without those whose broker is gone for good. */
  logs: ReplicaSnapshot[];
  /** What the leader knows of the producers that wrote to it, by producer id. */
  producers: ProducerStateSnapshot[];
  /** Aborted transactions, oldest first: the leader's `.txnindex` files. */
  aborted: AbortedTransaction[];
}

/** One record of a transactional id in `__transaction_state`. */
export interface TransactionLogSnapshot {
  /** Its offset. */
  offset: number;
  /** The state; absent for a tombstone. */
  state: TransactionState | null;
  /** The producer id. */
  producer_id: number;
  /** The producer id before the last rotation, in format 1. */
  previous_producer_id: number | null;
  /** The producer id to come, in format 1. */
  next_producer_id: number | null;
  /** The epoch; absent for none. */
  epoch: number | null;
  /** Partitions of the transaction. */
  partitions: TopicPartition[];
  /** The timeout. */
  timeout: string;
  /** When the transaction began, if a time is stored. */
  started: number | null;
  /** Record format: 0 with transaction.version 0, else 1. */
  value_version: number;
  /** 0 until the first request of a version 2 client, then 2. */
  client_transaction_version: number;
}

/** An entry of a partition's index of aborted transactions. */
export interface AbortedTransaction {
  /** Whose. */
  producer_id: number;
  /** Its first record. */
  first_offset: number;
  /** Its marker. */
  last_offset: number;
  /** The last stable offset when the marker was written. */
  last_stable_offset: number;
}

/** A record in a log. */
export interface LogRecord extends Partial<RecordOrigin>, KafkaRecord {
  /** Its offset. */
  offset: number;
  /** When the leader appended it. */
  appended: Moment;
  /** The leader epoch of its batch. */
  leader_epoch: number;
}

/** What a partition's leader knows of one producer. */
export interface ProducerStateSnapshot {
  /** Its id. */
  producer_id: number;
  /** The epoch that it wrote with last. */
  epoch: number;
  /** Its last sequence; absent when no batch is remembered. */
  last_sequence: number | null;
  /** Timestamp of its last batch or marker, in milliseconds. */
  last_timestamp: number;
  /** The coordinator's epoch in its last marker. */
  coordinator_epoch: number | null;
  /** First offset of its open transaction. */
  transaction_start: number | null;
}

/** One replica's own log. */
export interface ReplicaSnapshot {
  /** The broker. */
  broker: number;
  /** Whether it leads, as its broker sees it. */
  is_leader: boolean;
  /** Whether it is in the in-sync set. */
  is_in_sync: boolean;
  /** First offset, remote storage included. */
  log_start_offset: number;
  /** First offset on the local disk. */
  local_log_start_offset: number;
  /** What this replica takes for the high watermark. */
  high_watermark: number;
  /** The high watermark in its checkpoint file. */
  checkpointed_high_watermark: number;
  /** The next offset. */
  log_end_offset: number;
  /** Bytes on the local disk. */
  size_bytes: number;
  /** Segments on the local disk. */
  segment_count: number;
  /** First offset of the active segment. */
  active_base_offset: number;
  /** Everything below was compacted. */
  clean_until: number;
  /** The last records of a follower, oldest first, at most `FOLLOWER_RECORDS_MAX`; empty at the leader, whose records are the partition's. */
  records: LogRecord[];
  /** Leader epochs and the offsets at which they began, as in `leader-epoch-checkpoint`. */
  epochs: [number, number][];
}

/** Who wrote a record of an idempotent or transactional producer, and what became of its transaction. */
export interface RecordOrigin {
  /** The producer id. */
  producer_id: number;
  /** The producer epoch. */
  epoch: number;
  /** The record's sequence; absent for markers. */
  sequence: number | null;
  /** First and last offset of its batch. */
  batch: [number, number];
  /** Whether its batch is part of a transaction. */
  is_transactional: boolean;
  /** Set for control records. */
  marker: MarkerKind | null;
  /** The coordinator's epoch, in markers. */
  coordinator_epoch: number | null;
  /** What became of the transaction, as the log tells it; none for records outside of transactions and for markers. */
  fate: Fate | null;
}

/** What became of a record in a transaction. */
export type Fate = "open" | "committed" | "aborted";

/** A future that was set aside. */
export interface Branch {
  id: number;
  forked: Moment;
  end: Moment;
  command_count: number;
}

/** A fact in the past tense. `kind` says which fields it has beside these. */
export type Event = Moment & {
  /** Its place in the trace, from 0. */
  index: number;
  /** The event that led to it. */
  cause?: number;
  /** The fact in plain words. */
  sentence: string;
} & EventKind;

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
