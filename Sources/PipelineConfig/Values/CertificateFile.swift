/// The path of a file of certificates in PEM, the same for every key.
public struct CertificateFile: Sendable, Hashable {
    /// The path as the system takes it.
    public let path: String

    /// The file at `path`, relative to the working directory unless it begins with `/`.
    public init(_ path: String) {
        self.path = path
    }

    /// The file; nil if the path is empty, as `${CA_FILE:-}` can be: then there is none.
    package var ifGiven: CertificateFile? { path.isEmpty ? nil : self }
}

extension CertificateFile: FieldValue {
    /// Text, in which braces are braces.
    public static var fieldType: FieldType { .string }

    /// The pattern of what ``decode(_:with:)`` takes, as ECMA-262 has patterns.
    package static let pattern = #"^([^\u0000]*[^/\u0000])?$"#

    /// The path of a file, relative to the folder of the configuration; empty stays empty.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> CertificateFile? {
        guard let text = decoder.text(of: node, expecting: "a path") else { return nil }
        guard text.utf8.last != UInt8(ascii: "/"), !text.utf8.contains(0) else {
            let problem = text.utf8.contains(0) ? "there is a NUL character in it" : "it names a folder"
            decoder.report(.malformed, "malformed path for `\(decoder.fieldName)`: \(problem)", at: node)
            return nil
        }
        guard !text.isEmpty else { return CertificateFile("") }
        guard let path = decoder.resolved(text, of: node) else { return nil }
        decoder.reportMissingFile(at: path, of: node)
        return CertificateFile(path)
    }

    /// The path.
    public var written: String? { path }
}
