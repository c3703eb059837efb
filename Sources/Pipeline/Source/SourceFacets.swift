/// What a source is besides a source. There is nothing to implement: each protocol below answers for the types that conform to it.
///
/// The runner asks these because they cost nothing, where a cast would search all conformances of the program, at each start of it. The
/// price: a conformance that the type's own conformance to ``Source`` does not see is none, as one under a condition
/// (`extension Wrapper: WritableSource where Wrapped: WritableSource`), of a subclass, or of another module. Such a type answers itself,
/// with `self as? any WritableSource`; `SourceConformance` finds one that does not.
public protocol SourceFacets: Sendable {
    /// Itself, when it is a cache.
    var asWritable: (any WritableSource)? { get }
    /// Itself, when it answers without waiting.
    var asImmediate: (any ImmediateSource)? { get }
    /// Itself, when it reads on the calling thread.
    var asSynchronous: (any SynchronousSource)? { get }
    /// Itself, when it can confirm what it gave before.
    var asRevalidating: (any RevalidatingSource)? { get }
    /// Itself, when it holds something open.
    var asConnectable: (any ConnectableSource)? { get }
    /// Itself, when it can tell whether it could be used.
    var asCheckable: (any CheckableSource)? { get }
    /// Itself, when processes tell each other of changes through it.
    var asAnnouncing: (any AnnouncingSource)? { get }
    /// Itself, when it can hold leases.
    var asLeasing: (any LeasingSource)? { get }
}

extension SourceFacets {
    /// Nil.
    public var asWritable: (any WritableSource)? { nil }
    /// Nil.
    public var asImmediate: (any ImmediateSource)? { nil }
    /// Nil.
    public var asSynchronous: (any SynchronousSource)? { nil }
    /// Nil.
    public var asRevalidating: (any RevalidatingSource)? { nil }
    /// Nil.
    public var asConnectable: (any ConnectableSource)? { nil }
    /// Nil.
    public var asCheckable: (any CheckableSource)? { nil }
    /// Nil.
    public var asAnnouncing: (any AnnouncingSource)? { nil }
    /// Nil.
    public var asLeasing: (any LeasingSource)? { nil }
}

extension WritableSource {
    /// Itself.
    public var asWritable: (any WritableSource)? { self }
}

extension ImmediateSource {
    /// Itself.
    public var asImmediate: (any ImmediateSource)? { self }
}

extension SynchronousSource {
    /// Itself.
    public var asSynchronous: (any SynchronousSource)? { self }
}

extension RevalidatingSource {
    /// Itself.
    public var asRevalidating: (any RevalidatingSource)? { self }
}

extension ConnectableSource {
    /// Itself.
    public var asConnectable: (any ConnectableSource)? { self }
}

extension CheckableSource {
    /// Itself.
    public var asCheckable: (any CheckableSource)? { self }
}

extension AnnouncingSource {
    /// Itself.
    public var asAnnouncing: (any AnnouncingSource)? { self }
}

extension LeasingSource {
    /// Itself.
    public var asLeasing: (any LeasingSource)? { self }
}
