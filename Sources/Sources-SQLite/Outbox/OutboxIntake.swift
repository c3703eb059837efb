internal import Pipeline
internal import PipelineSending

/// The taking in of a batch of sends, in one transaction.
struct OutboxIntake {
    private let table: SendTable
    private let bounds: OutboxBounds
    private var counters: OutboxCounters
    private var isCounted = false
    private var hasTaken = false

    init(_ table: SendTable, _ bounds: OutboxBounds) throws {
        self.table = table
        self.bounds = bounds
        counters = try table.counters()
    }

    /// Takes a send in that stands in `lanes`.
    mutating func take(_ row: SendRow, lanes: [String]) throws -> TakenIn {
        let content = table.connection.salt.hash(of: row)
        if let known = try known(row, content) { return known }
        if let refusal = try refusal(of: row, lanes) { return .refused(refusal) }
        let number = try table.insert(row, content: content, change: counters.change + 1)
        if !row.state.isDone { try table.insert(lanes, of: number) }
        if row.state.isCounted { counters.add(size: row.payload.count) }
        hasTaken = true
        return .new(row.numbered(number))
    }

    /// Writes what was counted along; gives the number of the transaction, nil if nothing was taken in.
    consuming func end() throws -> Int64? {
        if hasTaken { counters.change += 1 }
        if hasTaken || isCounted { try table.store(counters) }
        return hasTaken ? counters.change : nil
    }

    /// What is said of a send whose id is known; nil for a new id.
    ///
    /// What it was when it was taken in tells, since temporary ids in it may have been replaced since; or what it is now.
    private func known(_ row: SendRow, _ content: String) throws -> TakenIn? {
        guard let (send, isOwn, known) = try table.known(row.id) else { return nil }
        guard isOwn, known == content || send.isReadable && table.connection.salt.hash(of: send.row) == content else {
            return .refused(.knownID(row.id))
        }
        return .known(send.row)
    }

    private mutating func refusal(of row: SendRow, _ lanes: [String]) throws -> SendRefusal? {
        let size = row.payload.count
        if let reason = OutboxCounters.refusal(ofPayload: size, within: bounds) { return SendRefusal(.tooLarge, reason) }
        if counters.refusal(of: size, within: bounds) != nil, !isCounted {
            // Another program may have made the numbers wrong. Before a send is refused, the rows themselves are asked.
            counters = try table.recounted(change: counters.change)
            isCounted = true
        }
        return try (counters.refusal(of: size, within: bounds) ?? refusal(in: lanes)).map { SendRefusal(.full, $0) }
    }

    private func refusal(in lanes: [String]) throws -> String? {
        let most = bounds.mostForLane
        // Most outboxes have fewer sends in all.
        guard counters.entries >= most else { return nil }
        for lane in lanes where try table.countWaiting(in: lane, most: most) >= most {
            return bounds.laneRefusal
        }
        return nil
    }
}

/// What is counted in an outbox.
struct OutboxCounters: Sendable, Equatable {
    /// The number of the last transaction that changed sends.
    var change: Int64
    /// The sends that are not done or have failed, of every owner.
    var entries: Int
    /// The bytes of their payloads.
    var bytes: Int

    /// Counts one that is taken in.
    mutating func add(size: Int) {
        entries += 1
        bytes += size
    }

    /// The reason why there is no room for a payload of `size` bytes, nil if there is.
    func refusal(of size: Int, within bounds: OutboxBounds) -> String? {
        bounds.refusal(entries: entries, bytes: bytes, adding: size)
    }

    /// The reason why a payload of `size` bytes is taken in by no outbox with these bounds, nil if it may be.
    static func refusal(ofPayload size: Int, within bounds: OutboxBounds) -> String? {
        size > bounds.maxSize.bytes ? "the payload of \(size) bytes is larger than \(bounds.maxSize.words) (max_size)" : nil
    }
}
