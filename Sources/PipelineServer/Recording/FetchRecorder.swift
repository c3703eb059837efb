private import NIOPosix
package import Pipeline
private import Synchronization

/// Writes a line for each fetch to a file. Fetches only put what they know into a queue; one writer does the rest.
///
/// Recording ends for good when the file is full or cannot be written. No fetch fails or waits because of it.
package final class FetchRecorder: Sendable {
    private struct Queue {
        var lines: [RecordLine] = []
        /// The payloads that wait with them.
        var bytes = 0
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
    /// What only the writer uses.
    private let writing: Mutex<Writing>
    private let hasEnded = Atomic(false)

    /// The most fetches that wait to be written.
    private static let room = 1 << 16
    /// The most bytes of their values.
    private static let roomOfValues = 64 << 20
    /// How long fetches wait to be written.
    private static let pause = Duration.milliseconds(50)

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
        let size = line.payload?.count ?? 0
        let isFirstDropped = queue.withLock { queue in
            // It may have ended meanwhile, and nothing takes a line away then.
            guard !hasEnded.load(ordering: .relaxed) else { return false }
            // One alone is taken, however large it is.
            if queue.lines.count < Self.room, queue.lines.isEmpty || queue.bytes + size <= Self.roomOfValues {
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
        while (try? await clock.sleep(for: Self.pause)) != nil {
            // On a thread that may wait for a disk.
            try? await NIOThreadPool.singleton.runIfActive { self.flush() }
        }
    }

    /// Writes what waits, and says how many fetches were left out. Recording ends.
    package func finish() {
        flush()
        hasEnded.store(true, ordering: .relaxed)
        let dropped = queue.withLock { $0.dropped }
        if dropped > 0 { say("warning: \(dropped) fetches are not in `\(path)`, which could not be written as fast") }
    }

    private func flush() {
        writing.withLock { writing in
            let lines = queue.withLock { queue in
                defer { (queue.lines, queue.bytes) = ([], 0) }
                return queue.lines
            }
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
        var version: String?
        if case .value(let entry) = line.outcome.result, let payload = line.payload {
            version = texts.version(of: payload, entry, key)
        }
        return line.text(key: texts.text(of: key), version: version)
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
