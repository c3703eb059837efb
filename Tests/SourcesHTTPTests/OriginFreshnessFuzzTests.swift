import NIOHTTP1
import Pipeline
import PipelineTesting
import Testing

@testable import SourcesHTTP

/// Random answers: none ends the process, and what is made of them keeps its bounds.
@Suite struct OriginFreshnessFuzzTests {
    @Test(arguments: Array(UInt64(1)...10))
    func `of 1,000 random answers each is fresh for no less than nothing, and for no more than max_freshness`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let wall = Timestamp(nanoseconds: 1_767_225_600_000_000_000)
        var known: Entry?
        for _ in 0..<1_000 {
            var settings = HTTPSettings(url: try .written("http://example.org"))
            settings.caching = [.headers, .shared].randomElement(using: &random) ?? .headers
            settings.defaultFreshness = [.heuristic, .fixed(.zero), .fixed(.seconds(7))].randomElement(using: &random) ?? .heuristic
            settings.minFreshness = [.zero, .zero, .seconds(3)].randomElement(using: &random) ?? .zero
            settings.maxFreshness = .seconds(Int64.random(in: 10...100_000, using: &random))
            let headers = RandomFields.answer(&random)
            let status = [200, 200, 304, 404, 410, 301, 599].randomElement(using: &random) ?? 200

            let found = OriginFreshness(
                settings, status: status, headers, to: ["Accept": "*/*"], confirming: status == 304 ? known : nil, requested: wall,
                wall: wall)

            let lifetime = found.freshUntil?.duration(since: found.created)
            #expect(lifetime.map { $0 >= .zero && $0 <= settings.maxFreshness } ?? (status == 404 || status == 410), "\(headers)")
            #expect(found.created <= wall && found.created >= wall - .seconds(1 << 31), "\(headers)")
            // What a cache keeps of it comes back as it was.
            #expect(CacheControl(text: found.control.text) == found.control, "\(headers)")
            known = Entry(
                [1], created: found.created, freshUntil: found.freshUntil, lastModified: headers.first(name: "Last-Modified"),
                cacheControl: found.control, variant: found.variant)
        }
    }
}

/// Header fields as no server should send them, beside some that are right.
private enum RandomFields {
    static func answer(_ random: inout SplitMix64) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for name in ["Cache-Control", "Age", "Date", "Expires", "Last-Modified", "Vary", "ETag", "Cache-Control"] {
            for _ in 0..<([0, 0, 1, 1, 1, 2, 3].randomElement(using: &random) ?? 0) {
                headers.add(name: Bool.random(using: &random) ? name : name.lowercased(), value: value(of: name, &random))
            }
        }
        return headers
    }

    private static func value(of name: String, _ random: inout SplitMix64) -> String {
        let value =
            switch name {
            case "Cache-Control": directives(&random)
            case "Age": number(&random) + (["", "", ", 0", ";a=b", " "].randomElement(using: &random) ?? "")
            case "Vary": ["*", "Accept", "accept, X-Odd", ", *", "", ",,,"].randomElement(using: &random) ?? ""
            case "ETag": ["\"1\"", "W/\"1\"", "\"", "odd", ""].randomElement(using: &random) ?? ""
            default: date(&random)
            }
        return Int.random(in: 0..<8, using: &random) == 0 ? damaged(value, &random) : value
    }

    private static func directives(_ random: inout SplitMix64) -> String {
        let names = [
            "max-age", "s-maxage", "MAX-AGE", "stale-while-revalidate", "stale-if-error", "no-store", "no-cache", "private", "public",
            "must-revalidate", "proxy-revalidate", "immutable", "must-understand", "odd", "", "max-age ", " max-age",
        ]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in
            let name = names.randomElement(using: &random) ?? ""
            let marks = ["", "=", "=\"", "==", "= "].randomElement(using: &random) ?? ""
            guard !marks.isEmpty else { return name }
            return name + marks + number(&random) + (marks == "=\"" && Bool.random(using: &random) ? "\"" : "")
        }.joined(separator: [",", ", ", " ,,", ";"].randomElement(using: &random) ?? ",")
    }

    private static func number(_ random: inout SplitMix64) -> String {
        let odd = [
            "", "-1", "+5", "0x10", "1.5", "1e9", "٣", "99999999999999999999", "2147483648", "9223372036854775807", "00000000000000060",
        ]
        return Bool.random(using: &random) ? "\(Int.random(in: 0...100_000, using: &random))" : odd.randomElement(using: &random) ?? ""
    }

    private static func date(_ random: inout SplitMix64) -> String {
        let days = ["Sun", "Mon", "Sunday", "THU", "Xyz"]
        let months = ["Jan", "FEB", "mar", "Dec", "Odd"]
        func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }
        func two(_ limit: Int) -> String {
            let text = "\(Int.random(in: 0...limit, using: &random))"
            return text.count < 2 ? "0" + text : text
        }
        let year = pick(["1970", "1969", "0000", "0001", "2025", "2026", "2027", "9999", "99", "26", "-001"])
        let time = "\(two(25)):\(two(61)):\(two(61))"
        return pick([
            "\(pick(days)), \(two(32)) \(pick(months)) \(year) \(time) GMT",
            "\(pick(days)), \(two(32))-\(pick(months))-\(year) \(time) GMT",
            "\(pick(days)) \(pick(months)) \(two(32)) \(time) \(year)", "0", "", "never", "Thu, 01 Jan 1970 00:00:00 UTC",
        ])
    }

    /// The text with some of its bytes changed, doubled or gone.
    private static func damaged(_ text: String, _ random: inout SplitMix64) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let index = bytes.indices.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
            case 1: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
            default: bytes.remove(at: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
