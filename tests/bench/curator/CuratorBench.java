import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Apache Curator in the scenarios of the benchmark: CuratorBench SCENARIO HOST:PORT. */
public final class CuratorBench {
  private static final int TASKS = 16;
  private static final int SET_SIZE = 100;
  private static final int WAITER_SESSIONS = 25;

  private final List<CuratorFramework> clients = new ArrayList<>();
  private final List<InterProcessLock> kept = new ArrayList<>();

  private interface Work {
    void run() throws Exception;
  }

  /** What the threads of one run count; the first failure ends the program. */
  private static Thread start(Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (Exception error) {
        error.printStackTrace();
        System.exit(1);
      }
    });
    thread.start();
    return thread;
  }

  private static double seconds(long beginNanos) {
    return (System.nanoTime() - beginNanos) / 1e9;
  }

  private static String path(int partition) {
    return "/curator/bench/library/dt=" + partition;
  }

  private void connect(String address, int sessions) throws Exception {
    for (int i = 0; i < sessions; i++) {
      CuratorFramework client = CuratorFrameworkFactory.builder()
          .connectString(address)
          .sessionTimeoutMs(30_000)
          .connectionTimeoutMs(30_000)
          .retryPolicy(new ExponentialBackoffRetry(1000, 3))
          .build();
      client.start();
      client.blockUntilConnected();
      clients.add(client);
    }
  }

  private InterProcessMutex mutex(int client, int partition) {
    return new InterProcessMutex(clients.get(client % clients.size()), path(partition));
  }

  private static void cycle(InterProcessLock lock) throws Exception {
    lock.acquire();
    lock.release();
  }

  /** One caller: cycles until the time is over. */
  private String oneCaller(InterProcessLock lock, double duration) throws Exception {
    long begin = System.nanoTime();
    long cycles = 0;
    while (seconds(begin) < duration) {
      cycle(lock);
      cycles++;
    }
    return outcome(cycles, seconds(begin));
  }

  private String threads(boolean onePartition, double duration) throws Exception {
    AtomicLong cycles = new AtomicLong();
    AtomicBoolean stop = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    long begin = System.nanoTime();
    for (int i = 0; i < TASKS; i++) {
      InterProcessMutex lock = mutex(i, onePartition ? 0 : i);
      threads.add(start(() -> {
        while (!stop.get()) {
          cycle(lock);
          cycles.incrementAndGet();
        }
      }));
    }
    Thread.sleep((long) (duration * 1000));
    stop.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    return outcome(cycles.get(), seconds(begin));
  }

  /** A holder and a queue behind it; each lets go as soon as it is granted. */
  private String queue(int waiters) throws Exception {
    InterProcessMutex held = mutex(0, 0);
    held.acquire();
    CountDownLatch ended = new CountDownLatch(waiters);
    for (int i = 0; i < waiters; i++) {
      InterProcessMutex lock = mutex(i, 0);
      start(() -> {
        cycle(lock);
        ended.countDown();
      });
    }
    while (held.getParticipantNodes().size() < waiters + 1) {
      Thread.sleep(100);
    }
    long begin = System.nanoTime();
    held.release();
    ended.await();
    return outcome(waiters + 1L, seconds(begin));
  }

  /** Takes that many locks and keeps them. */
  private String held(int count) throws Exception {
    long begin = System.nanoTime();
    InterProcessMutex[] locks = new InterProcessMutex[count];
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      int first = i;
      threads.add(start(() -> {
        for (int j = first; j < count; j += TASKS) {
          locks[j] = mutex(0, j);
          locks[j].acquire();
        }
      }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    kept.addAll(List.of(locks));
    return outcome(count, seconds(begin));
  }

  private InterProcessLock set() {
    List<InterProcessLock> locks = new ArrayList<>();
    for (int i = 0; i < SET_SIZE; i++) {
      locks.add(mutex(0, i));
    }
    return new InterProcessMultiLock(locks);
  }

  private static long residentBytes() throws IOException {
    String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
    return Long.parseLong(pages[1]) * 4096;
  }

  private static String outcome(long operations, double duration) throws IOException {
    return String.format(
        Locale.ROOT, "{\"operations\": %d, \"seconds\": %.6f, \"resident_bytes\": %d}", operations,
        duration, residentBytes());
  }

  private String run(String scenario, double amount) throws Exception {
    return switch (scenario) {
      case "serial" -> oneCaller(mutex(0, 0), amount);
      case "set" -> oneCaller(set(), amount);
      case "parallel" -> threads(false, amount);
      case "contended" -> threads(true, amount);
      case "waiters" -> queue((int) amount);
      case "held" -> held((int) amount);
      default -> throw new IllegalArgumentException(scenario);
    };
  }

  private static int sessions(String scenario) {
    return switch (scenario) {
      case "contended" -> TASKS;
      case "waiters" -> WAITER_SESSIONS;
      default -> 1;
    };
  }

  /** Amounts on the standard input, one line of JSON for each on the standard output. */
  public static void main(String[] words) throws Exception {
    CuratorBench bench = new CuratorBench();
    bench.connect(words[1], sessions(words[0]));
    System.out.println("{\"ready\": true}");
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      System.out.println(bench.run(words[0], Double.parseDouble(line)));
    }
    System.exit(0);
  }
}
