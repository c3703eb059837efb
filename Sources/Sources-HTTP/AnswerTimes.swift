import NIOHTTP1
import Pipeline
import PipelineSockets

/// The times in the fields of an answer (RFC 9111, sections 4.2 and 5).
struct AnswerTimes {
    /// A `Date` that is less old than this says nothing about the age: clocks differ.
    private static let tolerance: Int64 = 60
    private static let mostHeuristic = Duration.seconds(86_400)

    private let headers: HTTPHeaders
    /// When the answer came, in seconds since 1970.
    private let arrival: Int64

    /// - Parameter wall: the wall time at which the answer came.
    init(_ headers: HTTPHeaders, wall: Timestamp) {
        self.headers = headers
        arrival = wall.nanoseconds / 1_000_000_000
    }

    /// How many seconds ago the server gave the answer: what it says, or else what its `Date` says if that is long ago.
    var age: UInt32 {
        if let said { return said }
        guard let date, arrival - date > Self.tolerance else { return 0 }
        return UInt32(min(arrival - date, Int64(CacheControl.mostSeconds)))
    }

    /// The field `Age`: of several numbers the first; nil where that is none.
    private var said: UInt32? {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = headers.first(name: "Age")?.utf8.prefix(while: { $0 != UInt8(ascii: ",") }) else { return nil }
        return CacheControl.seconds(digits: first.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    /// How many seconds after the answer was given it expires; nil without the field. Where that is no date, or is there twice, it has
    /// expired.
    var lifetimeByExpires: UInt32? {
        guard headers.contains(name: "Expires") else { return nil }
        guard let expires = single("Expires").flatMap(seconds) else { return 0 }
        return UInt32(min(max(0, expires - (date ?? arrival)), Int64(CacheControl.mostSeconds)))
    }

    /// Whether the answer says when it was given.
    var hasDate: Bool { date != nil }

    private var date: Int64? { single("Date").flatMap(seconds) }

    /// When the value changed last, in seconds since 1970.
    var lastModified: Int64? { single("Last-Modified").flatMap(seconds) }

    /// Reads a date, in seconds since 1970.
    func seconds(_ date: String) -> Int64? { HTTPDate.seconds(date, year: HTTPDate.year(of: arrival)) }

    /// How long an answer is fresh that says nothing about it. A guess needs a status whose answers are made to be kept, or `public`.
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
