import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.io.*;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.*;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.*;

/** Drives one broker: reads a command a line (fields parted by tabs), answers `ok ...` or `error ...`. */
public class Drive {
    static final String NULL = "~";
    static String address;
    static Admin admin;
    static final Map<String, KafkaProducer<byte[], byte[]>> producers = new HashMap<>();
    static final Map<String, List<Future<RecordMetadata>>> sent = new HashMap<>();

    public static void main(String[] args) throws Exception {
        address = args[0];
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        out.println("ok ready");
        for (String line; (line = in.readLine()) != null; ) {
            try {
                out.println("ok " + answer(line.split("\t", -1)));
            } catch (Throwable wrong) {
                out.println("error " + String.valueOf(wrong).replace('\n', ' '));
            }
        }
        System.exit(0);
    }

    static String answer(String[] c) throws Exception {
        switch (c[0]) {
            case "topic": return topic(c[1], Integer.parseInt(c[2]), Short.parseShort(c[3]), pairs(c, 4));
            case "alter": return alter(c[1], pairs(c, 2), false);
            case "replace": return alter(c[1], pairs(c, 2), true);
            case "delete-records": return deleteRecords(c[1], Integer.parseInt(c[2]), Long.parseLong(c[3]));
            case "producer": return producer(c[1], pairs(c, 2));
            case "begin": producers.get(c[1]).beginTransaction(); return "";
            case "commit": flush(c[1]); producers.get(c[1]).commitTransaction(); return "";
            case "abort": producers.get(c[1]).abortTransaction(); sent.get(c[1]).clear(); return "";
            case "send": return send(c);
            case "flush": return flush(c[1]);
            case "end": return String.valueOf(end(new TopicPartition(c[1], Integer.parseInt(c[2]))));
            case "leader": return String.valueOf(admin().describeTopics(List.of(c[1])).allTopicNames().get().get(c[1]).partitions().get(Integer.parseInt(c[2])).leader().id());
            case "close": producers.remove(c[1]).close(Duration.ZERO); return "";
            case "fill": return fill(c[1], c[2], Integer.parseInt(c[3]), Integer.parseInt(c[4]), Integer.parseInt(c[5]), c[6]);
            case "delete-topic": admin().deleteTopics(List.of(c[1])).all().get(); return "";
            case "scram": return scram(c[1], ScramMechanism.fromMechanismName(c[2]), c[3]);
            case "allow": return allow(c[1], AclOperation.fromString(c[2]), ResourceType.fromString(c[3]), c[4]);
            case "commit-offset": return commitOffset(c[1], new TopicPartition(c[2], Integer.parseInt(c[3])), Long.parseLong(c[4]));
            case "delete-group": admin().deleteConsumerGroups(List.of(c[1])).all().get(); return "";
            case "state": return state();
            case "read": return read(c[1], Integer.parseInt(c[2]), c[3]);
            case "count": return String.valueOf(records(c[1], Integer.parseInt(c[2]), "read_uncommitted").size());
            default: throw new IllegalArgumentException("no such command: " + c[0]);
        }
    }

    /** fill PRODUCER TOPIC PARTITION FIRST COUNT VALUE: records `key-N`, VALUE and N in the value; waits for all of them. */
    static String fill(String name, String topic, int partition, int first, int count, String value) throws Exception {
        for (int i = first; i < first + count; i++)
            producers.get(name).send(new ProducerRecord<>(topic, partition, bytes("key-" + i % 1000), bytes(value + i)));
        producers.get(name).flush();
        return "";
    }

