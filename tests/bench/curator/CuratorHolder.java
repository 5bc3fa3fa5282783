import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Curator's mutex on one directory, for the tests that let it meet the library there.
 *
 * <p>CuratorHolder HOST:PORT PATH SESSION_TIMEOUT_MS reads commands, one a line: "acquire" says
 * "acquired" when it is, "release" says "released", "count N FILE" adds one to the number in the
 * file N times, each time under the mutex, and says "counted".
 */
public final class CuratorHolder {
  private static void addOne(Path file) throws Exception {
    String text = Files.exists(file) ? Files.readString(file).trim() : "0";
    Files.writeString(file, Long.parseLong(text) + 1 + "\n");
  }

  private static String obey(InterProcessMutex mutex, String[] words) throws Exception {
    switch (words[0]) {
      case "acquire":
        mutex.acquire();
        return "acquired";
      case "release":
        mutex.release();
        return "released";
      case "count":
        for (int i = 0; i < Integer.parseInt(words[1]); i++) {
          mutex.acquire();
          addOne(Path.of(words[2]));
          mutex.release();
        }
        return "counted";
      default:
        throw new IllegalArgumentException(words[0]);
    }
  }

  public static void main(String[] arguments) throws Exception {
    CuratorFramework client = CuratorFrameworkFactory.builder()
        .connectString(arguments[0])
        .sessionTimeoutMs(Integer.parseInt(arguments[2]))
        .retryPolicy(new ExponentialBackoffRetry(1000, 3))
        .build();
    client.start();
    client.blockUntilConnected();
    InterProcessMutex mutex = new InterProcessMutex(client, arguments[1]);
    System.out.println("connected");
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      System.out.println(obey(mutex, line.split(" ")));
    }
    client.close();
  }
}
