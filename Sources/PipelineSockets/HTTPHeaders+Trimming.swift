package import NIOHTTP1

extension HTTPHeaders {
    /// The same fields without spaces and tabs around their values, which are no part of those (RFC 9110, section 5.5).
    package var trimmed: HTTPHeaders {
        func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard contains(where: { isBlank($0.value.utf8.first) || isBlank($0.value.utf8.last) }) else { return self }
        return HTTPHeaders(
            map { field in
                let start = field.value.utf8.drop(while: isBlank)
                return (field.name, start.lastIndex { !isBlank($0) }.map { String(start[...$0]) ?? "" } ?? "")
            })
    }
}
