internal import Pipeline

/// Bytes from outside that caches read: they are what a cache wrote, or an error, and nothing else happens.
enum StoredBytes {
    private static let limit = 4096

    /// Replies are the same whether they come at once or in two parts.
    static func checkReplies(_ bytes: [UInt8]) {
        let whole = replies(in: [bytes[...]])
        let parts = replies(in: [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)])
        require(parts.starts(with: whole) || whole.starts(with: parts), "\(whole) and in parts \(parts)")
    }

    private static func replies(in parts: [ArraySlice<UInt8>]) -> [Reply] {
        guard let reader = ReplyReader() else { return [] }
        var replies: [Reply] = []
        do {
            for part in parts {
                try part.withUnsafeBytes { try reader.feed($0) }
                while let reply = try reader.next(limit: limit) { replies.append(reply) }
            }
        } catch {}
        return replies
    }

    /// What is read as an entry is written as one that is read alike. Beside the bytes as they are, they are the fields of a value whose end is
    /// sound: few random bytes have the mark.
    static func checkValue(_ bytes: [UInt8]) {
        checkEntry(in: bytes)
        var end = FieldBytes()
        end.append(UInt32(clamping: bytes.count))
        checkEntry(in: bytes + end.bytes + Array("pr".utf8) + [1])
        var payload = FieldBytes()
        payload.append(flag: true)
        payload.append(UInt64(3))
        end = FieldBytes()
        end.append(UInt32(clamping: bytes.count + payload.bytes.count))
        checkEntry(in: [1, 2, 3] + payload.bytes + bytes + end.bytes + Array("pr".utf8) + [1])
    }

    private static func checkEntry(in value: [UInt8]) {
        guard let entry = try? StoredEntry.entry(in: value) else { return }
        let again = try? StoredEntry.entry(in: (entry.payload ?? []) + StoredEntry.trailer(of: entry))
        require(again == entry, "\(entry) is read again as \(String(describing: again))")
    }

    /// What is read as a sidecar is written as one that is read alike. Beside the bytes as they are, they get a sound first line and
    /// checksum.
    static func checkSidecar(_ bytes: [UInt8]) {
        checkSidecar(text: bytes)
        let body = Array("pipe-run-meta 1\n".utf8) + bytes + Array("\n".utf8)
        checkSidecar(text: body + Array("end: \(String(Checksum.fnv1a(body), radix: 16))\n".utf8))
    }

    private static func checkSidecar(text: [UInt8]) {
        guard let sidecar = Sidecar(text: text) else { return }
        require(Sidecar(text: sidecar.text) == sidecar, "\(sidecar) is not read again")
    }
}
