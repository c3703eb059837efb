/// Which bytes of which parts a whole was made from: what the ``Entry/variant`` of its copies says in caches that outlive the process.
///
/// Parts of its parts are in it, too: not every one of them has a copy of its own.
struct MadeFrom: Sendable {
    /// The longest text. Caches bound what they keep beside a payload, and some keep that of two copies together.
    static let mostBytes = 256 << 10
    /// Why a copy is no use whose text is longer, or says more.
    static let tooMany = "it names more values than a copy can name"

    private(set) var parts: [(key: Key, trait: WholeIndex.Trait)]

    init(_ parts: [Key: WholeIndex.Trait]) {
        self.parts = parts.map { (key: $0, trait: $1) }.sorted { $0.key.text < $1.key.text }
    }

    /// What ``text`` says; nil for another text.
    init?(text: String) {
        parts = []
        for word in text.utf8.split(separator: UInt8(ascii: " ")) {
            guard let mark = word.lastIndex(of: UInt8(ascii: "@")), mark > word.startIndex,
                let key = Key(text: String(Substring(word[..<mark]))),
                let trait = WholeIndex.Trait(text: Substring(word[word.index(after: mark)...]))
            else { return nil }
            parts.append((key, trait))
        }
        if parts.isEmpty { return nil }
    }

    /// Whether a copy can say all of it.
    var fits: Bool {
        guard parts.count <= FetchBounds.mostLoads else { return false }
        return parts.reduce(-1) { $0 + $1.key.text.utf8.count + $1.trait.text.utf8.count + 2 } <= Self.mostBytes
    }

    /// `friends,user=42@1f0c… me@-`: the text of each key, and a hash of the bytes or `-` where there was no value.
    var text: String { parts.map { "\($0.key.text)@\($0.trait.text)" }.joined(separator: " ") }
}

extension WholeIndex.Trait {
    fileprivate init?(text: Substring) {
        if text == "-" { self = .absent } else if let hash = UInt64(text, radix: 16) { self = .bytes(hash) } else { return nil }
    }

    fileprivate var text: String {
        switch self {
        case .bytes(let hash): String(hash, radix: 16)
        case .absent, .unknown: "-"
        }
    }
}
