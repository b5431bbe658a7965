import java.io.*;
import java.lang.reflect.*;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.utils.Exit;

/**
 * Runs Kafka's command line tools one after the other in one process, each by its own `main`: a JVM for each takes seconds.
 * Reads `file TAB class TAB arguments` a line, what the tool prints goes to the file; answers `ok` or `error ...`.
 */
public class Tools {
    static OutputStream current;

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream answers = System.out;
        // Scala keeps the stream that it sees first: one for all, with another file behind it each time.
        System.setOut(new PrintStream(new OutputStream() {
            @Override public void write(int one) throws IOException { current.write(one); }
            @Override public void write(byte[] some, int from, int count) throws IOException { current.write(some, from, count); }
            @Override public void flush() throws IOException { current.flush(); }
        }, true, "UTF-8"));
        Exit.setExitProcedure((status, why) -> { throw new Ended(status, why); });
        for (String line; (line = in.readLine()) != null; ) {
            String[] c = line.split("\t", -1);
            for (int i = 0; i < c.length; i++) c[i] = c[i].replace("\\t", "\t");
            current = new BufferedOutputStream(new FileOutputStream(c[0]));
            answers.println(run(c[1], Arrays.copyOfRange(c, 2, c.length)));
            System.out.flush();
            current.close();
        }
    }

    static String run(String name, String[] args) {
        try {
            Class<?> main = Class.forName(name);
            forget(main);
            main.getMethod("main", String[].class).invoke(null, (Object) args);
            return "ok";
        } catch (Throwable wrong) {
            Throwable cause = wrong instanceof InvocationTargetException ? wrong.getCause() : wrong;
            if (cause instanceof Ended && ((Ended) cause).status == 0) return "ok";
            cause.printStackTrace();
            return "error " + String.valueOf(cause).replace('\n', ' ');
        }
    }

    /** The console consumer counts the messages of its process. */
    static void forget(Class<?> main) throws Exception {
        Class<?> holder = main;
        Object of = null;
        try {
            holder = Class.forName(main.getName() + "$");
            of = holder.getField("MODULE$").get(null);
        } catch (ClassNotFoundException | NoSuchFieldException isJava) {
            of = null;
        }
        for (Field field : holder.getDeclaredFields())
            if (field.getName().equals("messageCount")) {
                field.setAccessible(true);
                field.setInt(of, 0);
            }
    }

    static class Ended extends RuntimeException {
        final int status;

        Ended(int status, String why) {
            super("exit " + status + " " + why);
            this.status = status;
        }
    }
}
