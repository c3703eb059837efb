import Pipeline
import PipelineLive

/// Which bytes of which parts a whole was made from: what the `Entry.variant` of its copies says in caches that outlive the process. In
/// memory it says only what was missing.
///
/// Parts of its parts are in it, too: not every one of them has a copy of its own.
struct MadeFrom: Sendable {
    /// The longest text. Caches bound what they keep beside a payload, and some keep that of two copies together.
    static let mostBytes = 256 << 10
    /// Why a copy is no use whose text is longer, or says more.
    static let tooMany = "it names more values than a copy can name"

    private(set) var parts: [(key: Key, trait: WholeIndex.Trait)]
    /// The targets of links that were not there when it was made, which is told of each copy.
    let missing: [MissingTarget]

    init(_ parts: [Key: WholeIndex.Trait], missing: [MissingTarget] = []) {
        self.parts = parts.map { (key: $0, trait: $1) }.sorted { $0.key.text < $1.key.text }
        self.missing = missing
    }

    /// What ``text`` says; nil for another text.
    init?(text: String) {
        parts = []
        missing = Self.missing(in: text)
        for word in text.utf8.split(separator: UInt8(ascii: " ")) where word.first != MissingTarget.mark {
            guard let mark = word.lastIndex(of: UInt8(ascii: "@")), mark > word.startIndex,
                let key = Key(text: String(Substring(word[..<mark]))),
                let trait = WholeIndex.Trait(text: Substring(word[word.index(after: mark)...]))
            else { return nil }
            parts.append((key, trait))
        }
        if parts.isEmpty { return nil }
    }

    /// The ``missing`` of a ``text``. They come first: the rest is not read.
    static func missing(in text: String) -> [MissingTarget] {
        var targets: [MissingTarget] = []
        var rest = Substring(text).utf8
        while rest.first == MissingTarget.mark {
            let word = rest.prefix { $0 != UInt8(ascii: " ") }
            guard let target = MissingTarget(word: word) else { return [] }
            targets.append(target)
            rest = rest.dropFirst(word.count + 1)
        }
        return targets
    }

    /// Whether a copy can say all of it.
    var fits: Bool {
        guard parts.count <= FetchBounds.mostLoads else { return false }
        let told = missing.reduce(-1) { $0 + $1.word.utf8.count + 1 }
        return parts.reduce(told) { $0 + $1.key.text.utf8.count + $1.trait.text.utf8.count + 2 } <= Self.mostBytes
    }

    /// `?%2Fmembers?person?9 friends,user=42@1f0c… me@-`: what was missing, then the text of each key, and a hash of the bytes or `-` where there
    /// was no value.
    var text: String { (missing.map(\.word) + parts.map { "\($0.key.text)@\($0.trait.text)" }).joined(separator: " ") }
}

extension MissingTarget {
    /// No key begins with it.
    fileprivate static let mark = UInt8(ascii: "?")

    fileprivate init?(word: Substring.UTF8View) {
        let texts = word.split(separator: Self.mark, omittingEmptySubsequences: false).dropFirst().map { PercentEncoding.decoded($0) }
        guard texts.count == 3, let at = texts[0], let pipeline = texts[1], let id = texts[2] else { return nil }
        self.init(at: at, pipeline: pipeline, id: id)
    }

    fileprivate var word: String { "?" + [at, pipeline, id].map { PercentEncoding.fileName.encoded($0) }.joined(separator: "?") }
}

extension Entry {
    /// The targets of links that were not there when this whole was made; none of another value.
    var missingTargets: [MissingTarget] {
        // Most values have no variant, and each copy at hand that is used is asked.
        @inline(__always) get {
            guard let text = variant, source == CompositeSpec.placeName else { return [] }
            return MadeFrom.missing(in: text)
        }
    }
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

extension Tier {
    /// Makes the copy of `key` that this cache holds expire, after what runs for the key and before what is written later. It is not served
    /// from now on; one that cannot be marked is removed.
    ///
    /// - Parameter ended: called when that is done, or has failed: then it is not served until it is removed.
    func expire(_ key: Key, _ ended: @escaping @Sendable () -> Void = {}) async {
        guard let queue else { return ended() }
        if isImmediate {
            _ = await queue.apply(.remove, sparing: marking(key, in: queue), for: key)
            return ended()
        }
        var operation = WriteLane.Operation(change: .remove, sparing: marking(key, in: queue), completion: { _ in ended() })
        operation.limit = policy.timeLimit
        queue.schedule(operation, for: key)
    }

    /// Marks the copy instead of removing it, where the cache can do that; stale windows may then serve it.
    private func marking(_ key: Key, in queue: WriteQueue) -> WriteLane.Operation.Sparing? {
        guard isImmediate || capabilities.contains(.keepsMetadata) else { return nil }
        return { _ in
            // What had to be removed before must go.
            if queue.failedRemovals.contains(key) { return nil }
            guard let held = isImmediate ? try source.peek(key) : try await source.read(key), isFresh(held) else { return .unchanged }
            var copy = held
            copy.freshUntil = clock.now
            return try await queue.source.renew(held, as: copy, for: key) ? .renewed : nil
        }
    }
}
