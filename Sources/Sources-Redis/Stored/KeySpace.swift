import Pipeline

/// The names that a source gives its keys and its channel on the server.
struct KeySpace: Sendable {
    let prefix: String
    let database: Int

    /// The name of the copy of `key`. The text of a key is ASCII and has no `:` in it, which is what tells it from the other names.
    func copy(of key: Key) -> String { prefix + key.text }

    /// The key whose copy lies at `name`; nil for another name.
    func key(ofCopyAt name: [UInt8]) -> Key? {
        guard name.starts(with: prefix.utf8) else { return nil }
        return Key(text: String(decoding: name.dropFirst(prefix.utf8.count), as: UTF8.self))
    }

    /// The name of the lease of `key`.
    func lease(of key: Key) -> String { prefix + "lease:" + key.text }

    /// The name under which the holder of the last fruitless lease of `key` stands.
    func fruitlessLease(of key: Key) -> String { prefix + "fruitless:" + key.text }

    /// The channel where processes publish what changed. Channels belong to the server, so the database is a part of the name.
    var channel: String { prefix + "changes:\(database)" }

    /// Matches the copies of `pipeline` that have parameters, and nothing else.
    func pattern(ofParametersOf pipeline: String) -> String {
        GlobPattern.literal(prefix + Key(pipeline: pipeline).text) + ",*"
    }
}

/// Patterns as `SCAN` takes them.
enum GlobPattern {
    /// `text` as a pattern that matches it alone.
    static func literal(_ text: String) -> String {
        // Not by characters: what follows a `*` can be one with it for Swift, and the server reads bytes.
        var pattern = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if "*?[]^\\-".unicodeScalars.contains(scalar) { pattern.append("\\") }
            pattern.append(scalar)
        }
        return String(pattern)
    }
}
