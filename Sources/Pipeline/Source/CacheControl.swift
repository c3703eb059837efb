/// The word of a value's origin on copies of it: the response directives of HTTP (RFC 9111, section 5.2.2; RFC 5861; RFC 8246).
///
/// Caches keep it with each copy, as ``text``. How long the copy is fresh is ``Entry/freshUntil``, which follows from this and from the
/// configuration of the source.
public struct CacheControl: Sendable, Hashable {
    /// Directives without a number.
    package struct Flags: OptionSet, Sendable, Hashable {
        /// One bit for each directive.
        package let rawValue: UInt8

        /// The directives of these bits.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// No cache may store the value.
        package static let noStore = Flags(rawValue: 1)
        /// A copy must be confirmed before each use, also where the directive names fields.
        package static let noCache = Flags(rawValue: 2)
        /// An expired copy must not be served without confirmation, whatever fails.
        package static let mustRevalidate = Flags(rawValue: 4)
        /// The directive `must-revalidate` for caches that several users share.
        package static let proxyRevalidate = Flags(rawValue: 8)
        /// The value does not change while it is fresh.
        package static let immutable = Flags(rawValue: 16)
        /// Only a cache of a single user may store the value.
        package static let isPrivate = Flags(rawValue: 32)
        /// Every cache may store the value.
        package static let isPublic = Flags(rawValue: 64)
        /// Only a cache that knows the status may store the value, and ``noStore`` is for the others.
        package static let mustUnderstand = Flags(rawValue: 128)

        static let names: [(name: String, flag: Flags)] = [
            ("no-store", .noStore), ("no-cache", .noCache), ("must-revalidate", .mustRevalidate),
            ("proxy-revalidate", .proxyRevalidate), ("immutable", .immutable), ("private", .isPrivate), ("public", .isPublic),
            ("must-understand", .mustUnderstand),
        ]
    }

    /// The directives without a number.
    package var flags: Flags = []
    /// For how many seconds a copy is fresh.
    package var maxAge: UInt32?
    /// The directive `max-age` for a cache that several users share, which then takes it instead.
    package var sharedMaxAge: UInt32?
    /// For how many seconds a copy is fresh by the field `Expires`, where no directive says it.
    package var expires: UInt32?
    /// For how many seconds after expiry a copy may be served while it is refreshed.
    package var staleWhileRevalidate: UInt32?
    /// For how many seconds after expiry a copy may be served when the origin fails.
    package var staleIfError: UInt32?

    /// Nothing is said.
    package init() {}

    /// Indicates whether an expired copy must not be served without confirmation.
    package var forbidsStale: Bool { !flags.isDisjoint(with: [.noCache, .mustRevalidate]) }

    /// For how long after expiry a copy may be served, at most.
    package var longestStale: Duration {
        forbidsStale ? .zero : .seconds(Int64(max(staleWhileRevalidate ?? 0, staleIfError ?? 0)))
    }

    /// The numbers with their names.
    private var numbers: [(name: String, seconds: UInt32?)] {
        [
            ("max-age", maxAge), ("s-maxage", sharedMaxAge), ("expires", expires), ("stale-while-revalidate", staleWhileRevalidate),
            ("stale-if-error", staleIfError),
        ]
    }

    /// All of it in the form of the field `Cache-Control`, with the time of `Expires` as a directive of that name; ``init(text:)`` reads it.
    public var text: String {
        let words = numbers.compactMap { number in number.seconds.map { "\(number.name)=\($0)" } }
        return (words + Flags.names.filter { flags.contains($0.flag) }.map(\.name)).joined(separator: ", ")
    }
}
