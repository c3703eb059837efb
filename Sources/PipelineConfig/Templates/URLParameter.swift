internal import Pipeline

/// A parameter in the query of a URL, as it is written.
struct URLParameter {
    let name: String
    let value: String
    /// The value, as offsets in Unicode scalars.
    let range: Range<Int>

    /// The parameters of `written` that are credentials, and stand there letter by letter.
    static func credentials(in written: String) -> [URLParameter] {
        guard written.hasByte(UInt8(ascii: "?")) else { return [] }
        let scalars = Array(written.unicodeScalars)
        guard let question = scalars.firstIndex(of: "?") else { return [] }
        let end = scalars[question...].firstIndex(of: "#") ?? scalars.endIndex
        return scalars[(question + 1)..<end].split(separator: "&").compactMap { part in
            guard let equals = part.firstIndex(of: "=") else { return nil }
            let value = part[(equals + 1)...]
            let parameter = URLParameter(
                name: String(String.UnicodeScalarView(part[..<equals])), value: String(String.UnicodeScalarView(value)),
                range: value.startIndex..<value.endIndex)
            let isLiteral = !parameter.value.contains { "${}".contains($0) } && parameter.value.utf8.count >= FieldDecoder.shortestSecret
            return isLiteral && Credential.isParameter(parameter.name, value: parameter.value) ? parameter : nil
        }
    }
}
