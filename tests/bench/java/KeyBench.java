// Times the Java client's own key placement on fixed keys: a name and nanoseconds a line.
// The keys are those of tests/src/bench.rs.
import java.util.Arrays;
import java.util.Locale;
import org.apache.kafka.common.utils.Utils;

public class KeyBench {
    static volatile long sink;

    public static void main(String[] arguments) {
        for (int length : new int[] {8, 16, 32, 64}) {
            byte[][] keys = keys(100_000, length);
            long end = System.nanoTime() + 1_500_000_000L;
            while (System.nanoTime() < end) sink += place(keys);
            double[] rounds = new double[101];
            for (int round = 0; round < rounds.length; round++) {
                long start = System.nanoTime();
                sink += place(keys);
                rounds[round] = (System.nanoTime() - start) / (double) keys.length;
            }
            Arrays.sort(rounds);
            System.out.printf(Locale.ROOT, "murmur2/%d %.2f%n", length, rounds[0]);
        }
    }

    static long place(byte[][] keys) {
        long sum = 0;
        for (byte[] key : keys) sum += Utils.toPositive(Utils.murmur2(key)) % 48;
        return sum;
    }

    static byte[][] keys(int count, int length) {
        byte[][] keys = new byte[count][length];
        long x = 88172645463325252L;
        for (byte[] key : keys) {
            for (int at = 0; at < length; at++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
                key[at] = (byte) ('a' + Math.floorMod(x, 26));
            }
        }
        return keys;
    }
}
