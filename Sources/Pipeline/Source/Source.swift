import Synchronization

/// A configured place to load from.
///
/// Only ``read(_:_:)`` is required. A source that holds something open implements ``connect()`` and ``close()``, one that can be tried out
/// ``check()``, and one that answers without a change of tasks declares its ``style``.
public protocol Source: Sendable {
    /// The entry stored for `key`, or nil when this source has none. Throws only when it could not answer.
    ///
    /// An origin that is sure that there is no value returns ``Entry/notFound(created:)``: that is an answer and stops the
    /// fetch, while nil lets the next tier be asked. The task is cancelled when the answer is no longer needed, at the latest at the
    /// deadline of `context`; throw `CancellationError` then.
    func read(_ key: Key, _ context: ReadContext) async throws -> Entry?

    /// How the source answers a read. ``ReadStyle/suspending`` unless implemented. Must not change.
    var style: ReadStyle { get }

    /// What ``read(_:_:)`` gives, on the calling thread. Called only for the styles ``ReadStyle/immediate`` and ``ReadStyle/onThread``,
    /// which must implement it; the default finds nothing.
    func peek(_ key: Key) throws -> Entry?

    /// What `copy`, which this origin gave for `key` before, is worth now. ``CopyJudgement/current`` unless implemented.
    ///
    /// Called where a cache has a copy with a ``Entry/variant``; its ``Entry/freshUntil`` is when the cache stops serving it as fresh. Must not
    /// wait: ``CopyJudgement/later(_:)`` may.
    func judge(_ copy: Entry, of key: Key, _ context: ReadContext) -> CopyJudgement

    /// Whether asking twice is the same as asking once. False keeps `retry` from asking again after an answer that cannot be used: the
    /// change that it asked for has been made. For reads that throw, ``SourceError/retry`` says it. True unless implemented; must not change.
    var mayRepeat: Bool { get }

    /// What ``peek(_:)`` finds for the key of this text, and that key. Called only for the style ``ReadStyle/immediate``, by fetches that would
    /// have to make a key first; a source that gives nil, as the default does, is asked by the key.
    ///
    /// - Parameter hash: the ``Key/hash`` of the key.
    func peek(text: Span<UInt8>, hash: UInt64) throws -> HeldCopy?

    /// How the source reads several keys with one call; nil, as unless implemented, where each is read alone. Not asked for by the styles
    /// ``ReadStyle/immediate`` and ``ReadStyle/onThread``. Must not change.
    var batching: Batching? { get }

    /// Checks that the source could be used now, for `validate --level connect`. Creates, writes and changes nothing, here or at the other
    /// end.
    ///
    /// Throws a ``SourceError``: of the kind ``SourceError/Kind-swift.enum/refused`` when the source was reached and said no, of any other when
    /// it could not be reached. The time limit is the caller's: throw `CancellationError` when cancelled. May be called before anything else.
    func check() async throws -> Reachability

    /// Opens what the source needs, so that a problem shows before the first read. Reads connect by themselves, too.
    func connect() async throws

    /// Releases what the source holds open. Reads after it fail, except for a source that holds nothing open.
    func close() async
}

extension Source {
    /// ``ReadStyle/suspending``.
    public var style: ReadStyle { .suspending }

    /// Finds nothing.
    public func peek(_ key: Key) throws -> Entry? { nil }

    /// A read may be repeated.
    public var mayRepeat: Bool { true }

    /// Nil: each key is read alone.
    public var batching: Batching? { nil }

    /// Each copy is ``CopyJudgement/current``.
    public func judge(_ copy: Entry, of key: Key, _ context: ReadContext) -> CopyJudgement { .current }

    /// Finds nothing.
    public func peek(text: Span<UInt8>, hash: UInt64) throws -> HeldCopy? { nil }

    /// ``Reachability/unknown``.
    public func check() async throws -> Reachability { .unknown }

    /// Opens nothing.
    public func connect() async throws {}

    /// Closes nothing.
    public func close() async {}

    /// Reads without a deadline and without a copy to confirm.
    package func read(_ key: Key) async throws -> Entry? { try await read(key, ReadContext()) }
}

/// The judgement of an origin on a copy that it gave before.
///
/// New cases may come: switch with a `default`.
public enum CopyJudgement: Sendable {
    /// The copy is what the origin would be asked for now.
    case current
    /// The copy answers another request, such as one with other header fields: it counts as a miss.
    case foreign
    /// The origin would give something else now, for this reason: it counts as expired. Stale windows may serve it.
    case changed(String)
    /// The judgement takes a wait: the closure gives another case than this. The closure throws `CancellationError` alone.
    case later(@Sendable () async throws -> CopyJudgement)
}

/// A copy that a source has at hand, with the key that it is held for.
public struct HeldCopy: Sendable {
    /// The key.
    public let key: Key
    /// The copy.
    public let entry: Entry

    /// A copy of the value of `key`.
    public init(_ entry: Entry, for key: Key) { (self.key, self.entry) = (key, entry) }
}

/// The result of checking a source, when nothing speaks against its use.
///
/// New cases may come: switch with a `default`.
public enum Reachability: Sendable, Hashable {
    /// The source answered, or it is at hand.
    case reachable
    /// The source answered and can be used, but something that is not essential fails. The reason is a sentence part, lower case, without a
    /// full stop.
    case limited(String)
    /// Nothing could be tried. The reason is a sentence part, lower case, without a full stop: `its host depends on a parameter`.
    case untried(String)
    /// The source has no way to tell.
    case unknown
}

/// Says whether what a value was made from is still what it was: a write that has not ended when that changes is worthless.
package final class Validity: Sendable {
    private let state = Atomic(false)

    package init() {}

    /// Whether that has changed.
    var isVoid: Bool { state.load(ordering: .acquiring) }

    /// It has changed.
    package func void() { state.store(true, ordering: .releasing) }
}
