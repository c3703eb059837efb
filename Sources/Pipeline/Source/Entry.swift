/// A copy of a value: its bytes and what is known about them, or the knowledge that there is no value.
public struct Entry: Sendable {
    /// The bytes, or nil when the origin said that there is no such value (`not_found`).
    public var payload: [UInt8]?
    /// The moment when the origin's load of this value began. Carried unchanged from copy to copy.
    public var created: Timestamp
    /// The name of the origin that produced the value.
    public var source: String? { origin }
    @usableFromInline package var origin: String?
    // A cache keeps many entries, and an optional moment takes twice the room of a moment.
    @usableFromInline package var storedOrPast = Timestamp.distantPast
    @usableFromInline package var freshUntilOrFuture = Timestamp.distantFuture
    @usableFromInline package var details: Details?

    /// The rarely used parts, behind one reference so that copying an entry stays cheap.
    @usableFromInline package final class Details: Sendable {
        let etag: String?
        let lastModified: String?
        let contentType: String?
        let version: String?
        let terms: Terms?
        let status: Int?
        /// The bytes of a payload that is only simulated.
        let size: Int?

        init(
            etag: String?, lastModified: String?, contentType: String?, version: String?, terms: Terms?, status: Int? = nil,
            size: Int? = nil
        ) {
            self.etag = etag
            self.lastModified = lastModified
            self.contentType = contentType
            self.version = version
            self.terms = terms
            self.status = status
            self.size = size
        }
    }

    /// The origin's word on copies; in an object of its own, since most origins say nothing.
    @usableFromInline package final class Terms: Sendable {
        let cacheControl: CacheControl?
        let variant: String?
        let notKept: String?

        init(cacheControl: CacheControl?, variant: String?, notKept: String?) {
            self.cacheControl = cacheControl
            self.variant = variant
            self.notKept = notKept
        }
    }

    /// The moment when this copy was written; nil for an answer that no cache held.
    public var stored: Timestamp? {
        @inline(__always) get { storedOrPast == .distantPast ? nil : storedOrPast }
        set { storedOrPast = newValue ?? .distantPast }
    }

    /// The copy is fresh before this moment and expired from it on; nil without a limit, which is the same as the distant future.
    public var freshUntil: Timestamp? {
        @inline(__always) get { freshUntilOrFuture == .distantFuture ? nil : freshUntilOrFuture }
        set { freshUntilOrFuture = newValue ?? .distantFuture }
    }

    /// An entry that holds `payload`.
    ///
    /// - Parameters:
    ///   - payload: the value's bytes; empty is a value, too.
    ///   - created: when the load began, not when it ended; earlier where the origin says that the value is older.
    ///   - notKept: why no cache may store the value, as an origin says; nil where caches may.
    public init(
        _ payload: [UInt8],
        created: Timestamp,
        stored: Timestamp? = nil,
        freshUntil: Timestamp? = nil,
        etag: String? = nil,
        lastModified: String? = nil,
        contentType: String? = nil,
        version: String? = nil,
        source: String? = nil,
        cacheControl: CacheControl? = nil,
        variant: String? = nil,
        notKept: String? = nil
    ) {
        self.payload = payload
        self.created = created
        origin = source
        let isBound = cacheControl != nil || variant != nil || notKept != nil
        if isBound || etag != nil || lastModified != nil || contentType != nil || version != nil {
            details = Details(
                etag: etag, lastModified: lastModified, contentType: contentType, version: version,
                terms: isBound ? Terms(cacheControl: cacheControl, variant: variant, notKept: notKept) : nil)
        }
        self.stored = stored
        self.freshUntil = freshUntil
    }

    /// An entry from its parts, as a cache in memory keeps them.
    @inlinable
    @inline(__always)
    package init(
        payload: [UInt8]?, created: Timestamp, storedOrPast: Timestamp, freshUntilOrFuture: Timestamp, source: String?, details: Details?
    ) {
        self.payload = payload
        self.created = created
        origin = source
        self.storedOrPast = storedOrPast
        self.freshUntilOrFuture = freshUntilOrFuture
        self.details = details
    }

    private init(notFoundAt created: Timestamp) {
        payload = nil
        self.created = created
    }

    /// The entry of an origin that is sure that there is no value: the answer stops, unlike a miss.
    public static func notFound(created: Timestamp) -> Entry {
        Entry(notFoundAt: created)
    }

    /// Indicates whether this entry says that there is no value.
    public var isNotFound: Bool { payload == nil }

