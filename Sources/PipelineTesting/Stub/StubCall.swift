public import Pipeline

/// One call of a scripted source, recorded when it began, whatever came of it.
public enum StubCall: Sendable, Equatable {
    /// A read of a key.
    case read(Key)
    /// A revalidation of the entry that the caller had.
    case revalidate(Key, known: Entry)
    /// A write of an entry.
    case write(Key, Entry)
    /// A renewal of an entry's times.
    case renew(Key, Entry)
    /// A removal of a key.
    case remove(Key)
    /// A removal of all keys of a pipeline.
    case clear(pipeline: String)
    /// An announcement to the others.
    case announce(Announcement)
    /// An event from the others.
    case hear(HeardEvent)
    /// A request for the lease of a key.
    case takeLease(Key, holder: String)
    /// The return of the lease of a key.
    case releaseLease(Key, holder: String)
    /// The return of the lease of a key under which nothing was stored.
    case releaseVainLease(Key, holder: String)
    /// The question who gave the lease of a key back in vain last.
    case askForVainHolder(Key)

    /// The kind of call.
    public var operation: StubOperation {
        switch self {
        case .read: .reads
        case .revalidate: .revalidations
        case .write, .renew: .writes
        case .remove: .removes
        case .clear: .clears
        case .announce: .announcements
        case .hear: .hearings
        case .takeLease: .takings
        case .releaseLease, .releaseVainLease: .releases
        case .askForVainHolder: .vainQuestions
        }
    }

    /// The key it was about; nil for a clear, and for what is said of a whole pipeline or of none.
    public var key: Key? {
        switch self {
        case .read(let key), .revalidate(let key, _), .write(let key, _), .renew(let key, _), .remove(let key),
            .takeLease(let key, _), .releaseLease(let key, _), .releaseVainLease(let key, _), .askForVainHolder(let key),
            .announce(.key(let key)),
            .hear(.announced(.key(let key))):
            key
        case .clear, .announce, .hear: nil
        }
    }
}

extension StubCall: CustomStringConvertible {
    /// `read friends,user=42`.
    public var description: String {
        switch self {
        case .read(let key): "read \(key)"
        case .revalidate(let key, _): "revalidate \(key)"
        case .write(let key, _): "write \(key)"
        case .renew(let key, _): "renew \(key)"
        case .remove(let key): "remove \(key)"
        case .clear(let pipeline): "clear \(pipeline)"
        case .announce(.key(let key)): "announce \(key)"
        case .announce(.pipeline(let pipeline)): "announce \(pipeline)"
        case .hear(.began): "begin to hear"
        case .hear(.refused): "be refused to hear"
        case .hear(.announced(.key(let key))): "hear of \(key)"
        case .hear(.announced(.pipeline(let pipeline))): "hear of \(pipeline)"
        case .takeLease(let key, _): "take the lease of \(key)"
        case .releaseLease(let key, _): "release the lease of \(key)"
        case .releaseVainLease(let key, _): "release the lease of \(key) in vain"
        case .askForVainHolder(let key): "ask who held the lease of \(key) in vain"
        }
    }
}
