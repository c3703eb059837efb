import Foundation

/// Looks for a secret in what a program printed, in each form in which one could read it there.
struct Leak {
    /// So many characters of a secret in a row are too many.
    private static let window = 10

    private let windows: Set<String>

    /// Looks for `secrets` line by line; of a shorter line all of it counts.
    init(of secrets: [String]) {
        windows = Set(
            secrets.flatMap { $0.split(whereSeparator: \.isNewline) }.flatMap { line -> [String] in
                let scalars = Array(line.unicodeScalars)
                guard scalars.count > Self.window else { return [String(line)] }
                return (0...(scalars.count - Self.window)).map { String(String.UnicodeScalarView(scalars[$0..<($0 + Self.window)])) }
            })
    }

    /// What of the secrets stands in `text`; nil for nothing.
    func found(in text: String) -> String? {
        for form in Self.forms(of: text) {
            for window in windows where form.contains(window) || form.contains(window.lowercased()) { return "\(window) in \(form)" }
        }
        return nil
    }

    /// The text as it is, percent-decoded, unescaped, joined over the ends of lines, and what it has in base64.
    private static func forms(of text: String) -> [String] {
        let joined = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined()
        let unescaped = [
            ("\\n", "\n"), ("\\t", "\t"), ("\\\"", "\""), ("\\/", "/"), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""),
        ]
        .reduce(text) { $0.replacing($1.0, with: $1.1) }
        let percent = String(decoding: percentDecoded(Array(text.utf8)), as: UTF8.self)
        let encoded = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "+/=_-".contains($0))) }.filter { $0.count >= 12 }
        let decoded = encoded.flatMap { word in
            (0..<4).compactMap { start -> String? in
                let cut = String(word.dropFirst(start)).replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
                let whole = cut.dropLast(cut.count % 4 == 1 ? 1 : 0)
                return Data(base64Encoded: whole + String(repeating: "=", count: (4 - whole.count % 4) % 4)).map {
                    String(decoding: $0, as: UTF8.self)
                }
            }
        }
        return [text, joined, unescaped, percent] + decoded
    }

    private static func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let byte = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                result.append(byte)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}
