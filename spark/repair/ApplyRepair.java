import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigsOptions;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Applies the repair in this folder to its Kafka topic. Needs a JDK (11 or later) and the jars of Kafka 2.3 or later:
 *
 *   java -cp "KAFKA_HOME/libs/*" ApplyRepair.java COMMAND --bootstrap-server BROKER:9092
 *        [--command-config client.properties] [--way append|copy] [--folder .] [--new-topic NAME]
 *
 *   check    compares the topic with the dump that the repair was built from. Changes nothing.
 *   pause    notes the topic's own compaction lags in compaction-before.json, then sets both to the maximum.
 *   append   runs check, writes the repair records at the end of the topic, reads them back and compares them.
 *   copy     runs check, creates a new topic with the settings of the old one, writes the repaired journal to it,
 *            reads it back and compares it. Compaction of the new topic is paused until then.
 *   resume   puts back the compaction lags that pause noted.
 *
 * What it never does:
 *   - It deletes no topic, no record and no file.
 *   - It writes nothing if the topic has changed since the dump, if a file of the repair has changed,
 *     or if the topic would reject one of the records.
 *   - It changes no setting of the topic except min.compaction.lag.ms and max.compaction.lag.ms (pause, resume).
 *   - It never changes the old topic in copy, and never writes to a new topic that has records.
 *   - It commits no offsets, joins no consumer group and sends nothing to other machines than the brokers.
 *
 * To read it: carryOut() leads to the five commands, which are the methods of these names. The classes after that
 * are what the commands use: Options, Repair, Way, Line (files), Cluster (brokers), Refused (what must not be done).
 *
 * Exit code: 0 if the command did everything it says, 1 if not, 2 if the command line is wrong.
 */
public final class ApplyRepair {
    static final String MIN_LAG = "min.compaction.lag.ms";
    static final String MAX_LAG = "max.compaction.lag.ms";
    static final String MAX_BYTES = "max.message.bytes";
    static final String PAUSED = String.valueOf(Long.MAX_VALUE);
    static final Map<String, String> LAGS_OF_PAUSE = new TreeMap<>(Map.of(MIN_LAG, PAUSED, MAX_LAG, PAUSED));
    static final String NOTE = "compaction-before.json";
    static final int COPY_RECORDS_IN_FLIGHT = 500;
    static final String BUILD_AGAIN = " Stop every registry, take a new dump and build the repair again.";

    final Options options;
    final Repair repair;
    final Cluster cluster;
    final TopicPartition journal;

