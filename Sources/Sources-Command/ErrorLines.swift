internal import Pipeline

/// What a program says on standard error, for the person who reads the trace.
enum ErrorLines {
    /// The last line of `bytes` that is not blank, its control characters made visible; nil when there is none.
    static func last(of bytes: [UInt8]) -> String? {
        let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let line = lines.last(where: { !$0.allSatisfy(isBlank) }) else { return nil }
        let trimmed = line.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: Array(trimmed), as: UTF8.self).unicodeScalars {
            if scalar.isObeyedByTerminals {
                text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
