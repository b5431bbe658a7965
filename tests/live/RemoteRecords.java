import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.*;
import org.apache.kafka.server.log.remote.metadata.storage.serialization.RemoteLogMetadataSerde;
import org.apache.kafka.server.log.remote.storage.*;

/** Records as tiered storage writes them to `__remote_log_metadata`: `topic TAB ~ TAB value` a line, in hexadecimal digits. */
public class RemoteRecords {
    public static void main(String[] args) {
        TopicIdPartition where = new TopicIdPartition(new Uuid(1, 2), new TopicPartition("ledger", 0));
        RemoteLogSegmentId id = new RemoteLogSegmentId(where, new Uuid(3, 4));
        for (RemoteLogMetadata one : List.of(
                new RemoteLogSegmentMetadata(id, 0, 99, 1700000000000L, 1, 1700000001000L, 4096, Map.of(0, 0L)),
                new RemoteLogSegmentMetadataUpdate(id, 1700000002000L, Optional.empty(), RemoteLogSegmentState.COPY_SEGMENT_FINISHED, 1),
                new RemotePartitionDeleteMetadata(where, RemotePartitionDeleteState.DELETE_PARTITION_MARKED, 1700000003000L, 1))) {
            StringBuilder line = new StringBuilder("__remote_log_metadata\t~\thex:");
            for (byte each : new RemoteLogMetadataSerde().serialize(one)) line.append(String.format("%02x", each));
            System.out.println(line);
        }
    }
}
