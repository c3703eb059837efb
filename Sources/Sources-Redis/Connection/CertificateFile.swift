public import Pipeline

/// The path of a file with certificates in PEM.
public struct CertificateFile: Sendable, Hashable {
    /// The path, relative to the working directory unless it begins with `/`.
    public let path: String

    /// The file at `path`.
    public init(_ path: String) {
        self.path = path
    }
}

extension CertificateFile: FieldValue {
    /// Text.
    public static var fieldType: FieldType { .string }

    /// The path of a file, relative to the folder of the configuration.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> CertificateFile? {
        guard let text = decoder.text(of: node, expecting: "a path") else { return nil }
        guard !text.utf8.contains(0) else {
            decoder.report(.malformed, "malformed path for `\(decoder.fieldName)`: there is a NUL character in it", at: node)
            return nil
        }
        // As of `${CA_FILE:-}`: none.
        if text.isEmpty { return CertificateFile("") }
        return CertificateFile(text.utf8.first == UInt8(ascii: "/") || decoder.folder.isEmpty ? text : decoder.folder + "/" + text)
    }

    /// The path.
    public var written: String? { path }
}
