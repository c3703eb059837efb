internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineSending

/// Deliveries in a process of its own, to which a one-shot command leaves the sends that still wait: so its caller does not wait for an
/// origin that cannot be reached.
struct BackgroundSending: Sendable {
    /// The command of that process. It stands in no help: its standard input comes from ``start()``.
    static let word = "send-in-background"
    /// The longest time for which the process delivers.
    private static let longest = Duration.seconds(600)
    /// The time that it has beyond that to come to its end.
    private static let grace = Duration.seconds(60)

    /// The path of the configuration.
    let config: String
    /// The name of the outbox.
    let outbox: String
    /// Tells the owner of the sends from others, for whom other processes deliver.
    let owner: String

    /// Leaves what waits in these outboxes to a process for each, and tells if one cannot be started.
    static func leave(_ outboxes: [String], of pipelines: Pipelines, config: String) {
        let areStarted = outboxes.map {
            BackgroundSending(config: config, outbox: $0, owner: pipelines.owner(ofOutbox: $0)).start()
        }
        guard areStarted.contains(false) else { return }
        Console.say("note: no process could be left to deliver what waits", help: "`pipe-run outbox flush` delivers it")
    }

    /// Starts the process, unless one delivers what this outbox has already. False when it cannot be started, as with a configuration that
    /// cannot be read a second time.
    private func start() -> Bool {
        guard let path = DetachedCall.readableAgain(config) else { return false }
        return DetachedCall.start(
            Self.word, [config, outbox, owner], for: (Self.longest + Self.grace).components.seconds, lockedBy: lock(path))
    }

    private func lock(_ path: String) -> [String] { [path, outbox, owner, "sends"] }

    /// Delivers in the new process, until nothing waits or the time is over.
    static func perform() async throws {
        guard let call = try DetachedCall.read(), call.words.count == 3 else {
            throw Usage.failure("`\(word)` is started by `send`", help: "`pipe-run outbox flush` delivers what waits")
        }
        let sending = BackgroundSending(config: call.words[0], outbox: call.words[1], owner: call.words[2])
        guard let path = DetachedCall.readableAgain(sending.config) else { return call.lock.release() }
        let chosen: ChosenOutboxes
        do {
            chosen = try ChosenOutboxes(ConfigOptions.parse(["--config", sending.config]), named: sending.outbox)
        } catch {
            call.lock.release()
            throw error
        }
        _ = await Interruption.watching {
            try await sending.deliver(chosen, holding: call.lock, at: path)
            return nil
        }
        await UnwrittenReport().shutDown(chosen.pipelines)
    }

    private func deliver(_ outboxes: ChosenOutboxes, holding first: KeyLock, at path: String) async throws {
        let clock = PipelineClock.system
        let end = clock.now + Self.longest
        var lock = first
        while true {
            let result = await Result { try await outboxes.pipelines.deliver(within: end.duration(since: clock.now), endingPauses: false) }
            lock.release()
            _ = try result.get()
            // Who took one in while the lock was held has left it to this process.
            guard clock.now < end, !Task.isCancelled, await !outboxes.pipelines.waitingSends(in: outbox).isEmpty,
                case .taken(let next) = KeyLock.take(self.lock(path))
            else { return }
            lock = next
        }
    }
}
