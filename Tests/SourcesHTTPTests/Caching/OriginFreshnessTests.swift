import NIOHTTP1
import Testing

@testable import Pipeline
@testable import SourcesHTTP

/// What the fields of an answer come to.
@Suite struct OriginFreshnessTests {
    /// 2026-01-01T00:00:00Z.
    private static let now = Timestamp(nanoseconds: 1_767_225_600_000_000_000)
    private static let day = "Thu, 01 Jan 2026 00:00:00 GMT"

    private static let commas: [(String, Int64)] = [
        ("extension=\"max-age=3600\", max-age=1", 1), ("max-age=1, extension=\"max-age=3600\"", 1), ("max-age=1800, max-age=1", 1),
        ("max-age=1, max-age=1800", 1), ("ext=\"a\\\", max-age=9\", max-age=1", 1),
    ]

    private static let ages: [(String, Int64)] = [
        ("max-age=\"60\"", 60), ("MAX-Age=60", 60), ("max-age=0060", 60), ("max-age='60'", 0), ("max-age=-1", 0), ("max-age=1.5", 0),
        ("max-age=60s", 0), ("max-age=", 0), ("max-age", 0), ("max-age= 60", 0), ("max-age=99999999999999", 1 << 31),
        ("max-age=2147483648", 1 << 31), ("max-age=\"60", 0), ("max-age=\"\"", 0), ("foo, , ;;=, max-age=60,", 60),
        ("private=\"a, b\", max-age=60", 60), ("=5, max-age=60", 60), ("max age=5, max-age=60", 60),
    ]

