/// Base64 with padding (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// `bytes` as text.
    package static func encoded(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let chunk = bytes[start..<min(start + 3, bytes.count)]
            let bits = chunk.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - chunk.count))
            for position in 0..<4 {
                result.append(position <= chunk.count ? alphabet[bits >> (18 - 6 * position) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The texts of which one stands in every text in Base64 that encodes `part`, wherever it begins: one piece for each of the three ways
    /// in which its bits can fall, without the characters that depend on what stands beside it.
    package static func pieces(of part: [UInt8]) -> [String] {
        (0..<3).map { offset in
            let text = encoded([UInt8](repeating: 0, count: offset) + part)
            let whole = (offset + part.count) * 8 / 6
            return String(text.prefix(whole).dropFirst(offset == 0 ? 0 : offset + 1))
        }
    }
}
