public import Pipeline

/// The path of a file of certificates, the same for every key.
public struct CertificateFile: Sendable, Hashable {
    /// The path as the system takes it.
    public let path: String

    /// The file at `path`, relative to the working directory unless it begins with `/`.
    public init(_ path: String) {
        self.path = path
    }
}

extension CertificateFile: FieldValue {
    /// Text, in which braces are braces.
    public static var fieldType: FieldType { .string }

    /// What ``decode(_:with:)`` takes.
    static let pattern = #"^[^\u0000]*[^/\u0000]$"#

    /// The path of a file, relative to the folder of the configuration.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> CertificateFile? {
        guard let text = decoder.text(of: node, expecting: "a path") else { return nil }
        guard let last = text.utf8.last, last != UInt8(ascii: "/"), !text.utf8.contains(0) else {
            let problem =
                text.isEmpty ? "it is empty" : text.utf8.contains(0) ? "there is a NUL character in it" : "it names a folder"
            decoder.report(.malformed, "malformed path for `\(decoder.fieldName)`: \(problem)", at: node)
            return nil
        }
        let isRelative = text.utf8.first != UInt8(ascii: "/") && !decoder.folder.isEmpty
        return CertificateFile(isRelative ? decoder.folder + "/" + text : text)
    }

    /// The path.
    public var written: String? { path }
}