    private static let dates: [(String, Int64)] = [
        ("0", 0), ("", 0), ("-1", 0), ("Thu, 01 Jan 2026 00:01:00 +0100", 0), ("Thu, 01 Jan 2026 00:01:00 UTC", 0),
        ("Thu, 01 Jan 2026 00:01:00 GMT", 60), ("THU, 01 jAN 2026 00:01:00 gMT", 60), ("Thursday, 01-Jan-26 00:01:00 GMT", 60),
        ("Thu Jan  1 00:01:00 2026", 60), ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 1 << 31),
        ("Thu 01 Jan 2026 00:01:00 GMT", 0), ("Thu, 01  Jan  2026 00:01:00 GMT", 0), ("Thu, 01-Jan-2026 00:01:00 GMT", 0),
        ("Thu, 01 Jan 26 00:01:00 GMT", 0), ("Thu, 01 Jan 2026 00.01.00 GMT", 0), ("Thu, 01 Jan 2026 0:01:00 GMT", 0),
        ("Mon, 30 Feb 2026 00:01:00 GMT", 0), ("Thu, 01 Jan 2026 24:01:00 GMT", 0), (String(repeating: "9", count: 100_000), 0),
    ]

    private static let numbers: [([String], Int64)] = [
        (["50"], 50), (["0, 7200"], 0), (["7200, 0"], 7200), (["0", "7200"], 0), (["abc"], 0), (["-5"], 0), (["7.0"], 0), ([""], 0),
        ([" 5 "], 5), (["1 2"], 0), (["99999999999999999999"], 1 << 31), (["7200;foo=bar"], 0),
    ]

    private static let moments: [(String, Int64)] = [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 1_767_225_600), ("Fri, 31 Dec 9999 23:59:59 GMT", 0),
    ]

    private func freshness(
        _ fields: [(String, String)], status: Int = 200, _ change: (inout HTTPSettings) -> Void = { _ in }
    ) throws -> OriginFreshness {
        var settings = HTTPSettings(url: try .written("http://localhost/"))
        settings.caching = .headers
        settings.maxFreshness = .seconds(Int64.max / 1_000_000_000)
        change(&settings)
        return OriginFreshness(
            settings, status: status, HTTPHeaders(fields), to: HTTPHeaders(), confirming: nil, requested: Self.now, wall: Self.now)
    }

    private func seconds(_ fields: [(String, String)]) throws -> Int64? {
        try freshness(fields).freshUntil?.duration(since: Self.now).components.seconds
    }

    @Test(arguments: commas)
    func `CR-24 a comma in quotes does not split, and of two the shorter holds`(field: String, expected: Int64) throws {
        #expect(try seconds([("Cache-Control", field)]) == expected)
    }

    @Test(arguments: ages)
    func `CR-25 a time is written in digits, and a bad member is skipped alone`(field: String, expected: Int64) throws {
        #expect(try seconds([("Cache-Control", field), ("Expires", "Thu, 01 Jan 2026 02:00:00 GMT")]) == expected)
    }

    @Test(arguments: dates)
    func `CR-26 Expires counts from Date, in each of three forms of dates`(field: String, expected: Int64) throws {
        #expect(try seconds([("Expires", field), ("Date", Self.day)]) == expected)
        #expect(try seconds([("Expires", field)]) == expected)
    }

    @Test func `CR-26 two Expires have expired, and a Date that is none is left out`() throws {
        let later = ("Expires", "Thu, 01 Jan 2026 00:01:00 GMT")
        #expect(try seconds([later, later]) == 0)
        #expect(try seconds([later, ("Date", "today")]) == 60)
        #expect(try seconds([later, ("Date", Self.day), ("Date", Self.day)]) == 60)
        #expect(try seconds([later, ("Cache-Control", "max-age=5")]) == 5)
        #expect(try seconds([later, ("Cache-Control", "public")]) == 60)
    }

    @Test(arguments: numbers)
    func `of Age the first number counts`(lines: [String], expected: Int64) throws {
        let fields = lines.map { ("Age", $0) } + [("Cache-Control", "max-age=10000000000")]
        let given = try freshness(fields)
        #expect(Self.now.duration(since: given.created) == .seconds(expected))
    }

    @Test func `an Age over max-age has expired on arrival`() throws {
        let given = try freshness([("Cache-Control", "max-age=60"), ("Age", "3600")])

        #expect(given.freshUntil == given.created + .seconds(60))
        #expect(Self.now.duration(since: given.created) == .seconds(3_600))
    }

    @Test(arguments: moments)
    func `a Date long ago is the age, one to come says nothing`(date: String, age: Int64) throws {
        let given = try freshness([("Date", date)])
        #expect(Self.now.duration(since: given.created) == .seconds(age))
    }

    @Test func `no-cache is kept and never fresh, also with names of fields`() throws {
        for field in ["no-cache, max-age=60", "No-CaChE=\"Set-Cookie\", max-age=60", "no-cache=\"a, max-age=60"] {
            let given = try freshness([("Cache-Control", field)]) { $0.minFreshness = .seconds(10) }
            #expect(given.freshUntil == given.created)
            #expect(given.notKept == nil)
            #expect(given.control.forbidsStale)
        }
    }

    @Test func `an unclosed quote hides no directive behind it`() throws {
        #expect(try freshness([("Cache-Control", "ext=\"a, no-store")]).notKept == "no-store")
        #expect(try freshness([("Cache-Control", "ext=\"a, b\\"), ("Cache-Control", "no-store")]).notKept == "no-store")
    }

    @Test func `a guess needs a status that is made to be kept, or public`() throws {
        let changed = ("Last-Modified", "Wed, 31 Dec 2025 00:00:00 GMT")
        func guess(_ fields: [(String, String)], _ status: Int) throws -> Duration? {
            try freshness(fields, status: status) { $0.defaultFreshness = .heuristic }.freshUntil?.duration(since: Self.now)
        }
        #expect(try guess([changed], 200) == .seconds(8_640))
        #expect(try guess([changed], 201) == .zero)
        #expect(try guess([changed, ("Cache-Control", "public")], 599) == .seconds(8_640))
        #expect(try guess([("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT")], 200) == .seconds(86_400))
        #expect(try guess([("Last-Modified", "Fri, 31 Dec 9999 23:59:59 GMT")], 200) == .zero)
        #expect(try guess([], 200) == .zero)
        #expect(try guess([], 404) == nil)
    }

    @Test func `proxy-revalidate and s-maxage are for shared caches`() throws {
        for (caching, forbids, age) in [(Caching.shared, true, UInt32(30)), (.headers, false, 60)] {
            let given = try freshness([("Cache-Control", "s-maxage=30, max-age=60, proxy-revalidate")]) { $0.caching = caching }
            #expect((given.control.forbidsStale, given.control.maxAge) == (forbids, age))
        }
    }

    @Test func `whatever a server sends comes to a freshness`() throws {
        var random = SystemRandomNumberGenerator()
        let words = [
            "max-age", "=", "60", "\"", ",", " ", "\\", "no-store", "-", "é", "\u{FFFD}", "s-maxage", "Thu, 01 Jan 2026", "GMT", "*", ":",
        ]
        for _ in 0..<5_000 {
            let fields = ["Cache-Control", "Age", "Date", "Expires", "Last-Modified", "Vary", "ETag"].map { name in
                (name, (0..<Int.random(in: 0...8, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }.joined())
            }
            let given = try freshness(fields)
            #expect(given.created <= Self.now)
            #expect(CacheControl(text: given.control.text) == given.control)
        }
    }
}