    ApplyRepair(Options options, Repair repair, Cluster cluster) {
        this.options = options;
        this.repair = repair;
        this.cluster = cluster;
        this.journal = new TopicPartition(repair.topic, repair.partition);
    }

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String[] arguments) {
        Options options = null;
        try {
            options = new Options(arguments);
            Repair repair = new Repair(options.folder);
            try (Cluster cluster = new Cluster(options)) {
                new ApplyRepair(options, repair, cluster).carryOut();
            }
            return 0;
        } catch (WrongCommandLine wrong) {
            System.err.println(wrong.getMessage() + "\n" + Options.USAGE);
            return 2;
        } catch (Exception failure) {
            System.err.println(Failures.sentence(failure, options));
            return 1;
        }
    }

    void carryOut() throws Exception {
        cluster.requirePartition(journal);
        switch (options.command) {
            case "check": check(); break;
            case "pause": pause(); break;
            case "append": append(); break;
            case "copy": copy(); break;
            default: resume();
        }
    }

    static void say(String sentence, Object... values) {
        System.out.println(String.format(sentence, values));
    }

    // ---- check -----------------------------------------------------------------------------------------------------

    void check() throws Exception {
        for (Way way : repair.ways(options.way)) way.requireUnchanged();
        requireUnchangedTopic();
        say("The topic %s still is what the repair was built from: %s, end offset %d.",
            repair.topic, Words.records(repair.records), repair.endOffset);
    }

    /** Refuses a topic that is not exactly what the dump had. */
    void requireUnchangedTopic() throws Exception {
        long end = cluster.end(journal);
        if (end > repair.endOffset) throw new Refused(whatFollowsTheDump(end));
        if (end < repair.endOffset) {
            throw new Refused("The topic ends at offset %d, but the dump ends at offset %d. Check --bootstrap-server: "
                + "this is another cluster, or the topic was created again." + BUILD_AGAIN, end, repair.endOffset);
        }
        requireSameRecords(end);
    }

    void requireSameRecords(long end) throws Exception {
        long[] count = {0};
        String[] lastHash = {null};
        cluster.read(journal, cluster.start(journal), end, record -> {
            count[0]++;
            if (record.offset() == repair.lastOffset) lastHash[0] = Hashes.ofRecord(record);
        });
        if (repair.records > 0 && lastHash[0] == null) {
            throw new Refused("The topic has no record at offset %d, where the dump has its last record."
                + BUILD_AGAIN, repair.lastOffset);
        }
        if (repair.records > 0 && !lastHash[0].equalsIgnoreCase(repair.lastRecordHash)) {
            throw new Refused("The record at offset %d is not the last record of the dump." + BUILD_AGAIN,
                repair.lastOffset);
        }
        if (count[0] != repair.records) {
            throw new Refused("The topic has %s before offset %d, but the dump has %s." + BUILD_AGAIN,
                Words.records(count[0]), end, Words.records(repair.records));
        }
    }

    /** Says what is in the topic behind the end of the dump: records of others, or the repair's own. */
    String whatFollowsTheDump(long end) throws Exception {
        long from = Math.max(repair.endOffset, cluster.start(journal));
        long[] more = {0};
        cluster.read(journal, from, end, record -> more[0]++);
        if (more[0] == 0) {
            return String.format("The topic ends at offset %d, but the dump ends at offset %d. No record is between them, "
                + "only transaction markers or offsets without a record.", end, repair.endOffset) + BUILD_AGAIN;
        }
        String difference = String.format("The topic has %s more than the dump, from offset %d on.",
            Words.records(more[0]), from);
        return difference + ownRecords(from, end);
    }

    String ownRecords(long from, long end) throws Exception {
        Way way = repair.wayOrNull("append");
        long own = way == null || !Files.exists(way.file) ? 0 : cluster.countEqual(way, journal, from, end);
        if (own == 0) return BUILD_AGAIN;
        String offsets = Words.offsets(from, own);
        if (own < way.records) {
            return String.format(" The repair's own records are there in part: %d of %d, %s.", own, way.records,
                offsets) + BUILD_AGAIN;
        }
        return String.format(" The repair's own %s are already there, %s. Do not append them again.",
            Words.records(own), offsets);
    }

    // ---- append and copy -------------------------------------------------------------------------------------------

    void append() throws Exception {
        Way way = repair.way("append");
        way.requireUnchanged();
        requireUnchangedTopic();
        way.requireAccepted(repair.topic, cluster.settings(repair.topic));
        warnIfNotPaused();
        write(way, journal, repair.endOffset, 1, "Run check: it says what the topic contains now.");
    }

    void warnIfNotPaused() throws Exception {
        if (PAUSED.equals(cluster.settings(repair.topic).get(MIN_LAG))) return;
        System.err.println("Warning: compaction of " + repair.topic
            + " is not paused. It can start after this append.");
    }

    /** Compaction of the new topic is paused meanwhile: old timestamps roll segments, so it would start at once. */
    void copy() throws Exception {
        Way way = repair.way("copy");
        way.requireUnchanged();
        requireUnchangedTopic();
        String name = options.newTopic == null ? way.newTopic : options.newTopic;
        if (name.equals(repair.topic)) {
            throw new Refused("The new topic has the name of the old one. Give another name with --new-topic.");
        }
        Map<String, String> settings = settingsOfCopy(way);
        TopicPartition copy = new TopicPartition(name, 0);
        prepare(name, settings);
        cluster.setOwn(name, LAGS_OF_PAUSE);
        write(way, copy, cluster.end(copy), COPY_RECORDS_IN_FLIGHT,
            "Start no registry on " + name + ". Run copy again with another name: --new-topic NAME.");
        cluster.setOwn(name, lagsOf(settings));
    }

    /** The old topic's own settings as they were before pause; max.message.bytes raised if a record needs it. */
    Map<String, String> settingsOfCopy(Way way) throws Exception {
        Map<String, String> own = cluster.ownSettings(repair.topic);
        if (Files.exists(note())) replaceLags(own, notedLags());
        Map<String, String> all = cluster.settings(repair.topic);
        long largest = way.largestBatchBytes();
        if (largest > Long.parseLong(all.get(MAX_BYTES))) own.put(MAX_BYTES, String.valueOf(largest));
        all.putAll(own);
        way.requireAccepted(way.newTopic, all);
        return own;
    }

    /** Creates the new topic; takes one that is there only if it is empty and has the same settings. */
    void prepare(String name, Map<String, String> settings) throws Exception {
        List<PartitionInfo> old = cluster.partitions(repair.topic);
        if (old.size() != 1) {
            throw new Refused("copy works for topics with 1 partition only, and %s has %d. Use append.",
                repair.topic, old.size());
        }
        if (cluster.hasTopic(name)) {
            requireEmpty(name, settings);
            say("The topic %s exists, is empty and has the settings of %s. It is used.", name, repair.topic);
        } else {
            int replicas = old.get(0).replicas().length;
            cluster.create(name, replicas, settings);
            say("Topic %s created: 1 partition, replication factor %d, settings %s.", name, replicas, settings);
        }
    }

    void requireEmpty(String name, Map<String, String> settings) throws Exception {
        TopicPartition place = new TopicPartition(name, 0);
        String otherName = " Nothing was written. Run copy again with another name: --new-topic NAME.";
        if (cluster.partitions(name).size() != 1) {
            throw new Refused("The topic %s exists and has several partitions." + otherName, name);
        }
        if (cluster.end(place) > cluster.start(place)) {
            throw new Refused("The topic %s exists and is not empty." + otherName, name);
        }
        Map<String, String> own = cluster.ownSettings(name);
        if (!own.equals(settings)) {
            throw new Refused("The topic %s exists and has the settings %s instead of %s." + otherName, name,
                own, settings);
        }
    }

    /** Writes the records of the way in their order, then reads them back and compares every byte. */
    void write(Way way, TopicPartition to, long first, int inFlight, String onFailure) throws Exception {
        try {
            cluster.produce(way, to, first, inFlight);
            long end = cluster.end(to);
            long equal = cluster.countEqual(way, to, first, end);
            if (equal < way.records) {
                throw new Refused("%s written, but only %d read back and equal. Offset %d has another record or none.",
                    Words.records(way.records), equal, first + equal);
            }
            String offsets = Words.offsets(first, equal);
            say("%d of %d records written, %s, read back and equal.", equal, way.records, offsets);
            if (!cluster.keepsTimestamps(to.topic())) {
                say("Timestamps were not compared: the broker sets them (LogAppendTime).");
            }
            if (end > first + equal) {
                throw new Refused("Another program has written to %s since. Stop it.", to.topic());
            }
        } catch (Exception failure) {
            throw new Refused("%s %s", Failures.sentence(failure, options), onFailure);
        }
    }

    // ---- pause and resume ------------------------------------------------------------------------------------------

    Path note() {
        return options.folder.resolve(NOTE);
    }

    void pause() throws Exception {
        if (Files.exists(note())) {
            throw new Refused("%s exists: pause has run before. Run resume before you run pause again.", note());
        }
        Map<String, String> before = lagsOf(cluster.ownSettings(repair.topic));
        cluster.rehearse(repair.topic, LAGS_OF_PAUSE);
        writeNote(before);
        cluster.setOwn(repair.topic, LAGS_OF_PAUSE);
        say("Compaction of %s is paused: %s and %s are %s.", repair.topic, MIN_LAG, MAX_LAG, PAUSED);
        warnOfRetention();
        say("The earlier values are in %s. Run resume when the inspection of a new dump is healthy.", note());
        say("To resume by hand: %s", undoCommand(before));
    }

    void resume() throws Exception {
        Map<String, String> before = notedLags();
        cluster.setOwn(repair.topic, before);
        Path done = freeName(options.folder, "compaction-before.done");
        Files.move(note(), done);
        say("Compaction of %s is as it was before pause: %s.", repair.topic, Words.settings(before));
        say("%s is now %s.", NOTE, done.getFileName());
    }

    void warnOfRetention() throws Exception {
        String policy = cluster.settings(repair.topic).get("cleanup.policy");
        if (policy.contains("delete")) {
            say("Warning: cleanup.policy is %s. Retention still deletes old records.", policy);
        }
    }

    /** Own values of the two settings; null where the topic has none. */
    static Map<String, String> lagsOf(Map<String, String> settings) {
        Map<String, String> lags = new TreeMap<>();
        for (String name : List.of(MIN_LAG, MAX_LAG)) lags.put(name, settings.get(name));
        return lags;
    }

    static void replaceLags(Map<String, String> settings, Map<String, String> lags) {
        settings.putAll(lags);
        settings.values().removeIf(Objects::isNull);
    }

    void writeNote(Map<String, String> before) throws Exception {
        ObjectNode content = Json.MAPPER.createObjectNode();
        content.put("schema", 1).put("cluster_id", cluster.id()).put("topic", repair.topic);
        ObjectNode values = content.putObject("before");
        before.forEach(values::put);
        byte[] text = Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(content);
        Files.write(note(), text, StandardOpenOption.CREATE_NEW, StandardOpenOption.SYNC);
    }

    Map<String, String> notedLags() throws Exception {
        JsonNode content = Json.read(note(),
            "Compaction was not paused from this folder. Name the right one with --folder.");
        boolean isOurs = repair.topic.equals(Json.text(content, "topic"))
            && cluster.id().equals(Json.text(content, "cluster_id"));
        if (!isOurs) {
            throw new Refused("%s belongs to another topic or another cluster. Check --folder and --bootstrap-server.",
                note());
        }
        Map<String, String> lags = new TreeMap<>();
        JsonNode before = Json.member(content, "before");
        for (String name : List.of(MIN_LAG, MAX_LAG)) lags.put(name, Json.member(before, name).textValue());
        return lags;
    }

    static Path freeName(Path folder, String stem) {
        Path free = folder.resolve(stem + ".json");
        for (int number = 2; Files.exists(free); number++) free = folder.resolve(stem + "-" + number + ".json");
        return free;
    }

    String undoCommand(Map<String, String> before) {
        List<String> set = new ArrayList<>();
        List<String> unset = new ArrayList<>();
        before.forEach((name, value) -> (value == null ? unset : set).add(value == null ? name : name + "=" + value));
        return configsCommand(repair.topic)
            + (set.isEmpty() ? "" : " --add-config " + String.join(",", set))
            + (unset.isEmpty() ? "" : " --delete-config " + String.join(",", unset));
    }

    String configsCommand(String topic) {
        return "kafka-configs.sh" + options.connection() + " --alter --entity-type topics --entity-name " + topic;
    }
}

