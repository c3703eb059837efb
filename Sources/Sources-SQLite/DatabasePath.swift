public import PipelineConfig

/// The path of a database: one file for every key.
public struct DatabasePath: Sendable, Hashable {
    /// The path in a form in which `./a//b` and `a/b` are equal.
    public let text: String

    /// The database at `path`, relative to the working directory unless it begins with `/`.
    public init(_ path: String) {
        let parts = path.split(separator: "/").filter { $0 != "." }
        let whole = (path.utf8.first == UInt8(ascii: "/") ? "/" : "") + parts.joined(separator: "/")
        text = whole.isEmpty ? "." : whole
    }

    /// The path as SQLite takes it: never one of the words that it knows, as `:memory:` or `file:`.
    var forSQLite: String { text.utf8.first == UInt8(ascii: "/") ? text : "./" + text }
}

extension DatabasePath: FieldValue {
    /// A path, and no template: there is one file for every key, and so no place for a parameter.
    public static var fieldType: FieldType {
        .word(FieldWord("path", matching: #"^[^{\u0000]*[^{/\u0000]$"#, allowsBools: true, allowsNumbers: true))
    }

    /// The pattern of what ``decode(_:with:)`` takes.
    static let pattern = #"^[^{\u0000]*[^{/\u0000]$"#

    /// The path of a file, relative to the folder of the configuration.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> DatabasePath? {
        guard let text = decoder.text(of: node, expecting: "a path") else { return nil }
        if let (problem, help) = problem(of: text) {
            decoder.report(.malformed, "malformed path for `\(decoder.fieldName)`: \(problem)", at: node, help: help)
            return nil
        }
        return decoder.resolved(text, of: node).map { DatabasePath($0) }
    }

    private static func problem(of text: String) -> (String, help: String?)? {
        if text.isEmpty { return ("it is empty", nil) }
        if text.utf8.contains(0) { return ("there is a NUL character in it", nil) }
        if text.utf8.last == UInt8(ascii: "/") { return ("it names a folder", "name a file in it, as `cache.db`") }
        if text.utf8.contains(UInt8(ascii: "{")) {
            return ("one database holds every key, there is no place for a parameter", "give it a fixed name, as `cache.db`")
        }
        return nil
    }

    /// The path.
    public var written: String? { text }

    /// A file in `folder`.
    public func moved(into folder: String) -> DatabasePath? { DatabasePath("\(folder)/\(CachePlace.file)") }
}
