// A server with a cache of bounded size, and with -Dleak a list that nothing removes from.
import com.sun.net.httpserver.HttpServer;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.net.InetSocketAddress;
import java.util.*;
import java.util.concurrent.Executors;

public class Work {
    static final Map<Integer, byte[]> cache = new LinkedHashMap<>(16, .75f, true) {
        protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> oldest) { return size() > 5000; }
    };

    static synchronized String work() {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < 3000; i++)
            words.add("item " + i * 31);
        int key = new Random().nextInt(20000);
        cache.put(key, String.join(",", words).substring(0, 8000).getBytes());
        return "done";
    }

    static String stats() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        long used = memory.getHeapMemoryUsage().getUsed() + memory.getNonHeapMemoryUsage().getUsed();
        long held = memory.getHeapMemoryUsage().getCommitted() + memory.getNonHeapMemoryUsage().getCommitted();
        return "{\"used\": " + used + ", \"held\": " + held + "}";
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 50);
        server.createContext("/", exchange -> {
            byte[] answer = (exchange.getRequestURI().getPath().equals("/stats") ? stats() : work()).getBytes();
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
    }
}