/** The command line. */
final class Options {
    static final String USAGE = "Usage: java -cp \"KAFKA_HOME/libs/*\" ApplyRepair.java check|pause|append|copy|resume "
        + "--bootstrap-server BROKER:9092\n"
        + "       [--command-config client.properties] [--way append|copy] [--folder .] [--new-topic NAME]";
    static final List<String> COMMANDS = List.of("check", "pause", "append", "copy", "resume");
    static final List<String> NAMES = List.of("--bootstrap-server", "--command-config", "--way", "--folder",
        "--new-topic");

    final String command;
    final String brokers;
    final String commandConfig;
    final String way;
    final String newTopic;
    final Path folder;

    Options(String[] arguments) throws WrongCommandLine {
        if (arguments.length == 0 || !COMMANDS.contains(arguments[0])) {
            throw new WrongCommandLine("Name a command: " + String.join(", ", COMMANDS) + ".");
        }
        command = arguments[0];
        Map<String, String> given = pairs(arguments);
        brokers = given.get("--bootstrap-server");
        if (brokers == null) {
            throw new WrongCommandLine("--bootstrap-server is missing. Give the address of a broker.");
        }
        commandConfig = given.get("--command-config");
        way = given.get("--way");
        requireFittingWay();
        newTopic = given.get("--new-topic");
        folder = Paths.get(given.getOrDefault("--folder", "."));
    }

