internal import PipelineConfig

/// What tells the results of one file apart, and stays when lines are put in above them.
package struct Fingerprints {
    private var counts: [UInt64: Int] = [:]

    /// A fingerprint of `diagnostic`, whose source line reads `line`: `8f2ac3e1d0b4a597:1`, where the last number counts the same
    /// problems on the same line, or on lines that read the same.
    mutating func next(_ diagnostic: Diagnostic, line: String) -> String {
        let (start, end) = (diagnostic.range.start, diagnostic.range.end)
        let length = start.line == end.line ? max(0, end.column - start.column) : 0
        let meant = line.unicodeScalars.dropFirst(start.column - 1).prefix(length)
        let whole = line.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
        let hash = Self.hash([diagnostic.code.rawValue, FileURI.withoutDot(diagnostic.file), whole, String(meant)])
        counts[hash, default: 0] += 1
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + ":\(counts[hash] ?? 1)"
    }

    /// FNV-1a, with a byte after each part that no text has.
    package static func hash(_ parts: [String]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in parts.flatMap({ $0.utf8 + [0xFF] }) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