    static String scram(String user, ScramMechanism mechanism, String password) throws Exception {
        admin().alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(user, new ScramCredentialInfo(mechanism, 4096), password))).all().get();
        return "";
    }

    /** allow USER OPERATION RESOURCE-TYPE NAME */
    static String allow(String user, AclOperation operation, ResourceType type, String name) throws Exception {
        AclBinding binding = new AclBinding(
            new ResourcePattern(type, name, PatternType.LITERAL),
            new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW));
        admin().createAcls(List.of(binding)).all().get();
        return "";
    }

    static String commitOffset(String group, TopicPartition where, long offset) throws Exception {
        admin().alterConsumerGroupOffsets(group, Map.of(where, new OffsetAndMetadata(offset))).all().get();
        return "";
    }

    /** What a visitor could leave behind: topics and their ends, groups and their offsets, transactional ids. */
    static String state() throws Exception {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        Set<String> names = admin().listTopics(new ListTopicsOptions().listInternal(true)).names().get();
        for (TopicDescription topic : admin().describeTopics(names).allTopicNames().get().values())
            topic.partitions().forEach(one -> asked.put(new TopicPartition(topic.name(), one.partition()), OffsetSpec.latest()));
        Map<String, Object> seen = new TreeMap<>();
        admin().listOffsets(asked).all().get().forEach((where, end) -> seen.put("end of " + where, end.offset()));
        for (ConsumerGroupListing group : admin().listConsumerGroups().all().get())
            seen.put("group " + group.groupId(), admin().listConsumerGroupOffsets(group.groupId()).partitionsToOffsetAndMetadata().get());
        for (TransactionListing one : admin().listTransactions().all().get()) seen.put("transactional id " + one.transactionalId(), one);
        return seen.toString();
    }

    static long end(TopicPartition where) throws Exception {
        return admin().listOffsets(Map.of(where, OffsetSpec.latest())).partitionResult(where).get().offset();
    }

    static Map<String, String> pairs(String[] c, int from) {
        Map<String, String> found = new LinkedHashMap<>();
        for (int i = from; i < c.length; i++) found.put(c[i].split("=", 2)[0], c[i].split("=", 2)[1]);
        return found;
    }

    static Admin admin() {
        if (admin == null) admin = Admin.create(Map.<String, Object>of("bootstrap.servers", address, "request.timeout.ms", "20000"));
        return admin;
    }

    static String topic(String name, int partitions, short replicas, Map<String, String> config) throws Exception {
        admin().createTopics(List.of(new NewTopic(name, partitions, replicas).configs(config))).all().get();
        return "";
    }

    @SuppressWarnings("deprecation")
    static String alter(String name, Map<String, String> config, boolean whole) throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
        List<ConfigEntry> entries = config.entrySet().stream().map(e -> new ConfigEntry(e.getKey(), e.getValue())).collect(Collectors.toList());
        if (whole) {
            Object result = Admin.class.getMethod("alterConfigs", Map.class).invoke(admin(), Map.of(topic, new Config(entries)));
            ((AlterConfigsResult) result).all().get();
            return "";
        }
        List<AlterConfigOp> ops = entries.stream().map(e -> new AlterConfigOp(e, AlterConfigOp.OpType.SET)).collect(Collectors.toList());
        admin().incrementalAlterConfigs(Map.of(topic, ops)).all().get();
        return "";
    }

    static String deleteRecords(String topic, int partition, long offset) throws Exception {
        admin().deleteRecords(Map.of(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(offset))).all().get();
        return "";
    }

    static String producer(String name, Map<String, String> config) {
        Map<String, Object> all = new HashMap<>(Map.of("bootstrap.servers", address, "linger.ms", "200", "max.block.ms", "20000", "delivery.timeout.ms", "20000", "request.timeout.ms", "15000"));
        all.putAll(config);
        for (String side : List.of("key", "value")) all.put(side + ".serializer", "org.apache.kafka.common.serialization.ByteArraySerializer");
        KafkaProducer<byte[], byte[]> made = new KafkaProducer<>(all);
        if (config.containsKey("transactional.id")) made.initTransactions();
        producers.put(name, made);
        sent.put(name, new ArrayList<>());
        return "";
    }

    /** Text; `~` for null, `hex:0aff` for any bytes. */
    static byte[] bytes(String text) {
        if (!text.startsWith("hex:")) return text.equals(NULL) ? null : text.getBytes(StandardCharsets.UTF_8);
        byte[] found = new byte[(text.length() - 4) / 2];
        for (int i = 0; i < found.length; i++) found[i] = (byte) Integer.parseInt(text.substring(2 * i + 4, 2 * i + 6), 16);
        return found;
    }

    /** send PRODUCER TOPIC PARTITION KEY VALUE [HEADER=VALUE ...] */
    static String send(String[] c) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(c[2], Integer.parseInt(c[3]), bytes(c[4]), bytes(c[5]));
        pairs(c, 6).forEach((key, value) -> record.headers().add(key, bytes(value)));
        sent.get(c[1]).add(producers.get(c[1]).send(record));
        return "";
    }

    static String flush(String name) throws Exception {
        producers.get(name).flush();
        List<String> offsets = new ArrayList<>();
        List<Future<RecordMetadata>> waiting = new ArrayList<>(sent.get(name));
        sent.get(name).clear();
        for (Future<RecordMetadata> one : waiting) offsets.add(String.valueOf(one.get().offset()));
        return String.join(" ", offsets);
    }

    /** read TOPIC PARTITION ISOLATION: `offset=key` of all records up to the end that this isolation sees. */
    static String read(String topic, int partition, String isolation) {
        return records(topic, partition, isolation).stream().map(one -> one.offset() + "=" + one.key()).collect(Collectors.joining(" "));
    }

    static List<ConsumerRecord<String, String>> records(String topic, int partition, String isolation) {
        Map<String, Object> config = Map.of("bootstrap.servers", address, "isolation.level", isolation, "auto.offset.reset", "earliest",
            "key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer",
            "value.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        TopicPartition place = new TopicPartition(topic, partition);
        List<ConsumerRecord<String, String>> seen = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config)) {
            consumer.assign(List.of(place));
            consumer.seekToBeginning(List.of(place));
            long end = consumer.endOffsets(List.of(place)).get(place);
            long until = System.currentTimeMillis() + 15000;
            while (consumer.position(place) < end && System.currentTimeMillis() < until)
                consumer.poll(Duration.ofMillis(300)).forEach(seen::add);
        }
        return seen;
    }
}