    static Map<String, String> pairs(String[] arguments) throws WrongCommandLine {
        Map<String, String> given = new HashMap<>();
        for (int i = 1; i < arguments.length; i += 2) {
            if (!NAMES.contains(arguments[i])) throw new WrongCommandLine("Unknown option: " + arguments[i] + ".");
            if (i + 1 == arguments.length) throw new WrongCommandLine("Option " + arguments[i] + " needs a value.");
            given.put(arguments[i], arguments[i + 1]);
        }
        return given;
    }

    void requireFittingWay() throws WrongCommandLine {
        if (way == null) return;
        if (!List.of("append", "copy").contains(way)) throw new WrongCommandLine("--way is append or copy.");
        boolean contradicts = List.of("append", "copy").contains(command) && !command.equals(way);
        if (contradicts) throw new WrongCommandLine("The command is " + command + ", but --way is " + way + ".");
    }

    /** How a tool of Kafka is given the same connection. */
    String connection() {
        return " --bootstrap-server " + brokers + (commandConfig == null ? "" : " --command-config " + commandConfig);
    }

    Properties client() throws IOException, Refused {
        Properties properties = new Properties();
        if (commandConfig != null) {
            try (InputStream in = Files.newInputStream(Paths.get(commandConfig))) {
                properties.load(in);
            } catch (NoSuchFileException missing) {
                throw new Refused("%s does not exist. Check --command-config.", commandConfig);
            }
        }
        properties.put("bootstrap.servers", brokers);
        properties.put("request.timeout.ms", "30000");
        properties.put("default.api.timeout.ms", "60000");
        return properties;
    }
}

/** repair.json: what the repair was built from, and its files. */
final class Repair {
    final Path folder;
    final JsonNode content;
    final String topic;
    final int partition;
    final long endOffset;
    final long records;
    final long lastOffset;
    final String lastRecordHash;

    Repair(Path folder) throws Refused {
        this.folder = folder;
        content = Json.read(folder.resolve("repair.json"),
            "Run the command in the repair's folder, or name the folder with --folder.");
        if (Json.number(content, "schema") != 1) {
            throw new Refused("repair.json has schema %s. Use the ApplyRepair.java of the same folder.",
                content.get("schema"));
        }
        topic = Json.text(content, "topic");
        partition = (int) Json.number(content, "partition");
        JsonNode from = Json.member(content, "built_from");
        endOffset = Json.number(from, "end_offset");
        records = Json.number(from, "records");
        lastOffset = records == 0 ? -1 : Json.number(from, "last_offset");
        lastRecordHash = records == 0 ? null : Json.text(from, "last_record_sha256");
    }

    Way wayOrNull(String id) throws Refused {
        JsonNode found = Json.member(content, "ways").get(id);
        return found == null || found.isNull() ? null : new Way(this, id, found);
    }

    Way way(String id) throws Refused {
        Way way = wayOrNull(id);
        if (way == null) {
            throw new Refused("This repair has no way %s. The steps in this folder name the way it has.", id);
        }
        return way;
    }

    /** The way of this name; all ways without a name. */
    List<Way> ways(String id) throws Refused {
        if (id != null) return List.of(way(id));
        List<Way> ways = new ArrayList<>();
        for (String each : List.of("append", "copy")) {
            Way way = wayOrNull(each);
            if (way != null) ways.add(way);
        }
        return ways;
    }
}

/** One of the two ways of a repair: a file with the records to write. */
final class Way {
    final String id;
    final Path file;
    final long records;
    final String sha256;
    final int partition;
    final String newTopic;

    Way(Repair repair, String id, JsonNode content) throws Refused {
        this.id = id;
        file = repair.folder.resolve(Json.text(content, "file"));
        records = Json.number(content, "records");
        sha256 = Json.text(content, "sha256");
        partition = repair.partition;
        newTopic = id.equals("copy") ? Json.text(content, "new_topic") : null;
    }

    void requireUnchanged() throws Exception {
        if (!Files.exists(file)) {
            throw new Refused("%s does not exist. Copy the repair's folder again, with all its files.", file);
        }
        if (!Hashes.ofFile(file).equalsIgnoreCase(sha256)) {
            throw new Refused("%s is not the file that the repair was built with: its SHA-256 differs from repair.json. "
                + "Copy the repair's folder again.", file);
        }
    }

    Lines lines() throws IOException {
        return new Lines(file);
    }

    long largestBatchBytes() throws Exception {
        long largest = 0;
        try (Lines lines = lines()) {
            for (Line line; (line = lines.next()) != null; ) largest = Math.max(largest, line.batchBytes());
        }
        return largest;
    }

