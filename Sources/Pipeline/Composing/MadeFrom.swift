/// Which bytes of which parts a whole was made from: what the ``Entry/variant`` of its copies says in caches that outlive the process.
///
/// Parts of its parts are in it, too: not every one of them has a copy of its own.
struct MadeFrom: Sendable {
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
