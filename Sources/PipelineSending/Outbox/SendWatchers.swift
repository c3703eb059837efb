import Pipeline
import Synchronization

/// Wakes those who follow sends. What there is to see they look up themselves.
final class SendWatchers: Sendable {
    private struct State {
        /// By the id of what is followed; nil for all of the outbox.
        var waiting: [String?: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var last: UInt64 = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// Gives an element when a send may have changed, or any if `id` is nil, and one at once. Ends when everything does.
    func changes(of id: String? = nil) -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> UInt64? in
            if state.isOver { return nil }
            state.last += 1
            state.waiting[id, default: [:]][state.last] = continuation
            return state.last
        }
        continuation.yield()
        guard let number else {
            continuation.finish()
            return changes
        }
        continuation.onTermination = { _ in
            self.state.withLock { state in
                state.waiting[id]?[number] = nil
                if state.waiting[id]?.isEmpty ?? false { state.waiting[id] = nil }
            }
        }
        return changes
    }

    /// These sends have changed. Call it without a lock.
    func wake(_ ids: Set<String>) {
        if ids.isEmpty { return }
        let woken = state.withLock { state in
            state.waiting.filter { $0.key.map(ids.contains) ?? true }.flatMap(\.value.values)
        }
        for continuation in woken { continuation.yield() }
    }

    /// Nothing changes any more.
    func end() {
        let all = state.withLock { state in
            defer { (state.waiting, state.isOver) = ([:], true) }
            return state.waiting.flatMap(\.value.values)
        }
        for continuation in all { continuation.finish() }
    }
}

extension Outbox {
    /// The sends that are followed.
    struct Watches: Sendable {
        /// How many follow each.
        private var counts: [String: Int] = [:]
        /// The last state of those that are done, by id.
        private(set) var ended: [String: SendRow] = [:]

        mutating func begin(_ id: String) { counts[id, default: 0] += 1 }

        mutating func end(_ id: String) {
            counts[id, default: 1] -= 1
            if counts[id] == 0 { (counts[id], ended[id]) = (nil, nil) }
        }

        mutating func note(_ row: SendRow) {
            if row.state.isDone, counts[row.id] != nil { ended[row.id] = row }
        }
    }

    /// A send as it is now; one that was done before it was followed, as the disk has it.
    fileprivate func present(_ first: SendStatus) async -> SendStatus {
        let known = state.withLock { state in (state.watches.ended[first.id] ?? state.known(first.number)).map { state.status(of: $0) } }
        if let known { return known }
        let kept = try? await source.row(first.id)
        // It may have come to something else meanwhile.
        return SendStatus(state.withLock { $0.watches.ended[first.id] } ?? kept ?? first.row)
    }
}

/// Follows one send until it is done. One caller at a time asks.
final class SendWatch: Sendable {
    private let outbox: Outbox
    private let first: SendStatus
    private let changes: AsyncStream<Void>
    private let seen = Mutex<SendStatus?>(nil)

    init(of first: SendStatus, in outbox: Outbox) {
        (self.outbox, self.first) = (outbox, first)
        outbox.state.withLock { $0.watches.begin(first.id) }
        changes = outbox.watchers.changes(of: first.id)
    }

    deinit {
        outbox.state.withLock { state in
            state.watches.end(first.id)
        }
    }

    /// The next state; nil after the last one, and at the end of everything.
    func next() async -> SendStatus? {
        if seen.withLock({ $0?.state.isDone ?? false }) { return nil }
        for await _ in changes {
            let present = await outbox.present(first)
            let isNew = seen.withLock { seen in
                defer { seen = present }
                return seen != present
            }
            if isNew { return present }
            if present.state.isDone { return nil }
        }
        return nil
    }
}