    /** Refuses before the first write what the broker would refuse in the middle. */
    void requireAccepted(String topic, Map<String, String> settings) throws Exception {
        long count = 0;
        long largest = 0;
        try (Lines lines = lines()) {
            for (Line line; (line = lines.next()) != null; count++) {
                requireAccepted(line, count + 1, topic, settings);
                largest = Math.max(largest, line.batchBytes());
            }
        }
        if (count != records) {
            throw new Refused("%s has %s, but repair.json says %d. Build the repair again.", file,
                Words.records(count), records);
        }
        requireRoom(largest, topic, Long.parseLong(settings.get(ApplyRepair.MAX_BYTES)));
    }

    void requireAccepted(Line line, long number, String topic, Map<String, String> settings) throws Refused {
        if (!topic.equals(line.topic) || line.partition != partition) {
            throw refused(number, "is for %s-%d, not for %s-%d. Build the repair again.", line.topic,
                line.partition, topic, partition);
        }
        if (line.key == null && settings.get("cleanup.policy").contains("compact")) {
            throw refused(number, "has no key. A compacted topic rejects it.");
        }
        if (line.timestamp != null && line.timestamp < 0) {
            throw refused(number, "has timestamp %d. Build the repair again.", line.timestamp);
        }
        String limit = line.timestamp == null ? null : TimestampLimits.exceeded(line.timestamp, settings);
        if (limit != null) {
            throw refused(number, "has timestamp %s. The topic rejects it: %s=%s. "
                + "Raise this setting of the topic, then run %s again.",
                Instant.ofEpochMilli(line.timestamp), limit, settings.get(limit), id);
        }
    }

    Refused refused(long number, String what, Object... values) {
        return new Refused("Record %d of %s %s Nothing was written.", number, file, String.format(what, values));
    }

    void requireRoom(long largest, String topic, long most) throws Refused {
        if (largest <= most) return;
        throw new Refused("The largest record needs %d bytes, but max.message.bytes of %s is %d. Nothing was written. "
            + "Set max.message.bytes=%d, then run %s again.", largest, topic, most, largest, id);
    }
}

/** The lines of an ndjson file, one after the other. */
final class Lines implements AutoCloseable {
    private final BufferedReader reader;
    private final Path file;
    private long number;

    Lines(Path file) throws IOException {
        this.file = file;
        reader = Files.newBufferedReader(file, StandardCharsets.UTF_8);
    }

