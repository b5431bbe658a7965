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
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigsOptions;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ConsumerGroupListing;
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
 *        [--command-config client.properties] [--way append|copy] [--folder .] [--new-topic NAME] [--force]
 *
 *   check    compares each record of the topic with the dump that the repair was built from. Changes nothing.
 *   pause    runs check, notes the topic's own compaction lags in compaction-before.json, then sets both to the maximum.
 *   append   runs check, writes the repair records at the end of the topic, reads them back and compares them.
 *            It goes on where an append was interrupted.
 *   resume-append  the same, also where other programs have written since, if their records do no harm.
 *   copy     runs check, creates a new topic with the settings of the old one, writes the repaired journal to it,
 *            reads it back and compares it. Compaction of the new topic is paused until then.
 *   resume   puts back the compaction lags that pause noted.
 *
 * append writes all records as one record batch, which the broker stores whole or not at all. Where they do not fit into
 * one (max.message.bytes, message formats 0 and 1), it writes them one by one and says so first: do not interrupt it then.
 *
 * What it never does:
 *   - It deletes no topic, no record and no file.
 *   - It writes nothing if the topic has changed since the dump, if a file of the repair has changed,
 *     or if the topic would reject one of the records.
 *   - It changes no setting of the topic except min.compaction.lag.ms and max.compaction.lag.ms (pause, resume).
 *   - It never changes the old topic in copy, and never writes to a new topic that has records.
 *   - It commits no offsets, joins no consumer group and sends nothing to other machines than the brokers.
 *
 * To read it: carryOut() leads to the commands, which are the methods of these names. The classes after that are what
 * the commands use: Options, Repair, BuiltFrom, Way, Line (files), Cluster (brokers), Progress (what is written already),
 * Refused (what must not be done).
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
            case "append": append(false); break;
            case "resume-append": append(true); break;
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
            repair.topic, Words.records(repair.builtFrom.records), repair.builtFrom.endOffset);
        warnOfUsers();
    }

    /** Refuses a topic that is not what the dump had, or has records behind it. */
    void requireUnchangedTopic() throws Exception {
        requireSameRecords();
        long end = cluster.end(journal);
        if (end > repair.builtFrom.endOffset) throw new Refused(whatFollowsTheDump(end));
    }

    /** Refuses a topic whose records, as far as the dump reaches, are not those of the dump; names what was cleaned since. */
    void requireSameRecords() throws Exception {
        BuiltFrom dump = repair.builtFrom;
        long end = cluster.end(journal);
        if (end < dump.endOffset) {
            throw new Refused("The topic ends at offset %d, but the dump ends at offset %d. Check --bootstrap-server: "
                + "this is another cluster, or the topic was created again." + BUILD_AGAIN, end, dump.endOffset);
        }
        dump.read();
        long start = Math.min(cluster.start(journal), dump.endOffset);
        cluster.read(journal, start, dump.endOffset, dump);
        List<Long> cleaned = dump.removedSince();
        if (cleaned.isEmpty()) return;
        say("The log cleaner has removed %s since the dump: %s. A later record with the same key is in both, so the repair "
            + "still fits.", Words.records(cleaned.size()), Words.offsets(cleaned));
    }

    /** Says what is in the topic behind the end of the dump: records of others, or the repair's own. */
    String whatFollowsTheDump(long end) throws Exception {
        Way way = repair.wayOrNull("append");
        Progress progress = progressOf(way == null || !Files.exists(way.file) ? null : way, false);
        long more = progress.written() + progress.others;
        if (more == 0) {
            return String.format("The topic ends at offset %d, but the dump ends at offset %d. No record is between them, "
                + "only transaction markers or offsets without a record.", end, repair.builtFrom.endOffset) + BUILD_AGAIN;
        }
        String difference = String.format("The topic has %s more than the dump, from offset %d on.",
            Words.records(more), progress.first);
        if (progress.written() == 0) return difference + BUILD_AGAIN;
        if (progress.written() < way.records) {
            return difference + String.format(" The repair's own records are there in part: %d of %d, %s. "
                + "Start no registry. Run %s.", progress.written(), way.records, Words.offsets(progress.offsets),
                progress.others == 0 ? "append again" : "resume-append");
        }
        return difference + String.format(" The repair's own %s are already there, %s. Do not append them again.",
            Words.records(way.records), Words.offsets(progress.offsets));
    }

    /** What is behind the end of the dump. `isExact`: a record counts only if headers and timestamp are equal, too. */
    Progress progressOf(Way way, boolean isExact) throws Exception {
        long end = cluster.end(journal);
        Map<String, String> settings = cluster.settings(repair.topic);
        try (Lines lines = way == null ? null : way.lines()) {
            Progress progress = new Progress(lines, settings, isExact);
            long start = Math.min(Math.max(repair.builtFrom.endOffset, cluster.start(journal)), end);
            cluster.read(journal, start, end, progress);
            return progress;
        }
    }

    /** Names who uses the topic, as far as the broker knows. */
    void warnOfUsers() {
        for (String user : cluster.usersOf(journal)) {
            System.err.println("Warning: " + user + " Stop every registry, and every other program that writes to "
                + repair.topic + ".");
        }
    }

    // ---- append and copy -------------------------------------------------------------------------------------------

    /** Writes what is not written yet. `isResumed`: records of others may be behind the dump, if they do no harm. */
    void append(boolean isResumed) throws Exception {
        Way way = repair.way("append");
        way.requireUnchanged();
        requireSameRecords();
        Progress progress = progressOf(way, false);
        if (progress.written() == way.records) {
            say("All %s of the repair are already there, %s. Nothing was written.", Words.records(way.records),
                Words.offsets(progress.offsets));
            return;
        }
        if (progress.others > 0) requireHarmless(way, progress, isResumed);
        Map<String, String> settings = cluster.settings(repair.topic);
        way.requireAccepted(repair.topic, settings);
        requirePaused(settings);
        warnOfUsers();
        if (progress.written() > 0) {
            say("%d of %d records are already there. Continuing with record %d.", progress.written(), way.records,
                progress.written() + 1);
        }
        write(way, progress, settings);
    }

    void requireHarmless(Way way, Progress progress, boolean isResumed) throws Exception {
        if (progress.written() == 0) throw new Refused(whatFollowsTheDump(cluster.end(journal)));
        if (!isResumed) {
            throw new Refused("%d of %d records of the repair are there, and %s of other programs. Stop every registry. Then run "
                + "resume-append.", progress.written(), way.records, Words.records(progress.others));
        }
        Set<String> subjects = way.subjects();
        for (Map.Entry<Long, Set<String>> other : progress.subjectsOfOthers.entrySet()) {
            if (Collections.disjoint(other.getValue(), subjects)) continue;
            throw new Refused("Another program has written offset %d, which is about %s, and so is the repair. The repair can "
                + "no longer be continued. Stop every registry, take a new dump and build the repair again: it recognizes "
                + "the %s that are there.", other.getKey(), String.join(", ", other.getValue()),
                Words.records(progress.written()));
        }
    }

    void requirePaused(Map<String, String> settings) throws Exception {
        if (PAUSED.equals(settings.get(MIN_LAG))) return;
        String warning = "compaction of " + repair.topic + " is not paused. It can start after this append.";
        if (!options.isForced) {
            throw new Refused("Nothing was written: %s Run pause first. To append without a pause, add --force.", warning);
        }
        System.err.println("Warning: " + warning);
    }

    /** Writes the records from this number on, as one batch if they fit, then reads all of them back. */
    void write(Way way, Progress before, Map<String, String> settings) throws Exception {
        int written = before.written();
        boolean hasBatches = !cluster.isOldFormat(settings);
        long size = way.batchBytes(written);
        long most = Long.parseLong(settings.get(MAX_BYTES));
        boolean isOneBatch = hasBatches && size <= most;
        long rest = way.records - written;
        if (isOneBatch) say("Writing %s as one batch of %d bytes: the broker stores all or none.", Words.records(rest), size);
        else warnOfParts(way, rest, hasBatches, size, most);
        try {
            long first = cluster.produce(way, journal, written, isOneBatch, settings);
            Progress progress = progressOf(way, true);
            if (progress.written() < way.records) {
                throw new Refused("%s written, but only %d read back and equal.", Words.records(way.records), progress.written());
            }
            say("%d of %d records written, %s, read back and equal.", way.records, way.records,
                Words.offsets(progress.offsets));
            if (!cluster.keepsTimestamps(repair.topic)) {
                say("Timestamps were not compared: the broker sets them (LogAppendTime).");
            }
            requireOneBatch(isOneBatch, first, rest);
            if (progress.others > before.others) {
                throw new Refused("All records are there, but another program has written to %s meanwhile. Stop it.",
                    repair.topic);
            }
        } catch (Exception failure) {
            throw new Refused("%s %s", Failures.sentence(failure, options),
                "Start no registry. Stop every program that writes to the topic, then run resume-append.");
        }
    }

    void warnOfParts(Way way, long rest, boolean hasBatches, long size, long most) {
        String why = hasBatches
            ? String.format("one batch needs %d bytes, and max.message.bytes is %d", size, most)
            : "the topic has a message format without record batches. Headers are left out";
        System.err.println(String.format("Warning: the broker stores %s one by one, because %s. Do not interrupt this program. "
            + "If it is interrupted, start no registry and run append again.%s", Words.records(rest), why,
            way.losses == 0 ? "" : String.format(" Until then entities are missing (at %d of %d positions).", way.losses,
                way.records)));
    }

    /** Says where the broker did not store one batch, although all records are there. */
    void requireOneBatch(boolean isOneBatch, long first, long count) throws Exception {
        long last = isOneBatch ? cluster.endOfBatch(journal, first) : first + count - 1;
        if (last < first + count - 1) {
            System.err.println(String.format("Warning: the broker stored the records in several batches: the first ends at offset "
                + "%d. All records are there.", last));
        }
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
        writeCopy(way, copy);
        cluster.setOwn(name, lagsOf(settings));
        say("Use the topic name %s in the steps that follow.", name);
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
    void writeCopy(Way way, TopicPartition to) throws Exception {
        long first = cluster.end(to);
        try {
            Map<String, String> settings = cluster.settings(to.topic());
            cluster.produce(way, to, 0, false, settings);
            try (Lines lines = way.lines()) {
                Progress progress = new Progress(lines, settings, true);
                cluster.read(to, first, cluster.end(to), progress);
                if (progress.others > 0) throw new Refused("Another program has written to %s. Stop it.", to.topic());
                if (progress.written() < way.records) {
                    throw new Refused("%s written, but only %d read back and equal.", Words.records(way.records),
                        progress.written());
                }
                say("%d of %d records written, %s, read back and equal.", way.records, way.records,
                    Words.offsets(progress.offsets));
            }
            if (!cluster.keepsTimestamps(to.topic())) {
                say("Timestamps were not compared: the broker sets them (LogAppendTime).");
            }
        } catch (Exception failure) {
            throw new Refused("%s Start no registry on %s. Run copy again with another name: --new-topic NAME.",
                Failures.sentence(failure, options), to.topic());
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
        requireSameRecords();
        Map<String, String> before = lagsOf(cluster.ownSettings(repair.topic));
        if (before.equals(LAGS_OF_PAUSE)) {
            throw new Refused("Compaction of %s is already paused, from another folder or by hand. Run resume in that folder when "
                + "the repair is complete.", repair.topic);
        }
        cluster.rehearse(repair.topic, LAGS_OF_PAUSE);
        writeNote(before);
        cluster.setOwn(repair.topic, LAGS_OF_PAUSE);
        say("Compaction of %s is paused: %s and %s are %s.", repair.topic, MIN_LAG, MAX_LAG, PAUSED);
        warnOfRetention();
        warnOfNewRecords();
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

    void warnOfNewRecords() throws Exception {
        long end = cluster.end(journal);
        if (end <= repair.builtFrom.endOffset) return;
        System.err.println("Warning: " + whatFollowsTheDump(end));
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
    static final String USAGE = "Usage: java -cp \"KAFKA_HOME/libs/*\" ApplyRepair.java "
        + "check|pause|append|resume-append|copy|resume --bootstrap-server BROKER:9092\n"
        + "       [--command-config client.properties] [--way append|copy] [--folder .] [--new-topic NAME] [--force]";
    static final List<String> COMMANDS = List.of("check", "pause", "append", "resume-append", "copy", "resume");
    static final String FORCE = "--force";
    static final List<String> NAMES = List.of("--bootstrap-server", "--command-config", "--way", "--folder",
        "--new-topic");

    final String command;
    final String brokers;
    final String commandConfig;
    final String way;
    final String newTopic;
    final Path folder;
    final boolean isForced;

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
        isForced = given.containsKey(FORCE);
    }

    static Map<String, String> pairs(String[] arguments) throws WrongCommandLine {
        Map<String, String> given = new HashMap<>();
        for (int i = 1; i < arguments.length; i += 2) {
            if (arguments[i].equals(FORCE)) {
                given.put(FORCE, "");
                i--;
                continue;
            }
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
    final BuiltFrom builtFrom;

    Repair(Path folder) throws Refused {
        this.folder = folder;
        content = Json.read(folder.resolve("repair.json"),
            "Run the command in the repair's folder, or name the folder with --folder.");
        if (Json.number(content, "schema") != 2) {
            throw new Refused("repair.json has schema %s. Use the ApplyRepair.java of the same folder.",
                content.get("schema"));
        }
        topic = Json.text(content, "topic");
        partition = (int) Json.number(content, "partition");
        builtFrom = new BuiltFrom(folder, Json.member(content, "built_from"));
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

/** The records of the dump that the repair was built from: offset, hash of the key, hash of the record, a line each. */
final class BuiltFrom implements Consumer<ConsumerRecord<byte[], byte[]>> {
    final Path file;
    final String sha256;
    final long endOffset;
    final int records;
    private long[] offsets;
    private String[] keys;
    private String[] hashes;
    private BitSet isPresent;
    private String difference;

    BuiltFrom(Path folder, JsonNode content) throws Refused {
        file = folder.resolve(Json.text(content, "file"));
        sha256 = Json.text(content, "sha256");
        endOffset = Json.number(content, "end_offset");
        records = (int) Json.number(content, "records");
    }

    void read() throws Exception {
        if (!Files.exists(file) || !Hashes.ofFile(file).equalsIgnoreCase(sha256)) {
            throw new Refused("%s is missing, or is not the file that the repair was built with. Copy the repair's folder again, "
                + "with all its files.", file);
        }
        offsets = new long[records];
        keys = new String[records];
        hashes = new String[records];
        isPresent = new BitSet(records);
        difference = null;
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            for (int row = 0; row < records; row++) {
                String[] columns = reader.readLine().split("\t");
                offsets[row] = Long.parseLong(columns[0]);
                keys[row] = columns[1];
                hashes[row] = columns[2];
            }
        }
    }

    /** A record of the topic; the first that differs from the dump counts. */
    @Override
    public void accept(ConsumerRecord<byte[], byte[]> record) {
        if (difference != null) return;
        int row = Arrays.binarySearch(offsets, record.offset());
        if (row < 0) {
            difference = String.format("The topic has a record at offset %d, and the dump has none there.", record.offset());
        } else if (!Hashes.ofRecord(record).startsWith(hashes[row])) {
            difference = String.format("The record at offset %d is not that of the dump.", record.offset());
        } else {
            isPresent.set(row);
        }
    }

    /** Offsets that the cleaner has removed since. Refuses any other difference. */
    List<Long> removedSince() throws Refused {
        Map<String, Integer> last = new HashMap<>();
        for (int row = 0; row < records; row++) if (isPresent.get(row)) last.put(keys[row], row);
        List<Long> removed = new ArrayList<>();
        for (int row = isPresent.nextClearBit(0); row < records; row = isPresent.nextClearBit(row + 1)) {
            if (difference == null && last.getOrDefault(keys[row], -1) < row) {
                difference = String.format("The topic has no record at offset %d, where the dump has one, and no later record of "
                    + "its key.", offsets[row]);
            }
            removed.add(offsets[row]);
        }
        if (difference != null) throw new Refused(difference + ApplyRepair.BUILD_AGAIN);
        return removed;
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
    final long losses;

    Way(Repair repair, String id, JsonNode content) throws Refused {
        this.id = id;
        file = repair.folder.resolve(Json.text(content, "file"));
        records = Json.number(content, "records");
        sha256 = Json.text(content, "sha256");
        partition = repair.partition;
        newTopic = id.equals("copy") ? Json.text(content, "new_topic") : null;
        losses = content.has("losses") ? Json.number(content, "losses") : 0;
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

    /** The bytes of one batch with all records from this number on. */
    long batchBytes(int from) throws Exception {
        long bytes = Line.BATCH_HEADER_BYTES;
        long now = System.currentTimeMillis();
        long base = 0;
        try (Lines lines = lines()) {
            lines.skip(from);
            int delta = 0;
            for (Line line; (line = lines.next()) != null; delta++) {
                long timestamp = line.timestamp == null ? now : line.timestamp;
                if (delta == 0) base = timestamp;
                bytes += line.recordBytes(timestamp - base, delta);
            }
        }
        return bytes;
    }

    /** What its records are about. */
    Set<String> subjects() throws Exception {
        Set<String> subjects = new HashSet<>();
        try (Lines lines = lines()) {
            for (Line line; (line = lines.next()) != null; ) subjects.addAll(Subjects.of(line.key));
        }
        return subjects;
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

    void skip(int count) throws IOException, Refused {
        for (int line = 0; line < count; line++) next();
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}

/** What a record is about, by the members of its key: two records about the same thing may disturb each other. */
final class Subjects {
    static final List<String> MEMBERS = List.of("artifactId", "contentId", "contentHash", "subject", "ruleType", "principalId");

    private Subjects() { }

    /** `artifactId=pay/a`; without such a member none. A key may have a byte for its type before its JSON object. */
    static Set<String> of(byte[] key) {
        Set<String> subjects = new HashSet<>();
        JsonNode members = object(key);
        for (String name : MEMBERS) {
            if (members == null || !members.hasNonNull(name)) continue;
            boolean isInGroup = name.equals("artifactId") && members.hasNonNull("groupId");
            subjects.add(name + "=" + (isInGroup ? members.get("groupId").asText() + "/" : "") + members.get(name).asText());
        }
        if (members != null && subjects.isEmpty() && members.hasNonNull("groupId")) {
            subjects.add("groupId=" + members.get("groupId").asText());
        }
        return subjects;
    }

    private static JsonNode object(byte[] key) {
        int start = 0;
        while (key != null && start < key.length && key[start] != '{') start++;
        if (key == null || start == key.length) return null;
        try {
            return Json.MAPPER.readTree(Arrays.copyOfRange(key, start, key.length));
        } catch (IOException none) {
            return null;
        }
    }
}

/** One record to write. */
final class Line {
    static final int BATCH_HEADER_BYTES = 61;
    static final int ATTRIBUTES_BYTES = 1;

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

    /** Message formats 0 and 1 have no headers. */
    ProducerRecord<byte[], byte[]> recordFor(TopicPartition to, boolean withHeaders) {
        return new ProducerRecord<>(to.topic(), to.partition(), timestamp, key, value, withHeaders ? headers : List.of());
    }

    boolean hasKeyAndValueOf(ConsumerRecord<byte[], byte[]> record) {
        return Arrays.equals(key, record.key()) && Arrays.equals(value, record.value());
    }

    boolean hasHeadersOf(ConsumerRecord<byte[], byte[]> record) {
        return headers.equals(Arrays.asList(record.headers().toArray()));
    }

    /** A null timestamp is the producer's clock, so any timestamp equals it. */
    boolean hasTimestampOf(ConsumerRecord<byte[], byte[]> record) {
        return timestamp == null || timestamp == record.timestamp();
    }

    /** The bytes of a record batch (message format 2) that contains this record only, not compressed. */
    long batchBytes() {
        return BATCH_HEADER_BYTES + recordBytes(0, 0);
    }

    /** Its bytes in a batch. */
    long recordBytes(long timestampDelta, long offsetDelta) {
        long record = ATTRIBUTES_BYTES + varintBytes(timestampDelta) + varintBytes(offsetDelta);
        record += sized(key) + sized(value) + varintBytes(headers.size());
        for (Header header : headers) {
            record += sized(header.key().getBytes(StandardCharsets.UTF_8)) + sized(header.value());
        }
        return varintBytes(record) + record;
    }

    static long sized(byte[] part) {
        return part == null ? 1 : varintBytes(part.length) + part.length;
    }

    static long varintBytes(long number) {
        long bytes = 1;
        for (long rest = ((number << 1) ^ (number >> 63)) >>> 7; rest > 0; rest >>>= 7) bytes++;
        return bytes;
    }
}

/** The brokers: settings, reading, writing. Every wait ends after 60 seconds without an answer. */
final class Cluster implements AutoCloseable {
    static final long TIMEOUT_S = 60;
    static final long DELIVERY_S = TIMEOUT_S + 10;
    static final long LINGER_MS = 30_000; // with request.timeout.ms not above delivery.timeout.ms
    static final long ROOM_BYTES = 1024;
    static final long ACTIVE_S = 600;
    static final String FORMAT = "message.format.version";

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

    /**
     * Idempotent, acknowledged by all in-sync replicas, one request at a time: the order is that of the file. `batchBytes`:
     * of the one batch that takes all records, sent when it is flushed; 0 sends each record as it comes.
     */
    Properties writingClient(long largestBytes, long batchBytes, Map<String, String> settings) throws Exception {
        Properties client = options.client();
        client.remove("transactional.id");
        client.remove("retries");
        client.put("enable.idempotence", String.valueOf(!isOldFormat(settings)));
        client.put("acks", "all");
        client.put("max.in.flight.requests.per.connection", "1");
        client.put("linger.ms", batchBytes == 0 ? "0" : String.valueOf(LINGER_MS));
        client.put("compression.type", "none");
        client.put("delivery.timeout.ms", String.valueOf(TIMEOUT_S * 1000));
        client.put("max.block.ms", String.valueOf(TIMEOUT_S * 1000));
        long most = Long.parseLong(settings.get(ApplyRepair.MAX_BYTES));
        client.put("batch.size", String.valueOf(batchBytes == 0 ? Math.min(16384, most) : batchBytes + ROOM_BYTES));
        long needed = Math.max(largestBytes, batchBytes) + ROOM_BYTES;
        client.put("max.request.size", String.valueOf(Math.max(1048576, needed)));
        client.put("buffer.memory", String.valueOf(Math.max(33554432, 2 * needed)));
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

    /** Whether the topic has message format 0 or 1. Brokers of 3.0 and later may still name it, and ignore it. */
    boolean isOldFormat(Map<String, String> settings) {
        String format = settings.get(FORMAT);
        return format != null && (format.startsWith("0.8") || format.startsWith("0.9") || format.startsWith("0.10"));
    }

    /** Writes the records of the way from this number on; the offset of the first. Stops at a gap in the offsets. */
    long produce(Way way, TopicPartition to, int from, boolean isOneBatch, Map<String, String> settings) throws Exception {
        Properties client = writingClient(way.largestBatchBytes(), isOneBatch ? way.batchBytes(from) : 0, settings);
        boolean isCopy = way.newTopic != null;
        int inFlight = isCopy ? ApplyRepair.COPY_RECORDS_IN_FLIGHT : 1;
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(client);
        Confirmed confirmed = new Confirmed(way, from);
        try (Lines lines = way.lines()) {
            lines.skip(from);
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (Line line; (line = lines.next()) != null; ) {
                sent.add(producer.send(line.recordFor(to, !isOldFormat(settings))));
                if (!isOneBatch && sent.size() == inFlight) confirmed.await(sent);
            }
            producer.flush();
            confirmed.await(sent);
            return confirmed.first;
        } finally {
            producer.close(Duration.ZERO);
        }
    }

    /**
     * The last offset of the record batch that starts here. A fetch of at most one byte is answered with one batch, and a
     * poll hands over one fetch.
     */
    long endOfBatch(TopicPartition place, long first) throws Exception {
        Properties client = readingClient();
        client.put("max.partition.fetch.bytes", "1");
        client.put("fetch.max.bytes", "1");
        client.put("max.poll.records", String.valueOf(Integer.MAX_VALUE));
        try (KafkaConsumer<byte[], byte[]> single = new KafkaConsumer<>(client)) {
            single.assign(List.of(place));
            single.seek(place, first);
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
            while (single.position(place) == first && System.nanoTime() < until) single.poll(Duration.ofSeconds(1));
            return single.position(place) - 1;
        }
    }

    // ---- who uses the topic ----

    /** Consumer groups and producers that are active on a partition, as sentences. */
    List<String> usersOf(TopicPartition place) {
        List<String> users = new ArrayList<>();
        try {
            users.addAll(groupsOn(place));
        } catch (Exception unknown) {
            users.add("the broker does not name the consumer groups of the topic (" + Failures.firstLine(unknown) + ").");
        }
        try {
            users.addAll(producersOn(place));
        } catch (Exception unknown) {
            return users; // brokers before Kafka 3.0 know none
        }
        return users;
    }

    @SuppressWarnings({"deprecation", "removal"}) // clients before Kafka 4.1 have no other call
    private List<String> groupsOn(TopicPartition place) throws Exception {
        List<String> names = new ArrayList<>();
        for (ConsumerGroupListing group : answer(admin.listConsumerGroups().all())) names.add(group.groupId());
        List<String> active = new ArrayList<>();
        for (ConsumerGroupDescription group : answer(admin.describeConsumerGroups(names).all()).values()) {
            boolean isReading = group.members().stream().anyMatch(one -> one.assignment().topicPartitions().contains(place));
            if (isReading) active.add("the consumer group " + group.groupId() + " is active on the topic.");
        }
        return active;
    }

    /** Idempotent producers only: no broker knows of others. By reflection, because clients before 2.8 cannot ask. */
    private List<String> producersOn(TopicPartition place) throws Exception {
        Object result = admin.getClass().getMethod("describeProducers", Collection.class).invoke(admin, List.of(place));
        KafkaFuture<?> future = (KafkaFuture<?>) result.getClass().getMethod("all").invoke(result);
        List<String> active = new ArrayList<>();
        for (Object state : ((Map<?, ?>) answer(future)).values()) {
            for (Object one : (List<?>) state.getClass().getMethod("activeProducers").invoke(state)) {
                long last = (long) one.getClass().getMethod("lastTimestamp").invoke(one);
                if (System.currentTimeMillis() - last > TimeUnit.SECONDS.toMillis(ACTIVE_S)) continue;
                active.add("producer " + one.getClass().getMethod("producerId").invoke(one) + " wrote to the topic at "
                    + Instant.ofEpochMilli(last) + ".");
            }
        }
        return active;
    }
}

/** Confirmations of the broker: each record must get the offset behind the one before. */
final class Confirmed {
    private final Way way;
    private long count;
    private long next = -1;
    long first = -1;

    Confirmed(Way way, int from) {
        this.way = way;
        count = from;
    }

    void await(List<Future<RecordMetadata>> sent) throws Exception {
        for (Future<RecordMetadata> one : sent) {
            long offset = offsetOf(one, count, way);
            if (first < 0) first = next = offset;
            if (offset != next) {
                throw new Refused("Another program writes to the topic: record %d of %d got offset %d instead of %d. "
                    + "Stop every registry.", count + 1, way.records, offset, next);
            }
            count++;
            next++;
        }
        sent.clear();
    }

    static long offsetOf(Future<RecordMetadata> sent, long confirmed, Way way) throws Exception {
        try {
            return sent.get(Cluster.DELIVERY_S, TimeUnit.SECONDS).offset();
        } catch (ExecutionException | java.util.concurrent.TimeoutException failure) {
            throw new Refused("The broker did not confirm record %d of %d: %s Confirmed before: %s.",
                confirmed + 1, way.records, Failures.reason(failure), Words.records(confirmed));
        }
    }
}

/** Reads what is behind the dump: the repair's own records in their order, and those of others. */
final class Progress implements Consumer<ConsumerRecord<byte[], byte[]>> {
    private final Lines lines;
    private final boolean withHeaders;
    private final boolean withTimestamps;
    private Line next;
    private boolean isRead;
    final List<Long> offsets = new ArrayList<>();
    final Map<Long, Set<String>> subjectsOfOthers = new TreeMap<>();
    long first = -1;
    long others;

    Progress(Lines lines, Map<String, String> settings, boolean isExact) {
        this.lines = lines;
        String format = settings.getOrDefault(Cluster.FORMAT, "");
        withHeaders = isExact && !format.startsWith("0.");
        withTimestamps = isExact && !"LogAppendTime".equals(settings.get("message.timestamp.type"));
    }

    int written() {
        return offsets.size();
    }

    @Override
    public void accept(ConsumerRecord<byte[], byte[]> record) {
        if (first < 0) first = record.offset();
        Line line = next();
        boolean isOwn = line != null && line.hasKeyAndValueOf(record)
            && (!withHeaders || line.hasHeadersOf(record))
            && (!withTimestamps || line.hasTimestampOf(record));
        if (isOwn) {
            offsets.add(record.offset());
            isRead = false;
        } else {
            others++;
            Set<String> subjects = Subjects.of(record.key());
            if (!subjects.isEmpty()) subjectsOfOthers.put(record.offset(), subjects);
        }
    }

    private Line next() {
        if (isRead || lines == null) return next;
        try {
            next = lines.next();
            isRead = true;
            return next;
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

    /** `offset 3`, `offsets 3-5, 9`. */
    static String offsets(List<Long> offsets) {
        List<String> ranges = new ArrayList<>();
        for (int from = 0, to; from < offsets.size(); from = to + 1) {
            to = from;
            while (to + 1 < offsets.size() && offsets.get(to + 1) == offsets.get(to) + 1) to++;
            ranges.add(from == to ? String.valueOf(offsets.get(from)) : offsets.get(from) + "-" + offsets.get(to));
        }
        return (offsets.size() == 1 ? "offset " : "offsets ") + String.join(", ", ranges);
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
