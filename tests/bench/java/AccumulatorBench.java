// Times the Java client's record accumulator: append, ready, drain and completion of records of 1,024 bytes round
// 12 partitions. Prints a name and records a second. It neither sends nor stores: what it leaves out, the engine does.
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.MetadataSnapshot;
import org.apache.kafka.clients.producer.internals.BufferPool;
import org.apache.kafka.clients.producer.internals.ProducerBatch;
import org.apache.kafka.clients.producer.internals.RecordAccumulator;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.MetadataResponse.PartitionMetadata;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

public class AccumulatorBench {
    static final int PARTITIONS = 12;
    static final int BROKERS = 3;
    static final int RECORDS = 600_000;

    public static void main(String[] arguments) throws Exception {
        double best = 0;
        for (int round = 0; round < 7; round++) best = Math.max(best, RECORDS / seconds());
        System.out.printf(Locale.ROOT, "accumulator-records-per-second %.0f%n", best);
    }

    static double seconds() throws Exception {
        MetadataSnapshot metadata = metadata();
        Cluster cluster = metadata.cluster();
        Metrics metrics = new Metrics();
        BufferPool pool = new BufferPool(33_554_432, 16_384, metrics, Time.SYSTEM, "producer-metrics");
        RecordAccumulator accumulator = new RecordAccumulator(new LogContext(), 16_384, Compression.NONE, 1_000, 100,
            1_000, 120_000, metrics, "producer-metrics", Time.SYSTEM, null, pool);
        byte[] key = new byte[6];
        byte[] value = new byte[1_018];
        Header[] headers = new Header[0];
        long offset = 0;
        long start = System.nanoTime();
        for (int record = 0; record < RECORDS; record++) {
            long now = start / 1_000_000;
            var result = accumulator.append("events", record % PARTITIONS, now, key, value, headers, null, 60_000, now, cluster);
            if (!result.batchIsFull && !result.newBatchCreated) continue;
            var ready = accumulator.ready(metadata, now);
            var drained = accumulator.drain(metadata, ready.readyNodes, 16_384, now);
            for (List<ProducerBatch> batches : drained.values()) {
                for (ProducerBatch batch : batches) {
                    batch.complete(offset, -1);
                    accumulator.completeAndDeallocateBatch(batch);
                    offset += 15;
                }
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        metrics.close();
        return seconds;
    }

    static MetadataSnapshot metadata() {
        Map<Integer, Node> nodes = new java.util.HashMap<>();
        for (int id = 0; id < BROKERS; id++) nodes.put(id, new Node(id, "broker-" + id, 9092));
        List<PartitionMetadata> partitions = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            int leader = partition % BROKERS;
            partitions.add(new PartitionMetadata(Errors.NONE, new TopicPartition("events", partition),
                Optional.of(leader), Optional.of(0), List.of(leader), List.of(leader), List.of()));
        }
        return new MetadataSnapshot("cluster", nodes, partitions, Set.of(), Set.of(), Set.of(), nodes.get(0), Map.of());
    }
}
