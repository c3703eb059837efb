import Pipeline

/// The names that a source gives its keys and its channel on the server.
struct KeySpace: Sendable {
    let prefix: String
    let database: Int

    /// Where the copy of `key` lies. The text of a key is ASCII and has no `:` in it, which is what tells it from the other names.
    func copy(of key: Key) -> String { prefix + key.text }

    /// The key whose copy lies at `name`; nil when that is none of a copy.
    func key(ofCopyAt name: [UInt8]) -> Key? {
        guard name.starts(with: prefix.utf8) else { return nil }
        return Key(text: String(decoding: name.dropFirst(prefix.utf8.count), as: UTF8.self))
    }

    /// What holds the lease of `key`.
    func lease(of key: Key) -> String { prefix + "lease:" + key.text }

    /// What names the holder of the last fruitless lease of `key`.
    func fruitlessLease(of key: Key) -> String { prefix + "fruitless:" + key.text }

    /// Where processes publish what changed. Channels belong to the whole server, so the database is a part of the name.
    var channel: String { prefix + "changes:\(database)" }

    /// Matches the copies of `pipeline` that have parameters, and nothing else.
    func pattern(ofParametersOf pipeline: String) -> String {
        GlobPattern.literal(prefix + Key(pipeline: pipeline).text) + ",*"
    }
}