    /** The next line; null after the last. */
    Line next() throws IOException, Refused {
        String text = reader.readLine();
        if (text == null) return null;
        number++;
        try {
            return new Line(Json.MAPPER.readTree(text));
        } catch (IOException | IllegalArgumentException wrong) {
            throw new Refused("Line %d of %s cannot be read. Build the repair again.", number, file);
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}

/** One record to write. */
final class Line {
    static final int BATCH_HEADER_BYTES = 61;
    static final int ATTRIBUTES_AND_DELTAS_BYTES = 3;

    final String topic;
    final int partition;
    final Long timestamp;
    final byte[] key;
    final byte[] value;
    final List<Header> headers = new ArrayList<>();

    Line(JsonNode content) throws IOException, Refused {
        topic = Json.text(content, "topic");
        partition = (int) Json.number(content, "partition");
        boolean hasTimestamp = !Json.member(content, "timestamp").isNull();
        timestamp = hasTimestamp ? Long.valueOf(Json.number(content, "timestamp")) : null;
        key = bytes(content, "key");
        value = bytes(content, "value");
        for (JsonNode header : Json.member(content, "headers")) {
            headers.add(new RecordHeader(Json.text(header, "key"), bytes(header, "value")));
        }
    }

    static byte[] bytes(JsonNode content, String name) throws Refused {
        JsonNode text = Json.member(content, name);
        return text.isNull() ? null : Base64.getDecoder().decode(Json.text(content, name));
    }

    ProducerRecord<byte[], byte[]> recordFor(TopicPartition to) {
        return new ProducerRecord<>(to.topic(), to.partition(), timestamp, key, value, headers);
    }

    /** A null timestamp is the producer's clock, so any timestamp equals it. */
    boolean equals(ConsumerRecord<byte[], byte[]> record, boolean withTimestamp) {
        return Arrays.equals(key, record.key())
            && Arrays.equals(value, record.value())
            && headers.equals(Arrays.asList(record.headers().toArray()))
            && (!withTimestamp || timestamp == null || timestamp == record.timestamp());
    }

    /** The bytes of a record batch (message format 2) that contains this record only, not compressed. */
    long batchBytes() {
        long record = ATTRIBUTES_AND_DELTAS_BYTES + sized(key) + sized(value) + varintBytes(headers.size());
        for (Header header : headers) {
            record += sized(header.key().getBytes(StandardCharsets.UTF_8)) + sized(header.value());
        }
        return BATCH_HEADER_BYTES + varintBytes(record) + record;
    }

    static long sized(byte[] part) {
        return part == null ? 1 : varintBytes(part.length) + part.length;
    }

    static long varintBytes(long number) {
        long bytes = 1;
        for (long rest = (number << 1) >>> 7; rest > 0; rest >>>= 7) bytes++;
        return bytes;
    }
}

/** The brokers: settings, reading, writing. Every wait ends after 60 seconds without an answer. */
final class Cluster implements AutoCloseable {
    static final long TIMEOUT_S = 60;
    static final long DELIVERY_S = TIMEOUT_S + 10;

    private final Options options;
    private final AdminClient admin;
    private final KafkaConsumer<byte[], byte[]> consumer;

    Cluster(Options options) throws Exception {
        this.options = options;
        admin = AdminClient.create(options.client());
        consumer = new KafkaConsumer<>(readingClient());
    }

    @Override
    public void close() {
        consumer.close();
        admin.close(Duration.ofSeconds(5));
    }

    Properties readingClient() throws Exception {
        Properties client = options.client();
        client.remove("group.id");
        client.put("enable.auto.commit", "false");
        client.put("allow.auto.create.topics", "false");
        client.put("isolation.level", "read_uncommitted");
        client.put("auto.offset.reset", "none");
        for (String part : List.of("key", "value")) {
            client.put(part + ".deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer");
        }
        return client;
    }

    /** Idempotent, acknowledged by all in-sync replicas, one request at a time: the order is that of the file. */
    Properties writingClient(long largestBytes, long maxMessageBytes) throws Exception {
        Properties client = options.client();
        client.remove("transactional.id");
        client.remove("retries");
        client.put("enable.idempotence", "true");
        client.put("acks", "all");
        client.put("max.in.flight.requests.per.connection", "1");
        client.put("linger.ms", "0");
        client.put("compression.type", "none");
        client.put("delivery.timeout.ms", String.valueOf(TIMEOUT_S * 1000));
        client.put("max.block.ms", String.valueOf(TIMEOUT_S * 1000));
        client.put("batch.size", String.valueOf(Math.min(16384, maxMessageBytes)));
        client.put("max.request.size", String.valueOf(Math.max(1048576, largestBytes + 1024)));
        client.put("buffer.memory", String.valueOf(Math.max(33554432, 2 * largestBytes)));
        for (String part : List.of("key", "value")) {
            client.put(part + ".serializer", "org.apache.kafka.common.serialization.ByteArraySerializer");
        }
        return client;
    }

    static <T> T answer(KafkaFuture<T> future) throws Exception {
        return future.get(TIMEOUT_S, TimeUnit.SECONDS);
    }

    String id() throws Exception {
        return answer(admin.describeCluster().clusterId());
    }

    boolean hasTopic(String topic) throws Exception {
        return answer(admin.listTopics(new ListTopicsOptions().listInternal(true)).names()).contains(topic);
    }

    void requirePartition(TopicPartition place) throws Exception {
        if (!hasTopic(place.topic())) {
            throw new Refused("The topic %s does not exist on this cluster, or this user has no permission to see it. "
                + "Check --bootstrap-server and --command-config.", place.topic());
        }
        for (PartitionInfo one : partitions(place.topic())) if (one.partition() == place.partition()) return;
        throw new Refused("The topic %s has no partition %d. Check --bootstrap-server.", place.topic(),
            place.partition());
    }

    /** A topic that was created just now may be unknown to some brokers. */
    List<PartitionInfo> partitions(String topic) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        while (System.nanoTime() < until) {
            List<PartitionInfo> found = consumer.partitionsFor(topic);
            if (found != null && !found.isEmpty()) return found;
            Thread.sleep(200);
        }
        throw new Refused("No broker named the partitions of %s within %d seconds. Check the brokers, then retry.",
            topic, TIMEOUT_S);
    }

    long start(TopicPartition place) {
        return consumer.beginningOffsets(List.of(place)).get(place);
    }

    long end(TopicPartition place) {
        return consumer.endOffsets(List.of(place)).get(place);
    }

    // ---- settings ----

    Collection<ConfigEntry> entries(String topic) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        return answer(admin.describeConfigs(List.of(resource)).all()).get(resource).entries();
    }

    /** Every setting that is in force, with its value. */
    Map<String, String> settings(String topic) throws Exception {
        Map<String, String> settings = new TreeMap<>();
        for (ConfigEntry entry : entries(topic)) settings.put(entry.name(), entry.value());
        return settings;
    }

    /** Only what was set on the topic itself. */
    Map<String, String> ownSettings(String topic) throws Exception {
        Map<String, String> settings = new TreeMap<>();
        for (ConfigEntry entry : entries(topic)) {
            boolean isOwn = entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG;
            if (isOwn) settings.put(entry.name(), entry.value());
        }
        return settings;
    }

    /** Asks the broker whether it accepts these settings, and changes nothing. */
    void rehearse(String topic, Map<String, String> values) throws Exception {
        alter(topic, values, true);
    }

    /** Sets all values in one request, then reads them back; null deletes the topic's own value. */
    void setOwn(String topic, Map<String, String> values) throws Exception {
        alter(topic, values, false);
        awaitOwn(topic, values);
    }

    private void alter(String topic, Map<String, String> values, boolean isRehearsal) throws Exception {
        List<AlterConfigOp> changes = new ArrayList<>();
        values.forEach((name, value) -> changes.add(new AlterConfigOp(
            new ConfigEntry(name, value), value == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET)));
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        AlterConfigsOptions how = new AlterConfigsOptions().validateOnly(isRehearsal);
        answer(admin.incrementalAlterConfigs(Collections.singletonMap(resource, changes), how).all());
    }

