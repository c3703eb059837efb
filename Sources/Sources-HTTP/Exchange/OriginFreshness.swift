import NIOHTTP1
import Pipeline
internal import PipelineConfig
import PipelineSockets

/// The word of an answer on its copies, and the time for which they are fresh (RFC 9111, sections 3 and 4.2).
struct OriginFreshness {
    /// The moment when the value was as the answer says: when the request was sent, less the age of the answer.
    let created: Timestamp
    /// The moment until which copies are fresh; nil for a `not_found` of which the server does not say it.
    let freshUntil: Timestamp?
    /// The server's directives, as this cache must take them.
    let control: CacheControl
    /// The identity of this answer among several; nil if there is only one.
    let variant: String?
    /// The reason why no cache may store it; nil if caches may.
    let notKept: String?

    /// - Parameters:
    ///   - answer: the fields of the answer. A 304 leaves out what is as in `known`.
    ///   - known: the copy that a 304 confirms.
    ///   - requested: when the request was sent, on the time line of copies.
    ///   - wall: the wall time at which the answer came.
    init(
        _ settings: HTTPSettings, status: Int, _ answer: HTTPHeaders, to request: HTTPHeaders, confirming known: Entry?,
        requested: Timestamp, wall: Timestamp
    ) {
        let times = AnswerTimes(answer, wall: wall)
        var control =
            answer.contains(name: "Cache-Control")
            ? CacheControl(field: answer["Cache-Control"].joined(separator: ",")) : known?.cacheControl ?? CacheControl()
        created = requested - .seconds(Int64(times.age))
        control.expires = times.lifetimeByExpires ?? (times.hasDate ? known?.expiresLeft(at: created) : known?.cacheControl?.expires)
        let isShared = settings.caching == .shared
        var (variant, endless) = (known?.variant, String?.none)
        if known == nil || answer.contains(name: "Vary") {
            do { variant = try RequestVariant(of: answer, to: request)?.text } catch { endless = error.reason }
        }
        notKept =
            Self.refusal(by: control, status: status, isShared: isShared, isAuthorized: request.contains(name: "Authorization"))
            ?? endless
        if isShared { control.takeShared() } else { control.sharedMaxAge = nil }
        self.control = control
        self.variant = variant

        let isRefused = notKept != nil || control.flags.contains(.noCache)
        let said = (control.maxAge ?? control.expires).map { Duration.seconds(Int64($0)) }
        // An absence is remembered by the pipeline's own time where the server says nothing.
        if status == 404 || status == 410, said == nil, !isRefused {
            freshUntil = nil
        } else {
            let lastModified = times.lastModified ?? known?.lastModified.flatMap(times.seconds)
            let lifetime = said ?? times.defaultLifetime(settings.defaultFreshness, status: status, control, since: lastModified)
            freshUntil = created + (isRefused ? .zero : min(max(lifetime, settings.minFreshness), settings.maxFreshness))
        }
    }

    /// The reason why a cache must not store the answer; nil if it may.
    private static func refusal(by control: CacheControl, status: Int, isShared: Bool, isAuthorized: Bool) -> String? {
        let flags = control.flags
        if flags.contains(.mustUnderstand) {
            if !isKnown(status) { return "must-understand" }
        } else if flags.contains(.noStore) {
            return "no-store"
        }
        guard isShared else { return nil }
        if flags.contains(.isPrivate) { return "private" }
        let isForAll = !flags.isDisjoint(with: [.isPublic, .mustRevalidate]) || control.sharedMaxAge != nil
        return isAuthorized && !isForAll ? "authorization" : nil
    }

    /// Indicates whether RFC 9110 defines the status; a 304 confirms an answer that has one.
    private static func isKnown(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }
}

extension Entry {
    /// The number of seconds from `moment` on for which the copy is fresh by its field `Expires`, nil without one: that names a moment,
    /// which stays when a 304 brings a new `Date` alone (RFC 9111, sections 3.2 and 4.2.1).
    fileprivate func expiresLeft(at moment: Timestamp) -> UInt32? {
        guard let seconds = cacheControl?.expires else { return nil }
        let left = Duration.seconds(Int64(seconds)) - max(.zero, moment.duration(since: created))
        return UInt32(max(0, left.components.seconds))
    }
}

extension CacheControl {
    /// Takes what is said to caches that several users share.
    fileprivate mutating func takeShared() {
        if let sharedMaxAge {
            maxAge = sharedMaxAge
            flags.insert(.mustRevalidate)
        }
        if flags.contains(.proxyRevalidate) { flags.insert(.mustRevalidate) }
    }
}

/// The times in the fields of an answer (RFC 9111, sections 4.2 and 5).
struct AnswerTimes {
    /// A `Date` that is less old than this says nothing about the age: clocks differ.
    private static let tolerance: Int64 = 60
    private static let mostHeuristic = Duration.seconds(86_400)

    private let headers: HTTPHeaders
    /// The moment when the answer came, in seconds since 1970.
    private let arrival: Int64

    /// - Parameter wall: the wall time at which the answer came.
    init(_ headers: HTTPHeaders, wall: Timestamp) {
        self.headers = headers
        arrival = wall.nanoseconds / 1_000_000_000
    }

    /// The age of the answer in seconds: the age that it states, or else the time since its `Date` if that is long ago.
    var age: UInt32 {
        if let said { return said }
        guard let date, arrival - date > Self.tolerance else { return 0 }
        return UInt32(min(arrival - date, Int64(CacheControl.mostSeconds)))
    }

    /// The field `Age`: of several numbers the first; nil if that is none.
    private var said: UInt32? {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = headers.first(name: "Age")?.utf8.prefix(while: { $0 != UInt8(ascii: ",") }) else { return nil }
        return CacheControl.seconds(digits: first.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    /// The number of seconds after the answer was given at which it expires; nil without the field. If the field is no date, or is there
    /// twice, the answer has expired.
    var lifetimeByExpires: UInt32? {
        guard headers.contains(name: "Expires") else { return nil }
        guard let expires = single("Expires").flatMap(seconds) else { return 0 }
        return UInt32(min(max(0, expires - (date ?? arrival)), Int64(CacheControl.mostSeconds)))
    }

    /// Indicates whether the answer says when it was given.
    var hasDate: Bool { date != nil }

    private var date: Int64? { single("Date").flatMap(seconds) }

    /// The moment when the value changed last, in seconds since 1970.
    var lastModified: Int64? { single("Last-Modified").flatMap(seconds) }

    /// Reads a date, in seconds since 1970.
    func seconds(_ date: String) -> Int64? { HTTPDate.seconds(date, year: HTTPDate.year(of: arrival)) }

    /// The time for which an answer is fresh that says nothing about it. A guess needs a status whose answers are made to be kept, or
    /// `public`.
    func defaultLifetime(_ freshness: DefaultFreshness, status: Int, _ control: CacheControl, since lastModified: Int64?) -> Duration {
        switch freshness {
        case .fixed(let duration): return duration
        case .heuristic:
            let isGuessed = [200, 203, 204, 206, 300, 301, 304, 308, 404, 405, 410, 414, 501].contains(status)
            guard isGuessed || control.flags.contains(.isPublic), let lastModified else { return .zero }
            let tenths = max(0, (date ?? arrival).subtractingReportingOverflow(lastModified).partialValue)
            return min(.milliseconds(min(tenths, 1 << 40) * 100), Self.mostHeuristic)
        }
    }

    private func single(_ name: String) -> String? {
        let values = headers[name]
        return values.count == 1 ? values[0] : nil
    }
}
