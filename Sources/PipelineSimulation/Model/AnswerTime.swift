internal import Pipeline
package import PipelineConfig
internal import PipelineJSON
private import PipelineYAML

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The time a simulated source takes to answer: a duration for each part of all answers, from the quickest to the slowest.
package enum AnswerTime: Sendable, Equatable {
    case constant(Int64)
    case uniform(Int64, Int64)
    /// The logarithms of the median, and how far they spread.
    case lognormal(mean: Double, deviation: Double)
    /// Durations at growing parts of all answers, with straight lines between.
    case points([Point])
    /// Durations that were measured, sorted.
    case recorded([Int64])
    /// The content of this file, which is read when the name of the source is known.
    case unread(path: String, at: TextRange)

    package struct Point: Sendable, Equatable {
        let part: Double
        let nanoseconds: Double
    }

    static let zero = AnswerTime.constant(0)

    var isConstant: Bool { if case .constant = self { true } else { false } }

    /// The nanoseconds that the part `part` of all answers takes at most; `part` is from 0 to 1, exclusive.
    func nanoseconds(at part: Double) -> Int64 {
        switch self {
        case .constant(let nanoseconds): return nanoseconds
        case .uniform(let low, let high): return low + Int64(Double(high - low) * part)
        case .lognormal(let mean, let deviation):
            return Int64(min(exp(mean + deviation * NormalDistribution.quantile(part)), 1e18))
        case .points(let points):
            guard let upper = points.firstIndex(where: { $0.part >= part }), upper > 0 else { return Int64(points.first?.nanoseconds ?? 0) }
            let (low, high) = (points[upper - 1], points[upper])
            let share = (part - low.part) / (high.part - low.part)
            return Int64(low.nanoseconds + (high.nanoseconds - low.nanoseconds) * share)
        case .recorded(let values):
            return values.isEmpty ? 0 : values[min(values.count - 1, Int(part * Double(values.count)))]
        case .unread: return 0
        }
    }

    /// The logarithmic normal distribution with this median and this 99th percentile.
    static func lognormal(median: Duration, p99: Duration) -> AnswerTime {
        let (middle, high) = (Double(median.saturatedNanoseconds), Double(p99.saturatedNanoseconds))
        guard middle > 0 else { return .zero }
        return .lognormal(mean: log(middle), deviation: log(high / middle) / NormalDistribution.quantile(0.99))
    }

    /// Straight lines through the three; the quickest answer takes half of the first, the slowest as much more as the last is above the second.
    static func percentiles(_ p50: Duration, _ p90: Duration, _ p99: Duration) -> AnswerTime {
        let values = [p50, p90, p99].map { Double($0.saturatedNanoseconds) }
        return .points([
            Point(part: 0, nanoseconds: values[0] / 2), Point(part: 0.5, nanoseconds: values[0]), Point(part: 0.9, nanoseconds: values[1]),
            Point(part: 0.99, nanoseconds: values[2]), Point(part: 1, nanoseconds: min(2 * values[2] - values[1], 1e18)),
        ])
    }
}