    /** Waits until the topic's own values are these; null is no own value. */
    void awaitOwn(String topic, Map<String, String> wanted) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        while (System.nanoTime() < until) {
            Map<String, String> own = ownSettings(topic);
            if (wanted.keySet().stream().allMatch(name -> Objects.equals(own.get(name), wanted.get(name)))) return;
            Thread.sleep(200);
        }
        throw new Refused("The broker accepted the settings of %s, but does not show them after %d seconds: %s. "
            + "Run kafka-configs.sh --describe for this topic.", topic, TIMEOUT_S, Words.settings(wanted));
    }

    void create(String topic, int replicas, Map<String, String> settings) throws Exception {
        NewTopic made = new NewTopic(topic, 1, (short) replicas).configs(settings);
        answer(admin.createTopics(List.of(made)).all());
        partitions(topic);
        awaitOwn(topic, settings);
    }

    // ---- records ----

    /** Hands over every record from one offset to the offset before the end. */
    void read(TopicPartition place, long from, long end, Consumer<ConsumerRecord<byte[], byte[]>> taker)
            throws Refused {
        consumer.assign(List.of(place));
        consumer.seek(place, from);
        long lastProgress = System.nanoTime();
        for (long position = from; position < end; ) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                if (record.offset() < end) taker.accept(record);
            }
            if (consumer.position(place) > position) lastProgress = System.nanoTime();
            position = consumer.position(place);
            if (System.nanoTime() - lastProgress > TimeUnit.SECONDS.toNanos(TIMEOUT_S)) {
                throw new Refused("The broker sent no record from offset %d on within %d seconds. "
                    + "Check the brokers, then retry.",
                    position, TIMEOUT_S);
            }
        }
    }

    boolean keepsTimestamps(String topic) throws Exception {
        return !"LogAppendTime".equals(settings(topic).get("message.timestamp.type"));
    }

    /** How many records of the way are in the topic, one after the other from this offset on. */
    long countEqual(Way way, TopicPartition place, long from, long end) throws Exception {
        boolean withTimestamps = keepsTimestamps(place.topic());
        try (Lines lines = way.lines()) {
            Comparison comparison = new Comparison(lines, from, withTimestamps);
            read(place, from, Math.min(end, from + way.records), comparison);
            return comparison.equal;
        }
    }

    /** Writes the records of the way; stops at the first that does not get the offset it must get. */
    void produce(Way way, TopicPartition to, long first, int inFlight) throws Exception {
        long maxMessageBytes = Long.parseLong(settings(to.topic()).get(ApplyRepair.MAX_BYTES));
        Properties client = writingClient(way.largestBatchBytes(), maxMessageBytes);
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(client);
        try (Lines lines = way.lines()) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            long confirmed = 0;
            for (Line line; (line = lines.next()) != null; ) {
                sent.add(producer.send(line.recordFor(to)));
                if (sent.size() == inFlight) confirmed = confirm(sent, confirmed, way, first);
            }
            confirm(sent, confirmed, way, first);
        } finally {
            producer.close(Duration.ZERO);
        }
    }

    static long confirm(List<Future<RecordMetadata>> sent, long confirmed, Way way, long first) throws Exception {
        for (Future<RecordMetadata> one : sent) {
            long offset = offsetOf(one, confirmed, way);
            if (offset != first + confirmed) {
                throw new Refused("Another program writes to the topic: record %d of %d got offset %d instead of %d. "
                    + "Stop every registry.",
                    confirmed + 1, way.records, offset, first + confirmed);
            }
            confirmed++;
        }
        sent.clear();
        return confirmed;
    }

    static long offsetOf(Future<RecordMetadata> sent, long confirmed, Way way) throws Exception {
        try {
            return sent.get(DELIVERY_S, TimeUnit.SECONDS).offset();
        } catch (ExecutionException | java.util.concurrent.TimeoutException failure) {
            throw new Refused("The broker did not confirm record %d of %d: %s Confirmed before: %s.",
                confirmed + 1, way.records, Failures.reason(failure), Words.records(confirmed));
        }
    }
}

/** Counts the records that equal the lines of a file, up to the first that does not. */
final class Comparison implements Consumer<ConsumerRecord<byte[], byte[]>> {
    private final Lines lines;
    private final long from;
    private final boolean withTimestamps;
    private boolean isOver;
    long equal;

    Comparison(Lines lines, long from, boolean withTimestamps) {
        this.lines = lines;
        this.from = from;
        this.withTimestamps = withTimestamps;
    }

    @Override
    public void accept(ConsumerRecord<byte[], byte[]> record) {
        if (isOver) return;
        Line line = next();
        isOver = line == null || record.offset() != from + equal || !line.equals(record, withTimestamps);
        if (!isOver) equal++;
    }

    private Line next() {
        try {
            return lines.next();
        } catch (IOException | Refused wrong) {
            throw new IllegalStateException(wrong.getMessage(), wrong);
        }
    }
}

/** Which timestamps a topic accepts: up to 3.5 by one setting, since 3.6 (KIP-937) by two. */
final class TimestampLimits {
    static final String BEFORE = "message.timestamp.before.max.ms";
    static final String AFTER = "message.timestamp.after.max.ms";
    static final String DIFFERENCE = "message.timestamp.difference.max.ms";

    private TimestampLimits() { }

