import Pipeline
import PipelineAnswers
import PipelineJSON
import Testing

@Suite struct AnswerTimesTests {
    /// 2026-11-30T00:00:00Z.
    private static let wall = Timestamp(nanoseconds: 1_795_996_800_000_000_000)
    private static let fields = LimitFields(remaining: "x-ratelimit-remaining", reset: "x-ratelimit-reset")

    private static func report(_ headers: AnswerHeaders) -> LimitFields.Report {
        fields.report(of: headers, at: wall) { $0 == "Mon, 30 Nov 2026 00:00:09 GMT" ? wall + .seconds(9) : nil }
    }

    @Test(
        arguments: [
            ("60", 60), ("12.5", 12.5), ("1795996830", 30), ("1795996830000", 30), ("1799999999", 3_600), ("1799999999000", 3_600),
            ("2026-11-30T00:01:00Z", 60), ("Mon, 30 Nov 2026 00:00:09 GMT", 9), ("31535999", 3_600),
        ] as [(String, Double)])
    func `AP-36 nothing left rests until the reset: seconds, seconds or milliseconds since 1970, or a date, at most an hour`(
        reset: String, seconds: Double
    ) {
        for remaining in ["0", "0.0", "0.7", "-0"] {
            let report = Self.report(["X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": reset])
            #expect(report == .rest(.seconds(seconds)), "\(remaining)")
        }
    }

    @Test(arguments: ["598.0", "1", "5000"])
    func `AP-36 while something is left nothing rests`(remaining: String) {
        #expect(Self.report(["X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": "60"]) == .open)
        #expect(Self.report(["X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": "junk"]) == .open)
    }

    @Test(arguments: ["-1", "", "many", "0;w=60", "0x0", "nan", "inf", "00", String(repeating: "9", count: 500)])
    func `AP-36 what cannot be read rests nothing, and is told`(remaining: String) {
        let words = "`x-ratelimit-remaining` is `\(remaining.shortened)`, expected a number"
        #expect(Self.report(["X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": "60"]) == .unreadable(words))
    }

    @Test func `AP-36 a reset that cannot be read, or is missing, is told; one that is over rests nothing`() {
        #expect(
            Self.report(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "6m0s"])
                == .unreadable("`x-ratelimit-reset` is `6m0s`, expected seconds or a date"))
        #expect(
            Self.report(["X-RateLimit-Remaining": "0"]) == .unreadable("`x-ratelimit-remaining` is 0, and there is no `x-ratelimit-reset`"))
        #expect(Self.report(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0"]) == .open)
        #expect(Self.report(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795996799"]) == .open)
        #expect(Self.report(["X-RateLimit-Reset": "60"]) == .open)
    }

    @Test(
        arguments: [
            ("3600", 3_600), ("\"3600\"", 3_600), ("0", 0), ("-1", 0), ("0.5", 0.5), ("1e3", 1_000), ("1e400", 3_155_760_000),
            ("null", nil),
        ] as [(String, Double?)])
    func `AP-17 a lifetime is a number, also as text; null and nothing say none`(value: String, seconds: Double?) throws {
        let field = ExpiryField.lifetime(at("/ttl"))

        #expect(try field.remaining(in: Array(#"{"ttl":\#(value)}"#.utf8), at: Self.wall) == seconds.map { .seconds($0) })
        #expect(try field.remaining(in: Array("{}".utf8), at: Self.wall) == nil)
    }

    @Test(arguments: [(3_600, 30, 3_570), (20, 30, 15), (0, 30, 0), (100, 0, 100)])
    func `AP-17 the leeway takes off a quarter of the life at most`(lifetime: Int, leeway: Int, rest: Int) {
        #expect(ExpiryField.reduced(.seconds(lifetime), by: .seconds(leeway)) == .seconds(rest))
    }

    @Test(
        arguments: [
            ("\"2026-11-30T01:00:00Z\"", 3_600), ("\"2026-11-30T01:00:00.5+00:00\"", 3_600.5), ("\"2026-11-30 02:00:00+01:00\"", 3_600),
            ("\"2026-11-29t23:30:00-01:30\"", 3_600), ("1796000400", 3_600), ("\"1796000400\"", 3_600), ("1796000400000", 3_600),
            ("1796000400.25", 3_600.25), ("\"1999-01-01T00:00:00Z\"", 0), ("3600", 0), ("null", nil),
        ] as [(String, Double?)])
    func `AP-19 a moment is of RFC 3339, or counts seconds or milliseconds since 1970`(value: String, seconds: Double?) throws {
        let remaining = try ExpiryField.moment(at("/at")).remaining(in: Array(#"{"at":\#(value)}"#.utf8), at: Self.wall)

        #expect(remaining == seconds.map { .seconds($0) })
    }

    @Test(arguments: [
        "\"\"", "\"tomorrow\"", "true", "{}", "[1]", "\"2026-11-30\"", "\"2026-02-30T00:00:00Z\"", "\"2026-13-01T00:00:00Z\"",
        "\"2026-11-30T24:00:00Z\"", "\"2026-11-30T00:00:00\"", "\"2026-11-30T00:00:00.Z\"", "\"2026-11-30T00:00:00+1:00\"", "\"0x10\"",
        "\"2026-11-30T00:00:00Z and more\"", "\"-2026-11-30T00:00:00Z\"",
    ])
    func `What says no time is an error`(value: String) {
        let body = Array(#"{"at":\#(value)}"#.utf8)

        let error = #expect(throws: SourceError.self) { try ExpiryField.moment(at("/at")).remaining(in: body, at: Self.wall) }

        #expect(error?.reason == "what stands at `/at` is no moment")
        #expect(error?.kind == .invalid)
    }

    @Test func `AP-19 the clock of a server counts by its Date where it is over 30 s off`() throws {
        let slow = Self.wall - .seconds(600)
        let body = Array(#"{"at":"2026-11-30T00:50:00Z"}"#.utf8)

        let corrected = ExpiryField.serverTime(wall: Self.wall, date: slow)

        #expect(corrected == slow)
        #expect(try ExpiryField.moment(at("/at")).remaining(in: body, at: corrected) == .seconds(3_600))
        #expect(ExpiryField.serverTime(wall: Self.wall, date: Self.wall + .seconds(31)) == Self.wall + .seconds(31))
        #expect(ExpiryField.serverTime(wall: Self.wall, date: Self.wall + .seconds(30)) == Self.wall)
        #expect(ExpiryField.serverTime(wall: Self.wall, date: Self.wall - .seconds(30)) == Self.wall)
        #expect(ExpiryField.serverTime(wall: Self.wall, date: nil) == Self.wall)
    }
}
