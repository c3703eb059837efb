/// Follows the keys of a pipeline: learns of their loads and changes, and has a say in what their copies are worth.
///
/// The observed keys of a pipeline are followed, and those that others are made from. What follows is told of everything that happens to a key,
/// also by other orders of the pipeline, and decides itself which keys matter to it.
package protocol KeyFollower: AnyObject, Sendable {
    /// Whether it may know more of `key` than its copies say. As long as it may, the key is counted by ``Followers/count(_:of:isLaid:)``.
    func follows(_ key: Key) -> Bool
    /// The say in the copies of `key`; nil if it has none.
    func confirmation(of key: Key) -> CopyConfirmation?
    /// Loads by `load`: the load begins now, and has ended when it returns or throws.
    func loading(_ call: Call, _ standing: Standing, _ load: Following) async throws -> LoadReply
    /// Asks an origin by `load`. The answer it returns is what the value is by then.
    ///
    /// - Parameter limit: when the copies of an answer stop being fresh.
    func landing(
        _ call: Call, _ standing: Standing, freshUntil limit: @Sendable (Entry) -> Timestamp?, _ load: Following
    ) async throws -> LoadReply
    /// Hands `store` what the value of `key` is by now, which is written before anything that comes later.
    func storing(_ entry: Entry, _ coming: Coming, for key: Key, _ permit: Generations.WritePermit?, _ store: (Entry) async -> Void) async
    /// Hands the caches what they do not have yet of `key`, or of every key if that is nil.
    ///
    /// - Parameter mayLeave: whether to throw `CancellationError` if the caller is cancelled before its turn comes.
    func settle(_ key: Key?, mayLeave: Bool) async throws
    /// What is known of these keys is not their value any more.
    func void(_ gone: InvalidationMessage)
    /// The value of these keys has changed.
    func changed(_ change: KeyChange) async
    /// Another configuration takes over.
    func succeed(_ step: Succession)
}

extension KeyFollower {
    package func follows(_ key: Key) -> Bool { false }
    package func confirmation(of key: Key) -> CopyConfirmation? { nil }
    package func loading(_ call: Call, _ standing: Standing, _ load: Following) async throws -> LoadReply { try await load(standing) }
    package func landing(
        _ call: Call, _ standing: Standing, freshUntil limit: @Sendable (Entry) -> Timestamp?, _ load: Following
    ) async throws -> LoadReply { try await load(standing) }
    package func storing(
        _ entry: Entry, _ coming: Coming, for key: Key, _ permit: Generations.WritePermit?, _ store: (Entry) async -> Void
    ) async {
        await store(entry)
    }
    package func settle(_ key: Key?, mayLeave: Bool) async throws {}
    package func void(_ gone: InvalidationMessage) {}
    package func changed(_ change: KeyChange) async {}
    package func succeed(_ step: Succession) {}
}

/// Goes on with a load that a follower is told of.
package typealias Following = @Sendable (Standing) async throws -> LoadReply

/// The source of a value that is stored.
package enum Coming: Sendable {
    /// A load found it in this source.
    case loaded(from: String?)
    /// A caller put it; its copies stop being fresh then.
    case put(freshUntil: Timestamp?)
}

/// A change of keys that was not loaded.
package struct KeyChange: Sendable {
    package enum Cause: Sendable {
        /// A caller put or removed the value, and waits.
        case call
        /// A change was merged into the value.
        case merge
        /// Another process changed it: this one begins to forget it, or has forgotten it in a cache.
        case message
        /// Every cache has forgotten what another process changed.
        case messageEnded
    }

    package let keys: InvalidationMessage
    /// The value from now on; nil for one that is gone, or not known.
    package var entry: Entry?
    package let cause: Cause
}

/// The way in which the pipelines of one configuration follow those of another.
package enum Succession: Sendable {
    /// The pipeline loads the values from now on.
    case begin(DataPipeline)
    /// All have begun: what was fetched of the former ones may have another value now.
    case refetch
    /// No pipeline of the name is left, or everything was shut down.
    case end
}
