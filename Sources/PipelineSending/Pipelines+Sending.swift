public import Pipeline
import PipelineLive
import Synchronization

extension Pipelines {
    /// Makes the pipelines of `specs`, and what their values are changed by.
    ///
    /// Throws ``UsageError`` as ``init(_:otherSources:clock:random:redactor:observers:)`` does, and for a send whose target takes none or whose
    /// outbox is none.
    ///
    /// - Parameter sends: the kinds of writes that go out.
    public convenience init(
        _ specs: [PipelineSpec], sends: [SendSpec], otherSources: [SourceSpec] = [], clock: PipelineClock = .system,
        random: RandomGenerator = .system, redactor: Redactor = Redactor(), observers: [PipelineEvent.Observer] = []
    ) throws(UsageError) {
        try self.init(
            specs.taking(sends), otherSources: otherSources + sends.sources, clock: clock, random: random, redactor: redactor,
            observers: observers)
        if !sends.isEmpty { try commons.sending.declare(sends, for: self) }
    }

    /// Pipelines that take over from these, with their sends: see ``succeeded(by:otherSources:keeping:)``.
    ///
    /// Sends that are not done go on, understood as `sends` declares them now. Pauses end.
    package func succeeded(
        by specs: [PipelineSpec], sends: [SendSpec], otherSources: [SourceSpec] = [], keeping unchanged: Set<String>
    ) throws(UsageError) -> Pipelines {
        let next = try succeeded(by: specs.taking(sends), otherSources: otherSources + sends.sources, keeping: unchanged)
        if !sends.isEmpty || !commons.sending.outboxes.isEmpty { try next.commons.sending.declare(sends, for: next) }
        return next
    }

    /// Takes in a send of the kind `name`, and returns when it is on the disk. From then on readers see what it changes, and it goes out when
    /// its turn comes, also after this process has ended.
    ///
    /// Throws ``SendError`` if it is not taken in; then nothing is shown, and nothing goes out. Throws `CancellationError` when the task is
    /// cancelled meanwhile: it may be taken in all the same, unless an `id` of your own tells.
    ///
    /// - Parameters:
    ///   - payload: what is sent; empty for none.
    ///   - id: tells it from all others, 1 to 255 visible ASCII characters; nil for a new UUID. The same id again takes nothing in.
    ///   - priority: the order in which sends go out that need not wait for each other; nil for that of the kind.
    @discardableResult
    public func send(
        _ name: String, _ arguments: [String: String] = [:], _ payload: [UInt8] = [], id: String? = nil, priority: Priority? = nil
    ) async throws -> SentSend {
        let (kind, outbox) = try commons.sending.find(name)
        return try await outbox.send(kind, arguments, payload, id: id, priority: priority)
    }

    /// Delivers sends from now on, if no other process does. A send does so by itself, and so does a fetch of a pipeline that sends change.
    ///
    /// Throws ``SendError/refused(_:)`` if an outbox cannot be used; what others have is delivered all the same.
    public func startSending() async throws(SendError) {
        try await commons.sending.each { outbox throws(SendError) in
            try await outbox.open()
            outbox.startSending()
        }
    }

    /// Ends the pauses of sends, but those that an origin asked for: call it when the network has changed, beside
    /// `OriginControllers.networkChanged()` of PipelineNetwork.
    public func endSendPauses() {
        for outbox in commons.sending.outboxes { outbox.endPauses() }
    }

    /// Has nothing delivered by the use of a pipeline alone: for a process that is about to end.
    package func waitWithDelivery() { commons.sending.waitWithDelivery() }

    /// The sends that are not done, and those that have failed, by number: now, and after each change.
    public func sends() -> AsyncStream<[SendStatus]> {
        let changes = MergedChanges(commons.sending.outboxes.map { $0.watchers.changes() })
        return AsyncStream { await changes.next() ? await self.listSends() : nil }
    }

    private func listSends() async -> [SendStatus] {
        var all: [SendStatus] = []
        for outbox in commons.sending.outboxes { all += (try? await outbox.list(SendState.listed)) ?? [] }
        return all
    }

    /// The sends of these states, by outbox and number; only those of one outbox if it is named. Throws ``SendError``.
    package func sends(_ states: Set<SendState>, in name: String? = nil) async throws(SendError) -> [(outbox: String, sends: [SendStatus])]
    {
        var all: [(outbox: String, sends: [SendStatus])] = []
        for outbox in commons.sending.outboxes where name == nil || outbox.name == name {
            all.append((outbox.name, try await outbox.list(states)))
        }
        return all
    }

    /// Puts a send that is held or has failed back at its number. Throws ``SendError`` if there is none of this id, or it is neither, and if the outbox
    /// cannot be written now: then it is put back for this process, which goes on trying to write that.
    public func retry(_ id: String) async throws { try await find(id).0.retry(id) }

    /// Gives a send up. One that is being tried is given up when that has ended, unless it is sent by then. Throws ``SendError`` if there is none
    /// of this id, or it is done, and if the outbox cannot be written now: then it is given up for this process, which goes on trying to write that.
    ///
    /// - Returns: the send as it is then: its ``SendStatus/reason`` says if the origin may have made the change.
    @discardableResult
    public func drop(_ id: String) async throws -> SendStatus { try await find(id).0.drop(id) }

