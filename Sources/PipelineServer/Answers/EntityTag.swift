/// Entity tags (RFC 9110, section 8.8.3).
enum EntityTag {
    /// A tag for a payload whose origin gave none: FNV-1a over its bytes, with its length. Weak, since it is no proof.
    static func of(_ payload: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in payload { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "W/\"\(String(payload.count, radix: 16))-\(String(hash, radix: 16))\""
    }

    /// The tag without the promise that the bytes are the same.
    static func weakened(_ tag: String) -> String { tag.hasPrefix("W/") ? tag : "W/" + tag }

    /// Indicates whether an If-None-Match field names `tag`, by the weak comparison (RFC 9110, section 13.1.2).
    static func matches(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        return field == "*" || list(field).contains(opaque(tag[...]))
    }

    /// The opaque parts of a list of tags; a comma within quotes does not part it.
    private static func list(_ field: String) -> [Substring] {
        var tags: [Substring] = []
        var rest = field[...]
        while let open = rest.firstIndex(of: "\"") {
            let inside = rest[rest.index(after: open)...]
            guard let close = inside.firstIndex(of: "\"") else { break }
            tags.append(rest[open...close])
            rest = inside[inside.index(after: close)...]
        }
        return tags
    }

    private static func opaque(_ tag: Substring) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
    }
}
