internal import PipelineJSON

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
