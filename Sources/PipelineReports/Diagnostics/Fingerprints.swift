internal import Pipeline
internal import PipelineConfig

/// What tells the results of one file apart, and stays when lines are put in above them.
package struct Fingerprints {
    private var counts: [UInt64: Int] = [:]
    /// The hash of what comes before the place: of many problems on one line it is the same.
    private var last: (code: DiagnosticCode, file: String, line: String, hash: UInt64)?

    /// A fingerprint of `diagnostic`, whose source line reads `line`: `8f2ac3e1d0b4a597:1`, where the last number counts the same
    /// problems on the same line, or on lines that read the same.
    mutating func next(_ diagnostic: Diagnostic, line: String) -> String {
        let (start, end) = (diagnostic.range.start, diagnostic.range.end)
        let length = start.line == end.line ? max(0, end.column - start.column) : 0
        let meant = line.unicodeScalars.dropFirst(start.column - 1).prefix(length)
        let hash = Self.hash([String(meant)], after: hash(of: line, for: diagnostic))
        counts[hash, default: 0] += 1
        return KeyHash.digits(of: hash) + ":\(counts[hash] ?? 1)"
    }

    private mutating func hash(of line: String, for diagnostic: Diagnostic) -> UInt64 {
        if let last, last.code == diagnostic.code, last.file == diagnostic.file, last.line.utf8.elementsEqual(line.utf8) {
            return last.hash
        }
        let whole = line.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
        let hash = Self.hash([diagnostic.code.rawValue, FileURI.withoutDot(diagnostic.file), whole])
        last = (diagnostic.code, diagnostic.file, line, hash)
        return hash
    }

    /// FNV-1a, with a byte after each part that no text has.
    package static func hash(_ parts: [String]) -> UInt64 { hash(parts, after: 0xCBF2_9CE4_8422_2325) }

    private static func hash(_ parts: [String], after begun: UInt64) -> UInt64 {
        var hash = begun
        for part in parts {
            for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        return hash
    }
}
