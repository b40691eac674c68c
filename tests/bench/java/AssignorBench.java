// Times the Java client's own assignors on groups of fixed sizes: a name and milliseconds a line.
// The groups are those of tests/src/bench/assign.rs.
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;

public class AssignorBench {
    static final int[][] SIZES = {
        {10, 10, 12}, {100, 10, 12}, {100, 100, 10}, {500, 100, 10}, {1000, 100, 50}, {10000, 100, 1000}
    };
    static final int[][] SMALL_SIZES = {{100, 10, 12}, {100, 100, 10}, {500, 100, 10}};
    static final List<String> ASSIGNORS = List.of("range", "roundrobin", "sticky", "cooperative-sticky");
    static volatile long sink;

    public static void main(String[] arguments) {
        for (String name : ASSIGNORS) {
            for (String kind : List.of("fresh", "join", "mixed", "mixed-join", "racks")) {
                if (kind.equals("racks") && name.equals("roundrobin")) continue;
                for (int[] size : kind.equals("fresh") || kind.equals("join") ? SIZES : SMALL_SIZES) {
                    double best = best(name, kind, size);
                    System.out.printf(Locale.ROOT, "assign-ms/%s/%s/%dx%dx%d %.4f%n", name, kind, size[0], size[1], size[2], best);
                }
            }
        }
    }

    static double best(String name, String kind, int[] size) {
        Cluster cluster = cluster(size[1], size[2], kind.equals("racks"));
        Map<String, Subscription> group = new HashMap<>();
        int kinds = kind.startsWith("mixed") ? 5 : 1;
        for (int member = 0; member < size[0]; member++) group.put("member-" + member, fresh(member, size[1], kinds));
        if (kind.equals("racks")) {
            Map<String, Subscription> racks = new HashMap<>();
            int place = 0;
            for (String id : group.keySet()) {
                Optional<String> rack = Optional.of("rack-" + place++ % 3);
                racks.put(id, new Subscription(group.get(id).topics(), null, List.of(), -1, rack));
            }
            group = racks;
        }
        if (kind.endsWith("join")) {
            Map<String, Assignment> before = assign(name, cluster, group);
            Map<String, Subscription> next = new HashMap<>();
            for (Map.Entry<String, Subscription> entry : group.entrySet()) {
                Assignment own = before.get(entry.getKey());
                ByteBuffer userData = userData(name, entry.getKey(), own);
                next.put(entry.getKey(), new Subscription(entry.getValue().topics(), userData, own.partitions(), 1, Optional.empty()));
            }
            next.put("member-" + size[0], fresh(size[0], size[1], kinds));
            group = next;
        }
        double best = Double.POSITIVE_INFINITY;
        long begin = System.nanoTime();
        for (int round = 0; round < 3 || System.nanoTime() - begin < 1_500_000_000L; round++) {
            long start = System.nanoTime();
            sink += assign(name, cluster, group).size();
            best = Math.min(best, (System.nanoTime() - start) / 1e6);
        }
        return best;
    }

    static Map<String, Assignment> assign(String name, Cluster cluster, Map<String, Subscription> group) {
        return assignor(name).assign(cluster, new GroupSubscription(group)).groupAssignment();
    }

    static ConsumerPartitionAssignor assignor(String name) {
        return switch (name) {
            case "range" -> new RangeAssignor();
            case "roundrobin" -> new RoundRobinAssignor();
            case "sticky" -> new StickyAssignor();
            default -> new CooperativeStickyAssignor();
        };
    }

    static Subscription fresh(int member, int topics, int kinds) {
        List<String> names = new ArrayList<>();
        for (int topic = member % kinds; topic < topics; topic += kinds) names.add("topic-" + topic);
        return new Subscription(names);
    }

    // What the member itself would send when it joins again.
    @SuppressWarnings("removal")
    static ByteBuffer userData(String name, String member, Assignment own) {
        ConsumerPartitionAssignor assignor = assignor(name);
        assignor.onAssignment(own, new ConsumerGroupMetadata("g", 1, member, Optional.empty()));
        return assignor.subscriptionUserData(new HashSet<>());
    }

    static Cluster cluster(int topics, int partitions, boolean hasRacks) {
        Node[] nodes = new Node[3];
        for (int node = 0; node < 3; node++) nodes[node] = new Node(node, "h", 1, hasRacks ? "rack-" + node : null);
        List<PartitionInfo> all = new ArrayList<>();
        for (int topic = 0; topic < topics; topic++) {
            for (int partition = 0; partition < partitions; partition++) {
                Node[] replicas = {nodes[partition % 3], nodes[(partition + 1) % 3]};
                all.add(new PartitionInfo("topic-" + topic, partition, replicas[0], replicas, replicas));
            }
        }
        return new Cluster("c", Arrays.asList(nodes), all, Set.of(), Set.of());
    }
}
