// A server whose sessions expire: its memory follows its load.
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.*;

public class Sessions {
    public static void main(String[] args) throws Exception {
        ConcurrentHashMap<Long, byte[]> sessions = new ConcurrentHashMap<>();
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 50);
        server.createContext("/", exchange -> {
            long id = ThreadLocalRandom.current().nextLong();
            sessions.put(id, new byte[ThreadLocalRandom.current().nextInt(4096, 16384)]);
            clock.schedule(() -> sessions.remove(id), Long.parseLong(args[1]), TimeUnit.MILLISECONDS);
            byte[] answer = "done".getBytes();
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
    }
}
