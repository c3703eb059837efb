internal import Pipeline
internal import PipelineSending

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
        if entries >= bounds.maxEntries {
            return "the outbox is full: it has \(entries) send\(entries == 1 ? "" : "s") that wait or have failed (max_entries)"
        }
        let (sum, overflow) = bytes.addingReportingOverflow(size)
        guard overflow || sum > bounds.maxBytes.bytes else { return nil }
        return "the outbox is full: \(bytes) bytes wait, and \(size) more are over \(bounds.maxBytes.words) (max_bytes)"
    }

    /// The reason why a payload of `size` bytes is taken in by no outbox with these bounds, nil if it may be.
    static func refusal(ofPayload size: Int, within bounds: OutboxBounds) -> String? {
        size > bounds.maxSize.bytes ? "the payload of \(size) bytes is larger than \(bounds.maxSize.words) (max_size)" : nil
    }
}
