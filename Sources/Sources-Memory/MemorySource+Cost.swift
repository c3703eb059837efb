public import Pipeline

extension MemorySource {
    /// What an entry counts towards `max_bytes`: its payload, the key's text, its metadata, and ``bookkeeping``.
    ///
    /// The key's own object is not counted: its callers share it.
    public static func cost(of entry: Entry, for key: Key) -> Int {
        entry.size + key.text.utf8.count + metadataCost(of: entry) + bookkeeping
    }

    /// The bytes that every entry takes besides its contents: 113 on 64-bit machines.
    ///
    /// They are its slot (key reference and entry), the number of its origin, its place in the queues, two buckets of the index (which is at
    /// least half full), two cells of the ghost queue, and the header of the array that holds the payload.
    public static let bookkeeping =
        MemoryLayout<MemoryStore.Slot?>.stride + MemoryLayout<UInt8>.stride + MemoryLayout<S3FIFO.Node>.stride
        + 2 * MemoryLayout<SlotIndex.Bucket>.stride + 2 * MemoryLayout<GhostQueue.Cell>.stride + 4 * MemoryLayout<Int>.stride

    private static func metadataCost(of entry: Entry) -> Int {
        var cost = 0
        var hasDetails = false
        for text in [entry.etag, entry.lastModified, entry.contentType, entry.version] {
            guard let text else { continue }
            hasDetails = true
            cost += text.utf8.count
        }
        // Entries share the name of their origin. A long one counts all the same: those that another program wrote may each have one.
        if let source = entry.source, source.utf8.count > 15 { cost += source.utf8.count + 4 * MemoryLayout<Int>.stride }
        if entry.cacheControl != nil || entry.variant != nil {
            // An object with these, an optional string, and its header.
            hasDetails = true
            cost += MemoryLayout<CacheControl?>.stride + 2 * MemoryLayout<String?>.stride + 2 * MemoryLayout<Int>.stride
            cost += entry.variant?.utf8.count ?? 0
        }
        // An object with four optional strings, and its header.
        return hasDetails ? cost + 4 * MemoryLayout<String?>.stride + 2 * MemoryLayout<Int>.stride : 0
    }
}
