// Heap leak|cache: adds 1 MiB of arrays for each byte of input, beside 16 MiB of garbage and 16 MiB that are never read.
import java.util.ArrayList;

class Heap {
    static byte[] garbage;
    static long sum;

    public static void main(String[] args) throws Exception {
        ArrayList<byte[]> held = new ArrayList<>();
        byte[][] idle = new byte[256][64 * 1024];
        int c;

        while ((c = System.in.read()) >= 0) {
            for (int i = 0; i < 16; i++)
                held.add(new byte[64 * 1024]);
            for (int i = 0; i < 256; i++)
                garbage = new byte[64 * 1024];
            if (args[0].equals("cache"))
                for (byte[] piece : held)
                    for (int i = 0; i < piece.length; i += 4096)
                        sum += piece[i];
            sum += idle.length;
            System.out.write(c);
            System.out.flush();
        }
    }
}
