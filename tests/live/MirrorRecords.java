import java.lang.reflect.Method;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.mirror.*;

/** Records as MirrorMaker 2 writes them: `topic TAB key TAB value` a line, in hexadecimal digits. */
public class MirrorRecords {
    public static void main(String[] args) throws Exception {
        TopicPartition one = new TopicPartition("or-ders.v1", 3), two = new TopicPartition("source.ledger", 0);
        for (Object sync : List.of(new OffsetSync(one, 10, 4), new OffsetSync(two, 12345678901L, 0), new OffsetSync(one, 11, 5)))
            print("mm2-offset-syncs.target.internal", sync);
        for (Object checkpoint : List.of(
                new Checkpoint("billing", two, 20, 19, "some, text"), new Checkpoint("a, topicPartition=b", one, 7, 7, ""),
                new Checkpoint("billing", two, 21, 20, "")))
            print("source.checkpoints.internal", checkpoint);
        for (Object beat : List.of(new Heartbeat("source", "target", 1700000000000L), new Heartbeat("source", "target", 1700000001000L)))
            print("heartbeats", beat);
    }

    static void print(String topic, Object record) throws Exception {
        System.out.println(topic + "\t" + hex(record, "recordKey") + "\t" + hex(record, "recordValue"));
    }

    static String hex(Object record, String side) throws Exception {
        Method read = record.getClass().getDeclaredMethod(side);
        read.setAccessible(true);
        StringBuilder found = new StringBuilder("hex:");
        for (byte one : (byte[]) read.invoke(record)) found.append(String.format("%02x", one));
        return found.toString();
    }
}