/// The standard normal distribution.
private enum NormalDistribution {
    /// The value below which the part `part` of all values lies: Acklam's rational approximation, whose relative error is below 1.2e-9.
    static func quantile(_ part: Double) -> Double {
        if part > 1 - 0.02425 { return -quantile(1 - part) }
        if part < 0.02425 {
            let q = (-2 * log(part)).squareRoot()
            let c =
                ((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) * q
                    + 4.374664141464968) * q
            let d = (((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1
            return (c + 2.938163982698783) / d
        }
        let q = part - 0.5
        let r = q * q
        let a =
            ((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.3577518672690) * r - 30.66479806614716) * r
        let b =
            ((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r - 13.28068155288572) * r
            + 1
        return (a + 2.506628277459239) * q / b
    }
}

extension AnswerTime {
    /// The times of `source`, read where they stand in a file; nil, and reported, where there are none.
    func reading(of source: String, with decoder: FieldDecoder) -> AnswerTime? {
        guard case .unread(let path, let range) = self else { return self }
        let whole = path.hasPrefix("/") || decoder.folder.isEmpty ? path : decoder.folder + "/" + path
        guard case .success(let bytes) = FileReader.read(whole, limit: 1 << 30) else {
            decoder.report(
                .fileMissing, "cannot read the file `\(path.shortened)`", range: range,
                help: "paths are relative to the folder of the model")
            return nil
        }
        let times = RecordedTimes.times(of: source, in: bytes)
        if !times.isEmpty { return .recorded(times) }
        decoder.report(
            .fileMissing, "`\(path.shortened)` has no time of `\(source.shortened)`", range: range, help: "`serve --record` writes one")
        return nil
    }
}

extension AnswerTime: FieldValue {
    package static var fieldType: FieldType { .either([.duration, AnswerTimeFields.fieldType]) }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> AnswerTime? {
        decoder.places.withTarget(of: node) { node in
            if case .mapping = node.content {
                return AnswerTimeFields.decode(node, with: decoder).flatMap { $0.time(at: node, with: decoder) }
            }
            return Duration.decode(node, with: decoder).map { .constant($0.saturatedNanoseconds) }
        }
    }

    package var written: String? { nil }
}

/// The fields of a time that is written as a mapping.
private struct AnswerTimeFields: FieldObject {
    let uniform: [Duration]?
    let lognormal: LognormalFields?
    let percentiles: [Duration?]
    let recorded: String?

    static let noun = "an answer time"

    static let fields = FieldGroup(
        Field("uniform", default: [Duration]?.none, "The shortest and the longest time; all between are as likely.", example: "[1ms, 5ms]"),
        Field("lognormal", default: LognormalFields?.none, "A logarithmic normal distribution.", example: "{ median: 20ms, p99: 200ms }"),
        Field("p50", default: Duration?.none, "The time that half of the answers take at most.", example: "10ms").needing(
            "p99", "all three are needed"),
        Field("p90", default: Duration?.none, "The time that nine of ten answers take at most.", example: "40ms").needing(
            "p50", "all three are needed"),
        Field("p99", default: Duration?.none, "The time that 99 of 100 answers take at most.", example: "100ms").needing(
            "p90", "all three are needed"),
        Field("recorded", default: String?.none, "A file of `serve --record`, whose times of this source are drawn from.")
    ) { AnswerTimeFields(uniform: $0, lognormal: $1, percentiles: [$2, $3, $4], recorded: $5) }

    func time(at node: ConfigNode, with decoder: FieldDecoder) -> AnswerTime? {
        let forms = [uniform != nil, lognormal != nil, percentiles.contains { $0 != nil }, recorded != nil].count { $0 }
        guard forms == 1 else {
            decoder.report(
                .notAllowed, "`takes` has \(forms) forms: expected one", at: node,
                help: "write a duration, or one of `uniform`, `lognormal`, `p50` with `p90` and `p99`, `recorded`")
            return nil
        }
        if let uniform {
            guard uniform.count == 2, uniform[0] <= uniform[1] else {
                return refuse(
                    "`uniform` needs two durations, the shorter one first", at: node, decoder, help: "write as in `uniform: [1ms, 5ms]`")
            }
            return .uniform(uniform[0].saturatedNanoseconds, uniform[1].saturatedNanoseconds)
        }
        if let lognormal {
            guard lognormal.median > .zero, lognormal.median <= lognormal.p99 else {
                return refuse(
                    "the `p99` of `lognormal` is shorter than its median, or the median is 0", at: node, decoder,
                    help: "write as in `lognormal: { median: 20ms, p99: 200ms }`")
            }
            return .lognormal(median: lognormal.median, p99: lognormal.p99)
        }
        if let recorded { return .unread(path: recorded, at: node.range) }
        guard let p50 = percentiles[0], let p90 = percentiles[1], let p99 = percentiles[2] else { return nil }
        guard p50 <= p90, p90 <= p99 else {
            return refuse(
                "`p50`, `p90` and `p99` do not grow", at: node, decoder, help: "write as in `{ p50: 10ms, p90: 40ms, p99: 100ms }`")
        }
        return .percentiles(p50, p90, p99)
    }

    private func refuse(_ problem: String, at node: ConfigNode, _ decoder: FieldDecoder, help: String) -> AnswerTime? {
        decoder.report(.outOfRange, problem, at: node, help: help)
        return nil
    }
}

private struct LognormalFields: FieldObject {
    let median: Duration
    let p99: Duration

    static let noun = "a logarithmic normal distribution"

    static let fields = FieldGroup(
        Field<Duration>("median", "The time that half of the answers take at most.", example: "20ms"),
        Field<Duration>("p99", "The time that 99 of 100 answers take at most.", example: "200ms")
    ) { LognormalFields(median: $0, p99: $1) }
}

/// The times that a source took, as `serve --record` wrote them: `"tiers":[["memory","miss",0.01],["api","hit",12.3]]`.
enum RecordedTimes {
    /// The times of `source` in nanoseconds, sorted. Attempts that were not made are left out.
    static func times(of source: String, in bytes: [UInt8]) -> [Int64] {
        let begin = Array("[\"\(source)\",\"".utf8)
        var times: [Int64] = []
        var position = 0
        while let start = bytes[position...].firstIndex(of: begin[0]) {
            position = start + 1
            guard bytes[start...].starts(with: begin) else { continue }
            let rest = bytes[(start + begin.count)...]
            guard let quote = rest.firstIndex(of: UInt8(ascii: "\"")), !rest[..<quote].elementsEqual("skipped".utf8) else { continue }
            let number = bytes[(quote + 1)...].drop { $0 == UInt8(ascii: ",") }.prefix {
                $0 != UInt8(ascii: "]") && $0 != UInt8(ascii: ",")
            }
            if let milliseconds = Double(String(decoding: number, as: UTF8.self)), milliseconds >= 0, milliseconds < 1e12 {
                times.append(Int64(milliseconds * 1_000_000))
            }
        }
        return times.sorted()
    }
}
