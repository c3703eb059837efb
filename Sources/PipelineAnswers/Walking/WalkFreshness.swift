package import Pipeline

/// For how long the value of a walk is good: as long as the page that is good for the shortest time, from the first request on, by the strictest
/// of what the pages say.
package struct WalkFreshness: Sendable {
    /// The moment of the first request, less the age of its answer.
    package let created: Timestamp
    /// The `Cache-Control` of all pages together; nil if none has one.
    package private(set) var control: CacheControl?
    /// The reason why no cache may store the value; nil if all may.
    package private(set) var notKept: String?
    private var lifetime: Duration?

    /// The freshness of the first page alone.
    ///
    /// - Parameters:
    ///   - created: when the page was as it came: its request, less its age.
    ///   - freshUntil: nil without a limit.
    package init(created: Timestamp, freshUntil: Timestamp?, control: CacheControl? = nil, notKept: String? = nil) {
        (self.created, self.control, self.notKept) = (created, control, notKept)
        lifetime = freshUntil?.duration(since: created)
    }

    /// Adds what a further page says.
    package mutating func add(created: Timestamp, freshUntil: Timestamp?, control: CacheControl? = nil, notKept: String? = nil) {
        lifetime = [lifetime, freshUntil?.duration(since: created)].compactMap(\.self).min()
        self.notKept = self.notKept ?? notKept
        guard let control else { return }
        self.control = self.control?.stricter(with: control) ?? control
    }

    /// The moment until which the value is fresh; nil without a limit.
    package var freshUntil: Timestamp? { lifetime.map { created + max(.zero, $0) } }
}

extension CacheControl {
    /// The control of a value that is made of two answers.
    fileprivate func stricter(with other: CacheControl) -> CacheControl {
        func shorter(_ path: KeyPath<CacheControl, UInt32?>) -> UInt32? {
            [self[keyPath: path], other[keyPath: path]].compactMap(\.self).min()
        }
        // What only one of them allows is not allowed.
        func both(_ path: KeyPath<CacheControl, UInt32?>) -> UInt32? {
            self[keyPath: path] == nil || other[keyPath: path] == nil ? nil : shorter(path)
        }
        let allowing: Flags = [.immutable, .isPublic, .mustUnderstand]
        var result = CacheControl()
        result.flags = flags.union(other.flags).subtracting(allowing).union(flags.intersection(other.flags))
        (result.maxAge, result.sharedMaxAge, result.expires) = (shorter(\.maxAge), shorter(\.sharedMaxAge), shorter(\.expires))
        (result.staleWhileRevalidate, result.staleIfError) = (both(\.staleWhileRevalidate), both(\.staleIfError))
        return result
    }
}