    /// The entity tag (RFC 9110, section 8.8.3), quotes and weakness included.
    public var etag: String? { details?.etag }
    /// The Last-Modified field as the origin wrote it.
    public var lastModified: String? { details?.lastModified }
    /// The media type of the payload.
    public var contentType: String? { details?.contentType }
    /// The origin's own version of the value, where it has one.
    public var version: String? { details?.version }

    /// The origin's word on copies of the value; nil if it says nothing, or if the source does not go by that.
    public var cacheControl: CacheControl? { details?.terms?.cacheControl }
    /// The variant among several values for one key, in the words of its origin, which ``Source/judge(_:of:_:)`` compares; nil if there is
    /// only one. Of a composite: which values of its parts it was made from, and which ids were not found.
    public var variant: String? { details?.terms?.variant }
    /// The reason why no cache may store the value, in a word or two: `no-store`; nil if caches may.
    public var notKept: String? { details?.terms?.notKept }

    /// The status with which an origin answered, where it is another than usual. It is of the answer and not of the value: no store keeps it,
    /// and it counts in no comparison.
    package var status: Int? { details?.status }

    /// This entry, as the answer of an origin with this status.
    package func answered(status: Int) -> Entry {
        guard status != (isNotFound ? 404 : 200) else { return self }
        return with(details?.terms, status: status, size: details?.size)
    }

    private func with(_ terms: Terms?, status: Int?, size: Int?) -> Entry {
        var copy = self
        copy.details = Details(
            etag: etag, lastModified: lastModified, contentType: contentType, version: version, terms: terms, status: status, size: size)
        return copy
    }

    /// This entry with the ``variant``.
    package func varying(as variant: String?) -> Entry {
        guard variant != self.variant else { return self }
        return with(Terms(cacheControl: cacheControl, variant: variant, notKept: notKept), status: status, size: details?.size)
    }

    /// This entry with the ``cacheControl``.
    package func bound(by cacheControl: CacheControl?) -> Entry {
        guard cacheControl != self.cacheControl else { return self }
        return with(Terms(cacheControl: cacheControl, variant: variant, notKept: notKept), status: status, size: details?.size)
    }

    /// The bytes that the payload counts for a cache: its own, unless it stands for a larger one in a simulation.
    package var size: Int { details?.size ?? payload?.count ?? 0 }

    /// This entry, whose payload stands for one of so many bytes.
    package func simulated(size: Int) -> Entry {
        with(details?.terms, status: status, size: size)
    }

    /// Indicates whether the entry can be confirmed with its origin instead of being loaded again.
    package var hasValidator: Bool { etag != nil || lastModified != nil }

    /// Indicates whether `now` is before the entry's own limit, ``freshUntil``, and not before its creation. A tier may call it expired
    /// earlier: its ttl counts too.
    package func isWithinLimit(at now: Timestamp) -> Bool {
        isWithin(freshUntil, at: now)
    }

    /// Indicates whether `now` is before `limit`, which holds instead of the entry's own, and not before its creation.
    @inline(__always)
    func isWithin(_ limit: Timestamp?, at now: Timestamp) -> Bool {
        created <= now && limit.map { now < $0 } ?? true
    }

    /// This entry, produced by `source` unless it already names its origin.
    package func attributed(to source: String) -> Entry {
        guard self.source == nil else { return self }
        var copy = self
        copy.origin = source
        return copy
    }

    /// Indicates whether this fresh copy was created later than `other`, or is as old and fresh for longer. The limits are those that hold.
    package func isNewer(than other: Entry) -> Bool {
        if created != other.created { return created > other.created }
        return !isNotFound && (freshUntil ?? .distantFuture) > (other.freshUntil ?? .distantFuture)
    }

    /// The copy that a cache keeps when it stores this entry at `now` for at most `ttl`.
    ///
    /// A copy never outlives the copy it was made from: it is fresh until the earlier of `now + ttl` and this entry's own limit.
    package func copy(storedAt now: Timestamp, ttl: Duration?) -> Entry {
        var copy = self
        copy.stored = now
        if let ttl {
            copy.freshUntil = min(now + ttl, freshUntil ?? .distantFuture)
        }
        return copy
    }
}

extension Entry: Equatable {
    /// Indicates whether payloads, times and all that is known of them are equal.
    public static func == (left: Entry, right: Entry) -> Bool {
        left.payload == right.payload && left.created == right.created && left.stored == right.stored
            && left.freshUntil == right.freshUntil && left.etag == right.etag
            && left.lastModified == right.lastModified && left.contentType == right.contentType
            && left.version == right.version && left.source == right.source && left.cacheControl == right.cacheControl
            && left.variant == right.variant && left.notKept == right.notKept
    }
}
