package import NIOHTTP1
package import Pipeline
package import PipelineConfig
import PipelineJSON

extension HTTPHeaders {
    /// The `fields` of a request for `key`, with values in their places, the credentials of `url`, and the defaults for what is missing.
    ///
    /// Throws when a value cannot stand in a field.
    package init(filling fields: FieldMap<SecretTemplate>, of url: URLTemplate, for key: Pipeline.Key, accept: String = "*/*") throws {
        self.init()
        for (name, template) in fields {
            let value = template.revealed(for: key)
            guard HeaderFields.canBeValue(value) else {
                throw SourceError("the value of the header `\(name)` has a line break or another control character in it")
            }
            add(name: name, value: value)
        }
        if let credentials = url.credentials, !contains(name: "Authorization") {
            add(name: "Authorization", value: Self.basicAuthentication(credentials))
        }
        for (name, value) in [("User-Agent", "pipe-run"), ("Accept", accept)] where !contains(name: name) {
            add(name: name, value: value)
        }
    }

    /// The value of a field that authenticates (RFC 7617); `credentials` as they stand in the URL.
    package static func basicAuthentication(_ credentials: String) -> String {
        let parts = credentials.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.map { PercentEncoding.leniently(decoded: $0) }
        return "Basic " + Base64.encoded(Array("\(decoded.first ?? ""):\(decoded.count > 1 ? decoded[1] : "")".utf8))
    }
}

extension HTTPHeaders {
    /// These fields without spaces and tabs around their values, which are no part of the values (RFC 9110, section 5.5).
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
