/// A template for the path of a file. Each value becomes part of one file name and cannot leave its folder.
public struct PathTemplate: Sendable, Hashable {
    let template: Template
    /// The folder of the configuration file, which relative paths start from; empty for the working directory.
    let base: String

    /// The longest file name that common file systems take, in bytes, less what a suffix needs.
    private static let longestName = 200

    /// A path that is `text` as it stands, without parameters.
    public init(literal text: String) {
        template = Template(InterpolatedText(pieces: [.value(text, name: "")]))
        base = ""
    }

    init(template: Template, base: String) {
        self.template = template
        self.base = base
    }

    /// The path for `key`. Different values give different paths; a long value is laid out over nested folders.
    public func filled(for key: Key) -> String {
        resolved(template.filled(for: key, encoding: Self.fileName, encodingKey: Self.laidOut))
    }

    /// The folder that every path of this template lies in: the part before the first parameter, up to its last `/`.
    public var folder: String {
        let path = resolved(template.prefix)
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether the template gives one path for every key.
    public var isConstant: Bool { template.uses.isEmpty }

    /// Whether `path`, as a listing below ``folder`` gives it, can be a path of this template for a key of `pipeline`.
    public func matches(_ path: String, pipeline: String) -> Bool {
        let pattern = template.pieces.flatMap { piece -> [PathPattern.Part] in
            switch piece {
            case .literal(let text): [.literal(text)]
            case .parameter("pipeline"): [.literal(Self.fileName(pipeline))]
            case .parameter("key"): [.literal(PercentEncoding.fileName.encoded(pipeline)), .parameters]
            case .parameter: [.value]
            }
        }
        return PathPattern([.literal(resolved(""))] + pattern).matches(path)
    }

    private func resolved(_ path: String) -> String {
        path.hasPrefix("/") || base.isEmpty ? path : base + "/" + path
    }

    /// A value as a file name. An empty value is `%`, which no other value gives.
    private static func fileName(_ value: String) -> String {
        value.isEmpty ? "%" : laidOut(PercentEncoding.fileName.encoded(value))
    }

    /// A long name cut into folders, `…%/…`: a `%` that ends a name comes from nothing else.
    private static func laidOut(_ encoded: String) -> String {
        guard encoded.utf8.count > longestName else { return encoded }
        var parts: [Substring] = []
        var rest = Substring(encoded)
        while rest.utf8.count > longestName {
            let part = rest.prefix(longestName)
            parts.append(part)
            rest = rest.dropFirst(part.count)
        }
        parts.append(rest)
        return parts.joined(separator: "%/")
    }
}
