/// A URL or a part of one, split into its components (RFC 3986, appendix B), the fragment left out.
package struct URLReference {
    package let scheme: String?
    package let authority: ArraySlice<UInt8>?
    package let path: ArraySlice<UInt8>
    package let query: ArraySlice<UInt8>?

    package init(_ text: String) {
        var rest = Array(text.utf8)[...].prefix { $0 != UInt8(ascii: "#") }
        if let colon = rest.firstIndex(where: { ":/?".utf8.contains($0) }), rest[colon] == UInt8(ascii: ":"),
            Self.isScheme(rest[..<colon])
        {
            scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
            rest = rest[(colon + 1)...]
        } else {
            scheme = nil
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { "/?".utf8.contains($0) } ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        } else {
            authority = nil
        }
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        path = rest[..<(mark ?? rest.endIndex)]
        query = mark.map { rest[($0 + 1)...] }
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
}
