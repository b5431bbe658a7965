import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Ends its process at once, as SIGKILL does: after kill.after confirmed records, or before record kill.before is handed to
 * the producer (both count from 1; 0 never). Consumers of the same settings are left alone.
 */
public final class KillAfter implements ProducerInterceptor<byte[], byte[]>, ConsumerInterceptor<byte[], byte[]> {
    private int after;
    private int before;
    private int confirmed;
    private int sent;

    @Override
    public void configure(Map<String, ?> settings) {
        after = Integer.parseInt(String.valueOf(settings.get("kill.after")));
        before = Integer.parseInt(String.valueOf(settings.get("kill.before")));
    }

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
        sent++;
        if (sent == before) Runtime.getRuntime().halt(137);
        return record;
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception failure) {
        confirmed++;
        if (confirmed == after) Runtime.getRuntime().halt(137);
    }

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
        return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) { }

    @Override
    public void close() { }
}
