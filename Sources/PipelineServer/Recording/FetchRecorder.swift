private import NIOPosix
package import Pipeline
internal import PipelineJSON
private import Synchronization

/// Writes a line for each fetch to a file. Fetches only put what they know into a queue; one writer does the rest.
///
/// Recording ends for good when the file is full or cannot be written. No fetch fails or waits because of it.
package final class FetchRecorder: Sendable {
    private struct Queue {
        var lines: [RecordLine] = []
        /// The payloads that wait with them.
        var bytes = 0
        /// The fetches that the writer has taken and not written yet.
        var beingWritten = 0
        var dropped = 0
    }

    private struct Writing {
        var texts: RecordTexts
        var size: Int
    }

    private let file: RecordFile
    private let path: String
    private let limit: Size
    private let clock: PipelineClock
    private let say: @Sendable (String) -> Void
    /// The pipelines whose secrets are masked now.
    private let pipelines: @Sendable () -> Pipelines
    private let queue = Mutex(Queue())
    /// The state that only the writer uses.
    private let writing: Mutex<Writing>
    private let hasEnded = Atomic(false)

    /// The most fetches that wait to be written.
    private static let room = 1 << 16
    /// The most bytes of their keys and values.
    private static let roomInBytes = 64 << 20
    /// The time for which fetches wait to be written.
    private static let pause = Duration.milliseconds(50)
    /// The time for which the end waits for what a disk, or who reads a pipe, has not taken.
    private static let patience = Duration.seconds(5)

    /// - Parameters:
    ///   - limit: the most bytes of the file.
    ///   - isAnonymous: whether hashes stand for the values of keys, with a key that is in no file. Needs a new file.
    ///   - pipelines: those that are in use now: their redactor masks the keys.
    ///   - say: tells people why recording ended, and what was left out.
    package init(
        path: String, limit: Size, isAnonymous: Bool, masking pipelines: @escaping @Sendable () -> Pipelines,
        clock: PipelineClock = .system, saying say: @escaping @Sendable (String) -> Void
    ) throws(RecordFile.Problem) {
        file = try RecordFile(path: path, isNew: isAnonymous)
        self.path = path
        self.limit = limit
        self.clock = clock
        self.say = say
        self.pipelines = pipelines
        writing = Mutex(Writing(texts: RecordTexts(isAnonymous: isAnonymous), size: file.size))
        if file.cut > 0 { say("warning: the last line of `\(path)` was cut short: its \(file.cut) bytes are removed") }
    }

    /// The present, for ``note(_:policy:begun:)``.
    package var now: Timestamp { clock.wallNow }

    /// Records a fetch that ended.
    ///
    /// - Parameter begun: ``now``, when it began.
    package func note(_ outcome: Outcome, policy: FetchPolicy, begun: Timestamp) {
        guard !hasEnded.load(ordering: .relaxed) else { return }
        let line = RecordLine(begun: begun, policy: policy, outcome: outcome)
        let size = (line.payload?.count ?? 0) + outcome.key.parameters.reduce(0) { $0 + $1.value.utf8.count }
        let isFirstDropped = queue.withLock { queue in
            // It may have ended meanwhile, and nothing takes a line away then.
            guard !hasEnded.load(ordering: .relaxed) else { return false }
            // One alone is taken, however large it is.
            if queue.lines.count < Self.room, queue.lines.isEmpty || queue.bytes + size <= Self.roomInBytes {
                queue.lines.append(line)
                queue.bytes += size
                return false
            }
            queue.dropped += 1
            return queue.dropped == 1
        }
        if isFirstDropped { say("warning: fetches come faster than they can be recorded; some are left out") }
    }

    /// Writes what comes until the task is cancelled. What is left then, ``finish()`` writes.
    package func run() async {
        while (try? await clock.sleep(for: Self.pause)) != nil { try? await write() }
    }

    /// Writes what waits, for 5 s at most, and says how many fetches were left out. Recording ends.
    package func finish() async {
        try? await clock.race(until: clock.now + Self.patience, late: {}) { try await self.write() }
        hasEnded.store(true, ordering: .relaxed)
        let left = queue.withLock { $0.dropped + $0.lines.count + $0.beingWritten }
        if left > 0 { say("warning: \(left) fetches are not in `\(path)`, which could not be written as fast") }
    }

    /// Writes what waits on a thread that may wait for a disk, or for who reads a pipe. It is left there when the task is cancelled.
    private func write() async throws {
        let written = Race<Void>()
        NIOThreadPool.singleton.submit { _ in
            self.flush()
            written.finish(.success(()))
        }
        try await written.value()
    }

    private func flush() {
        writing.withLock { writing in
            let lines = queue.withLock { queue in
                defer { (queue.lines, queue.bytes, queue.beingWritten) = ([], 0, queue.lines.count) }
                return queue.lines
            }
            defer { queue.withLock { $0.beingWritten = 0 } }
            guard !lines.isEmpty, !hasEnded.load(ordering: .relaxed) else { return }
            writing.texts.mask(with: pipelines())
            var bytes: [UInt8] = []
            for line in lines {
                let text = Self.text(of: line, &writing.texts)
                guard writing.size + bytes.count + text.utf8.count < limit.bytes else {
                    append(bytes, &writing)
                    return end(because: "the next line would exceed `--record-max`, \(limit.words)")
                }
                bytes += text.utf8
                bytes.append(UInt8(ascii: "\n"))
            }
            append(bytes, &writing)
        }
    }

    private static func text(of line: RecordLine, _ texts: inout RecordTexts) -> String {
        let key = line.outcome.key
        let textOfKey = texts.text(of: key)
        var version: String?
        if case .value(let entry) = line.outcome.result, let payload = line.payload {
            version = texts.version(of: payload, entry, key)
        }
        return line.text(key: textOfKey, version: version)
    }

    private func append(_ bytes: [UInt8], _ writing: inout Writing) {
        writing.size += bytes.count
        if let reason = file.append(bytes) { end(because: reason) }
    }

    private func end(because reason: String) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        queue.withLock { ($0.lines, $0.bytes) = ([], 0) }
        say("the recording in `\(path)` ends: \(reason)")
    }
}

