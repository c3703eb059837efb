import Synchronization

/// The writes that one answer causes. They go on after the fetch returned; the log shows how far they are.
public final class WriteLog: Sendable {
    private struct State {
        var records: [WriteRecord] = []
        /// Logs of tiers that were asked later in the same fetch.
        var joined: [WriteLog] = []
    }

    private let state = Mutex(State())

    init() {}

    /// The writes in the order in which they were started, as they stand now.
    public var records: [WriteRecord] {
        let (records, joined) = state.withLock { ($0.records, $0.joined) }
        return joined.reduce(records) { $0 + $1.records }
    }

    /// Adds a record, and gives its place to change it later.
    func append(_ record: WriteRecord) -> Int {
        state.withLock { state in
            state.records.append(record)
            return state.records.count - 1
        }
    }

    func update(_ index: Int, to record: WriteRecord) {
        state.withLock { $0.records[index] = record }
    }

    func joined(by other: WriteLog?) -> WriteLog {
        if let other { state.withLock { $0.joined.append(other) } }
        return self
    }
}
