public import Pipeline

/// A template for the path of a file. Each value becomes part of one file name and cannot leave its folder.
public struct PathTemplate: Sendable, Hashable {
    let template: Template
    /// The folder of the configuration file, which relative paths start from; empty for the working directory.
    let base: String

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
        var path = start
        for (index, piece) in template.pieces.enumerated() {
            switch piece {
            case .literal(let text): path += text
            case .parameter("pipeline"): PathValue(key.pipeline, ending: ending(ofValueAt: index)).append(to: &path)
            case .parameter("key"): PathValue(key.text, isKey: true, ending: ending(ofValueAt: index)).append(to: &path)
            case .parameter(let name): PathValue(key[name] ?? "", ending: ending(ofValueAt: index)).append(to: &path)
            }
        }
        return path
    }

    /// The folder that every path of this template lies in: the part before the first parameter, up to its last `/`.
    public var folder: String {
        let path = start + template.prefix
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether the template gives one path for every key.
    public var isConstant: Bool { template.uses.isEmpty }

    /// Whether `path`, as a listing below ``folder`` gives it, can be a path of this template for a key of `pipeline`.
    public func matches(_ path: String, pipeline: String) -> Bool {
        let parts = template.pieces.indices.map { part(at: $0, pipeline: pipeline) }
        return PathPattern([.literal(start)] + parts).matches(path)
    }

    private func part(at index: Int, pipeline: String) -> PathPattern.Part {
        let ending = ending(ofValueAt: index)
        switch template.pieces[index] {
        case .literal(let text): return .literal(text)
        case .parameter("pipeline"):
            let name = PathValue(pipeline, ending: ending).text
            return .value(ending) { $0.elementsEqual(name.isEmpty ? "%".utf8 : name.utf8) }
        case .parameter("key"):
            let name = PathValue(PercentEncoding.fileName.encoded(pipeline), isKey: true, ending: ending).text
            return .value(ending) { value in
                value.elementsEqual(name.isEmpty ? "%".utf8 : name.utf8) || value.starts(with: (name + ",").utf8)
            }
        case .parameter: return .value(ending) { _ in true }
        }
    }

    private func ending(ofValueAt index: Int) -> PathValue.Ending {
        let pieces = template.pieces
        let isLast = pieces[(index + 1)...].allSatisfy { if case .literal = $0 { true } else { false } }
        guard !isLast else { return .tail }
        let isKey = pieces[index] == .parameter("key")
        if case .literal(let text) = pieces[index + 1] { return PathValue.Ending(before: text, isKey: isKey) }
        return PathValue.Ending(before: nil, isKey: isKey)
    }

    /// What stands before the template's own text.
    var start: String {
        base.isEmpty || template.prefix.utf8.first == UInt8(ascii: "/") ? "" : base.hasSuffix("/") ? base : base + "/"
    }
}