/// A fetch that ended, as it is recorded.
struct RecordLine: Sendable {
    /// The beginning of every line.
    static let beginning = Array(#"{"t":"#.utf8)

    /// The moment when the fetch began, by the wall clock.
    let begun: Timestamp
    let policy: FetchPolicy
    let outcome: Outcome

    /// The line without its end.
    ///
    /// - Parameters:
    ///   - key: the text of the key, or of one that stands for it.
    ///   - version: of the payload; nil without one.
    func text(key: String, version: String?) -> String {
        // The text of a key has no character that JSON would escape.
        var text =
            #"{"t":\#(begun.nanoseconds),"key":"\#(key)","policy":"\#(policy.rawValue)","outcome":"\#(outcome.ending.rawValue)","tiers":["#
        var separator = ""
        for attempt in outcome.attempts {
            let milliseconds = attempt.duration == .zero ? "0" : JSONText.milliseconds(attempt.duration.milliseconds).text
            text += #"\#(separator)["\#(Self.escaped(attempt.source))","\#(attempt.outcome.rawValue)",\#(milliseconds)]"#
            separator = ","
        }
        text += "]"
        if let version, let payload { text += #","bytes":\#(payload.count),"version":"\#(version)""# }
        return text + "}"
    }

    /// The text between the quotes of a JSON string. Most names are written as they are, which is quick to see.
    private static func escaped(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        return isPlain ? name : JSONText.escaped(name)
    }

    /// The value's bytes; nil without a value.
    var payload: [UInt8]? {
        if case .value(let entry) = outcome.result { entry.payload } else { nil }
    }
}

/// The texts for keys and payloads in a recording. Texts that come often are not made again.
struct RecordTexts {
    private struct Version {
        let created: Timestamp
        let count: Int
        let text: String
    }

    /// The text for one key.
    private struct Known {
        var text: String
        var version: Version?
    }

    /// The pipelines whose secrets the texts of keys are without.
    private weak var pipelines: Pipelines?
    private var redactor = Redactor()
    /// The key of the hashes; nil if keys stand as they are.
    private let secret: (UInt64, UInt64)?
    private var known: [Key: Known] = [:]
    /// The memory of what is remembered, bookkeeping included.
    private(set) var bytes = 0

    /// The most bytes to remember; then it begins anew.
    static let room = 16 << 20
    /// The memory that a key takes beside its values and its text.
    private static let bookkeeping = 256

    init(isAnonymous: Bool) {
        secret = isAnonymous ? (.random(in: .min ... .max), .random(in: .min ... .max)) : nil
    }

    /// Masks what is secret in `pipelines` from now on, also in keys that came before.
    mutating func mask(with pipelines: Pipelines) {
        guard self.pipelines !== pipelines else { return }
        (self.pipelines, redactor) = (pipelines, pipelines.redactor)
        forget()
    }

    private mutating func forget() { (known, bytes) = ([:], 0) }

    /// The text of `key`, without secrets; where it is anonymous, each value is a hash.
    mutating func text(of key: Key) -> String {
        if let known = known[key] { return known.text }
        let parameters = key.parameters.map { parameter in
            let value = redactor.redacted(parameter.value)
            guard let secret else { return Parameter(name: parameter.name, value: value) }
            let hash = KeyHash(key: secret).hash(of: Array((parameter.name + "=" + parameter.value).utf8))
            return Parameter(name: parameter.name, value: KeyHash.digits(of: hash))
        }
        let text = Key(pipeline: key.pipeline, parameters: parameters).text
        let cost = key.parameters.reduce(text.utf8.count + Self.bookkeeping) { $0 + $1.value.utf8.count }
        if bytes + cost > Self.room { forget() }
        guard cost <= Self.room else { return text }
        known[key] = Known(text: text)
        bytes += cost
        return text
    }

    /// A text for the payload of a copy of `key`: equal for equal bytes.
    mutating func version(of payload: [UInt8], _ entry: Entry, _ key: Key) -> String {
        if let known = known[key]?.version, known.created == entry.created, known.count == payload.count { return known.text }
        let hash = KeyHash(key: secret ?? (0, 0)).hash(of: payload)
        let text = KeyHash.digits(of: hash)
        known[key]?.version = Version(created: entry.created, count: payload.count, text: text)
        return text
    }
}