    /** The setting that rejects this timestamp; null if none does. */
    static String exceeded(long timestamp, Map<String, String> settings) {
        if ("LogAppendTime".equals(settings.get("message.timestamp.type"))) return null;
        long ahead = timestamp - System.currentTimeMillis();
        String inForce = inForce(ahead > 0 ? AFTER : BEFORE, settings);
        return inForce != null && Math.abs(ahead) > Long.parseLong(settings.get(inForce)) ? inForce : null;
    }

    static String inForce(String side, Map<String, String> settings) {
        boolean isSet = settings.containsKey(side) && !settings.get(side).equals(String.valueOf(Long.MAX_VALUE));
        if (isSet) return side;
        return settings.containsKey(DIFFERENCE) ? DIFFERENCE : null;
    }
}

/** SHA-256 in hexadecimal. */
final class Hashes {
    private Hashes() { }

    /** Of the length of the key (8 bytes, -1 for null), the key, the length of the value, the value. */
    static String ofRecord(ConsumerRecord<byte[], byte[]> record) {
        MessageDigest digest = sha256();
        for (byte[] part : Arrays.asList(record.key(), record.value())) {
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(part == null ? -1 : part.length).array());
            if (part != null) digest.update(part);
        }
        return hex(digest.digest());
    }

    static String ofFile(Path file) throws IOException {
        MessageDigest digest = sha256();
        byte[] buffer = new byte[65536];
        try (InputStream in = Files.newInputStream(file)) {
            for (int count; (count = in.read(buffer)) > 0; ) digest.update(buffer, 0, count);
        }
        return hex(digest.digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (java.security.NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte one : bytes) text.append(String.format("%02x", one));
        return text.toString();
    }
}

/** JSON files and their members; what is missing or of another type is refused. */
final class Json {
    static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() { }

    static JsonNode read(Path file, String ifMissing) throws Refused {
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return MAPPER.readTree(reader);
        } catch (NoSuchFileException missing) {
            throw new Refused("%s does not exist. %s", file, ifMissing);
        } catch (IOException wrong) {
            throw new Refused("%s cannot be read: %s. Copy the repair's folder again.", file,
                Failures.firstLine(wrong));
        }
    }

    static JsonNode member(JsonNode object, String name) throws Refused {
        JsonNode found = object == null ? null : object.get(name);
        if (found == null) {
            throw new Refused("The member \"%s\" is missing in a file of the repair. Build the repair again.", name);
        }
        return found;
    }

    static String text(JsonNode object, String name) throws Refused {
        JsonNode found = member(object, name);
        if (!found.isTextual()) {
            throw new Refused("The member \"%s\" is not a text: %s. Build the repair again.", name, found);
        }
        return found.textValue();
    }

    static long number(JsonNode object, String name) throws Refused {
        JsonNode found = member(object, name);
        if (!found.canConvertToLong()) {
            throw new Refused("The member \"%s\" is not a number: %s. Build the repair again.", name, found);
        }
        return found.longValue();
    }
}

/** Counts and ranges as they are written in sentences. */
final class Words {
    private Words() { }

    static String records(long count) {
        return count + (count == 1 ? " record" : " records");
    }

    static String offsets(long first, long count) {
        return count == 1 ? "offset " + first : String.format("offsets %d-%d", first, first + count - 1);
    }

    static String settings(Map<String, String> values) {
        List<String> parts = new ArrayList<>();
        values.forEach((name, value) -> parts.add(name + (value == null ? " is not set" : "=" + value)));
        return String.join(", ", parts);
    }
}

/** Failures as sentences. */
final class Failures {
    private Failures() { }

    static String sentence(Throwable failure, Options options) {
        Throwable cause = cause(failure);
        if (cause instanceof Refused) return cause.getMessage();
        boolean isTimeout = cause instanceof java.util.concurrent.TimeoutException
            || cause instanceof org.apache.kafka.common.errors.TimeoutException;
        if (isTimeout) {
            return String.format("%s did not answer within %d seconds. "
                + "Check the address, the port and --command-config. (%s)",
                options.brokers, Cluster.TIMEOUT_S, firstLine(cause));
        }
        if (cause instanceof UnsupportedVersionException) {
            return "The brokers are older than Kafka 2.3 and do not know this request. "
                + "Set the values with the brokers' own kafka-configs.sh. ("
                + firstLine(cause) + ")";
        }
        return String.format("%s failed: %s Check the options and the permissions of this user.",
            options.command, reason(cause));
    }

    static String reason(Throwable failure) {
        Throwable cause = cause(failure);
        String said = firstLine(cause).trim();
        return cause.getClass().getSimpleName() + ": " + said + (said.endsWith(".") ? "" : ".");
    }

    static Throwable cause(Throwable failure) {
        boolean isWrapper = failure instanceof ExecutionException || failure.getClass() == KafkaException.class;
        return isWrapper && failure.getCause() != null ? cause(failure.getCause()) : failure;
    }

    static String firstLine(Throwable failure) {
        return String.valueOf(failure.getMessage()).split("\n")[0];
    }
}

/** Something is not as it must be; the message says what, and what to do. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String sentence, Object... values) {
        super(values.length == 0 ? sentence : String.format(sentence, values));
    }
}

/** The command line is wrong. */
final class WrongCommandLine extends Exception {
    private static final long serialVersionUID = 1;

    WrongCommandLine(String sentence) {
        super(sentence);
    }
}
