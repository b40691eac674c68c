/* Times librdkafka's own crc32 partitioner on fixed keys: a name and nanoseconds a line.
 * The keys are those of tests/src/bench.rs. */
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COUNT 100000
static volatile long sink;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static long place(const char *keys, int length) {
  long sum = 0;
  for (int i = 0; i < COUNT; i++)
    sum += rd_kafka_msg_partitioner_consistent(NULL, keys + (size_t)i * length, length, 48, NULL, NULL);
  return sum;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(void) {
  int lengths[] = {8, 16, 32, 64};
  for (int l = 0; l < 4; l++) {
    int length = lengths[l];
    char *keys = malloc((size_t)COUNT * length);
    long long x = 88172645463325252LL;
    for (size_t i = 0; i < (size_t)COUNT * length; i++) {
      x ^= (long long)((unsigned long long)x << 13);
      x ^= (long long)((unsigned long long)x >> 7);
      x ^= (long long)((unsigned long long)x << 17);
      keys[i] = (char)('a' + ((x % 26) + 26) % 26);
    }
    double end = now_ns() + 5e8, rounds[101];
    while (now_ns() < end) sink += place(keys, length);
    for (int r = 0; r < 101; r++) {
      double start = now_ns();
      sink += place(keys, length);
      rounds[r] = (now_ns() - start) / COUNT;
    }
    qsort(rounds, 101, sizeof(double), by_value);
    printf("crc32/%d %.2f\n", length, rounds[0]);
    free(keys);
  }
  return 0;
}