    /// Ends pauses, and delivers until nothing can go any more, at the latest after `limit`.
    ///
    /// Throws ``SendError/refused(_:)`` if an outbox cannot be used, when what others have is delivered.
    ///
    /// - Returns: the number of sends that wait still; those that are held or have failed do not count.
    @discardableResult
    public func flushSends(within limit: Duration) async throws -> Int { try await deliver(within: limit, endingPauses: true) }

    /// Delivers until nothing waits any more, at the latest after `limit`. Returns how many sends wait still.
    ///
    /// - Parameter ends: whether pauses and quiet times end at once.
    package func deliver(within limit: Duration, endingPauses ends: Bool) async throws -> Int {
        let end = commons.clock.now + limit
        var left = 0
        try await commons.sending.each { outbox throws(SendError) in left += try await outbox.flush(until: end, endingPauses: ends) }
        return left
    }

    /// The figures of the outboxes that are open, by name.
    package var outboxFigures: [OutboxFigures] { commons.sending.outboxes.compactMap(\.figures) }

    /// Indicates whether a send is being tried, or its values are loaded for that, in this process: it does not wait.
    package func isUnderWay(_ id: String) -> Bool {
        commons.sending.outboxes.contains { outbox in outbox.state.withLock { $0.machine.isUnderWay(id) } }
    }

    /// Tells the owner of the sends of an outbox from others: `none` if it has none, or there is no such outbox.
    package func owner(ofOutbox name: String) -> String {
        let owner = commons.sending.outboxes.first { $0.name == name }?.source.bounds.owner ?? ""
        return owner.isEmpty ? "none" : owner
    }

    /// What a send does to values, and whether readers see it. Empty for one that is not understood.
    package func changes(of status: SendStatus) async -> [(key: Key, operation: SendChange.Operation, isShown: Bool)] {
        guard let (kind, _) = try? commons.sending.find(status.send), let understood = try? kind.understand(status.row) else { return [] }
        var changes: [(key: Key, operation: SendChange.Operation, isShown: Bool)] = []
        for effect in understood.effects {
            var isShown = status.state == .sent && effect.change.operation != .refresh
            if !status.state.isDone {
                let outcome = try? await kind.pipeline(of: effect)?.fetch(effect.key, policy: .cacheOnly)
                isShown = outcome?.sends.contains { $0.id == status.id } ?? false
            }
            changes.append((effect.key, effect.change.operation, isShown))
        }
        return changes
    }

    /// The format of the payloads of the kind `name`, and the most bytes of one that its outbox takes.
    package func payloads(of name: String) throws(SendError) -> (format: PayloadFormat, most: Int) {
        let (kind, outbox) = try commons.sending.find(name)
        return (kind.spec.format, outbox.source.bounds.maxSize.bytes)
    }

    /// The send of an id, as it is now. Throws ``SendError`` if there is none, or an outbox cannot be read.
    package func send(ofID id: String) async throws -> SendStatus {
        let (outbox, row) = try await find(id)
        return outbox.state.withLock { $0.status(of: row) }
    }

    /// The outbox that has a send, and its row as it is now.
    private func find(_ id: String) async throws(SendError) -> (Outbox, SendRow) {
        var problem: SendError?
        for outbox in commons.sending.outboxes {
            do throws(SendError) {
                try await outbox.open()
                if let row = try await outbox.row(id) { return (outbox, row) }
            } catch {
                // It may be in another one.
                problem = problem ?? outbox.naming(error)
            }
        }
        throw problem ?? .unknownID(id)
    }
}

/// Tells that one of several things has changed. One caller at a time asks.
private final class MergedChanges: Sendable {
    private let changes: AsyncStream<Void>

    init(_ all: [AsyncStream<Void>]) {
        let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        // Ends with the streams; cancelled with the one who asks.
        let task = Task {
            await withTaskGroup { group in
                for one in all { group.addTask { for await _ in one { continuation.yield() } } }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
    }

    /// Returns true when something has changed, false at the end.
    func next() async -> Bool {
        for await _ in changes { return true }
        return false
    }
}

extension SendState {
    /// Those that are not done, and that have failed.
    package static let listed: Set<SendState> = [.waiting, .sending, .held, .failed]
}

extension [PipelineSpec] {
    /// The pipelines, those that a send changes ready for that.
    fileprivate func taking(_ sends: [SendSpec]) -> [PipelineSpec] {
        map { spec in
            let changes = sends.flatMap(\.changes).filter { $0.pipeline == spec.name }
            if changes.isEmpty { return spec }
            var spec = spec
            spec.takeChanges(merging: changes.lazy.compactMap(\.merging).first)
            return spec
        }
    }
}

extension [SendSpec] {
    /// The sources that they name.
    fileprivate var sources: [SourceSpec] {
        var seen: Set<String> = []
        return flatMap { [$0.target, $0.outbox] }.filter { seen.insert($0.name).inserted }
    }
}
