internal import Pipeline
private import Synchronization

/// The contents of a scripted cache, and its script. They outlive the processes of a test, as a disk does.
final class ScriptedStore: Sendable {
    enum Copy: Sendable {
        /// A copy, with wall times.
        case entry(Entry)
        case invalid
    }

    private struct State {
        var copies: [Key: Copy] = [:]
        var outage = GivenOutage()
        var takes = Duration.zero
    }

    let name: String
    let style: ReadStyle
    let ownLimit: Duration?
    let log: SourceLog
    private let state = Mutex(State())

    init(_ name: String, style: ReadStyle, ownLimit: Duration?, log: SourceLog) {
        (self.name, self.style, self.ownLimit, self.log) = (name, style, ownLimit, log)
    }

    var takes: Duration { state.withLock(\.takes) }
    var copies: [Key: Copy] { state.withLock(\.copies) }

    func set(outage: Outage, at elapsed: Int64) {
        state.withLock { $0.outage = GivenOutage(outage: outage, since: elapsed) }
    }

    func set(takes: Duration) { state.withLock { $0.takes = takes } }

    func hold(_ copy: Copy?, for key: Key) { state.withLock { $0.copies[key] = copy } }

    func change(_ body: (inout [Key: Copy]) -> Void) { state.withLock { body(&$0.copies) } }

    func renew(_ held: Entry, as entry: Entry, for key: Key) -> Bool {
        state.withLock { state in
            guard case .entry(let present) = state.copies[key], present.payload == held.payload, present.created == held.created,
                present.stored == held.stored
            else { return false }
            state.copies[key] = .entry(entry)
            return true
        }
    }

    /// Throws while the cache is down for reads, or for writes.
    func checkUp(forReads isRead: Bool, at elapsed: Int64) throws {
        try state.withLock(\.outage).check(forReads: isRead, at: elapsed)
    }
}

/// A scripted cache as one process sees it.
struct ScriptedCache: WritableSource {
    let store: ScriptedStore
    let access: ScriptedAccess

    var style: ReadStyle { store.style }

    func peek(_ key: Key) throws -> Entry? {
        store.log.noteRead(of: store.name)
        return try found(key)
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        store.log.noteRead(of: store.name)
        let deadline = store.style == .punctual ? context.deadline : nil
        try await pass(key, until: deadline)
        return try found(key)
    }

    private func found(_ key: Key) throws -> Entry? {
        try access.check()
        try store.checkUp(forReads: true, at: access.elapsed)
        switch store.copies[key] {
        case .entry(let entry): return access.clock.restored(entry)
        case .invalid: throw SourceError("the copy cannot be used", kind: .invalid)
        case nil: return nil
        }
    }

    func write(_ entry: Entry, for key: Key) async throws {
        store.log.noteWrite(to: store.name)
        try await changing(key) { store.hold(.entry(access.clock.stored(entry)), for: key) }
    }

    func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try await changing(key) { store.renew(access.clock.stored(held), as: access.clock.stored(entry), for: key) }
    }

    func remove(_ key: Key) async throws {
        try await changing(key) { store.hold(nil, for: key) }
    }

    func clear(pipeline: String) async throws {
        try await changing(Key(pipeline: pipeline)) {
            store.change { copies in copies = copies.filter { !$0.key.pipeline.utf8.elementsEqual(pipeline.utf8) } }
        }
    }

    private func changing<Value>(_ key: Key, _ body: () -> Value) async throws -> Value {
        try await pass(key)
        try store.checkUp(forReads: false, at: access.elapsed)
        return body()
    }

    private func pass(_ key: Key, until deadline: Timestamp? = nil) async throws {
        try await access.pass(store.takes, for: key, of: store.name, limit: store.ownLimit, until: deadline, store.log)
    }
}
