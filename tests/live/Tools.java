import java.io.*;
import java.lang.reflect.*;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Runs Kafka's command line tools one after the other in one process, each by its own `main`: a JVM for each takes seconds.
 * Reads `file TAB class TAB arguments` a line, what the tool prints goes to the file, and where `2>&1` stands before the class
 * what it has to say besides; answers `ok` or `error ...`.
 */
public class Tools {
    static OutputStream current;

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream answers = System.out, errors = System.err;
        // Scala keeps the stream that it sees first: one for all, with another file behind it each time.
        System.setOut(new PrintStream(new OutputStream() {
            @Override public void write(int one) throws IOException { current.write(one); }
            @Override public void write(byte[] some, int from, int count) throws IOException { current.write(some, from, count); }
            @Override public void flush() throws IOException { current.flush(); }
        }, true, "UTF-8"));
        stay();
        for (String line; (line = in.readLine()) != null; ) {
            String[] c = line.split("\t", -1);
            for (int i = 0; i < c.length; i++) c[i] = c[i].replace("\\t", "\t");
            current = new BufferedOutputStream(new FileOutputStream(c[0]));
            boolean isAll = c[1].equals("2>&1");
            if (isAll) System.setErr(System.out);
            answers.println(run(c[isAll ? 2 : 1], Arrays.copyOfRange(c, isAll ? 3 : 2, c.length)));
            System.setErr(errors);
            System.out.flush();
            current.close();
        }
    }

    /** Tools from 0.11 on end by a class of Kafka's; 0.10 ends the process where something is wrong, and only there. */
    static void stay() throws Exception {
        try {
            Class<?> exit = Class.forName("org.apache.kafka.common.utils.Exit");
            Class<?> procedure = Class.forName("org.apache.kafka.common.utils.Exit$Procedure");
            Object refuse = Proxy.newProxyInstance(Tools.class.getClassLoader(), new Class<?>[] {procedure}, (proxy, method, with) -> {
                throw new Ended((Integer) with[0], (String) with[1]);
            });
            exit.getMethod("setExitProcedure", procedure).invoke(null, refuse);
        } catch (ClassNotFoundException isOld) {
            return;
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
            System.err.print("Exception in thread \"main\" ");
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
