public import Pipeline

/// One call of a scripted source, recorded when it began, whatever its result.
///
/// New cases may come: switch with a `default`.
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
    /// A message published to other processes.
    case publish(InvalidationMessage)
    /// An event received through the subscription.
    case receive(SubscriptionEvent)
    /// A request for the lease of a key.
    case takeLease(Key, holder: String)
    /// The return of the lease of a key.
    case releaseLease(Key, holder: String)
    /// The return of the lease of a key under which nothing was stored.
    case releaseFruitlessLease(Key, holder: String)
    /// The question which holder of the lease of a key last had a fruitless load.
    case askForFruitlessHolder(Key)

    /// The kind of call.
    public var operation: StubOperation {
        switch self {
        case .read: .reads
        case .revalidate: .revalidations
        case .write, .renew: .writes
        case .remove: .removes
        case .clear: .clears
        case .publish: .messages
        case .receive: .receptions
        case .takeLease: .takings
        case .releaseLease, .releaseFruitlessLease: .releases
        case .askForFruitlessHolder: .fruitlessQuestions
        }
    }

    /// The key of the call; nil for a clear, for a message about all keys of a pipeline, and for an event that is no message.
    public var key: Key? {
        switch self {
        case .read(let key), .revalidate(let key, _), .write(let key, _), .renew(let key, _), .remove(let key),
            .takeLease(let key, _), .releaseLease(let key, _), .releaseFruitlessLease(let key, _), .askForFruitlessHolder(let key),
            .publish(.key(let key)),
            .receive(.received(.key(let key))):
            key
        case .clear, .publish, .receive: nil
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
        case .publish(.key(let key)): "publish \(key)"
        case .publish(.pipeline(let pipeline)): "publish \(pipeline)"
        case .receive(.began): "begin to receive"
        case .receive(.refused): "be refused a subscription"
        case .receive(.received(.key(let key))): "receive \(key)"
        case .receive(.received(.pipeline(let pipeline))): "receive \(pipeline)"
        case .takeLease(let key, _): "take the lease of \(key)"
        case .releaseLease(let key, _): "release the lease of \(key)"
        case .releaseFruitlessLease(let key, _): "release the fruitless lease of \(key)"
        case .askForFruitlessHolder(let key): "ask for the last fruitless holder of \(key)"
        }
    }
}

/// An operation that a scripted source can be asked for.
///
/// New cases may come: switch with a `default`.
public enum StubOperation: Sendable, Hashable, CaseIterable {
    /// `read`.
    case reads
    /// `revalidate`, which no test counts among the reads.
    case revalidations
    /// `write`, and `renew`.
    case writes
    /// `remove`.
    case removes
    /// `clear`.
    case clears
    /// `publish`.
    case messages
    /// Events received through `subscribe`: one that fails never arrives.
    case receptions
    /// `takeLease`.
    case takings
    /// `releaseLease`.
    case releases
    /// `lastFruitlessHolder`.
    case fruitlessQuestions
}
