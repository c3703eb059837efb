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

    /// Indicates whether the template gives one path for every key.
    public var isConstant: Bool { template.uses.isEmpty }

    /// Indicates whether `path`, as a listing below ``folder`` gives it, can be a path of this template for a key of `pipeline`.
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

/// How a value is written into a path, so that it stays in its place and different values never give one path.
///
/// A value is percent-encoded to letters, digits, `-`, `.`, `_` and escapes. What no encoding gives marks the rest: an empty value
/// is `%`, a long one is laid out over folders whose names end in `%`, and `%+` ends a value where nothing else would.
struct PathValue {
    /// How one sees where a value ends.
    enum Ending {
        /// Nothing but fixed text follows.
        case tail
        /// The text after it begins with this byte, which is escaped in the value.
        case byte(UInt8)
        /// `%+`
        case marker
    }

    /// A longer name is laid out over folders: common file systems take 255 bytes, and a suffix follows.
    private static let longestName = 200

    /// The encoded value, not laid out.
    let text: String
    private let ending: Ending

    /// `value`, or the text of a whole key, which is encoded already.
    init(_ value: String, isKey: Bool = false, ending: Ending) {
        self.ending = ending
        let encoded = isKey ? value : PercentEncoding.fileName.encoded(value)
        guard case .byte(let byte) = ending, encoded.utf8.contains(byte) else {
            text = encoded
            return
        }
        let scalar = String(Unicode.Scalar(byte))
        text = encoded.split(separator: Character(scalar), omittingEmptySubsequences: false)
            .joined(separator: "%" + String(byte, radix: 16, uppercase: true))
    }

    /// Writes the value at the end of `path`.
    func append(to path: inout String) {
        if text.isEmpty {
            path += "%"
        } else {
            layOut(at: path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.count, in: &path)
        }
        if case .marker = ending { path += "%+" }
    }

    /// Cuts the text where a name gets too long; `column` bytes of the first one are taken.
    private func layOut(at column: Int, in path: inout String) {
        var rest = text.utf8[...]
        var room = max(1, Self.longestName - column)
        while rest.count > room {
            var end = rest.index(rest.startIndex, offsetBy: room)
            // An escape stays whole.
            for _ in 0..<2 where end > rest.startIndex && rest[..<end].suffix(2).contains(UInt8(ascii: "%")) {
                rest.formIndex(before: &end)
            }
            if end == rest.startIndex { rest.formIndex(&end, offsetBy: 3) }
            guard end < rest.endIndex else { break }
            path += String(Substring(rest[..<end])) + "%/"
            rest = rest[end...]
            room = Self.longestName
        }
        path += String(Substring(rest))
    }
}

extension PathValue.Ending {
    /// The ending of a value after which `literal` stands (nil for another value), and some value after that.
    init(before literal: String?, isKey: Bool) {
        // These stand within escapes, the last two in a key as they are.
        let ambiguous = "%0123456789ABCDEFabcdef" + (isKey ? ",=" : "")
        if let byte = literal?.utf8.first, !ambiguous.utf8.contains(byte) {
            self = .byte(byte)
        } else {
            self = .marker
        }
    }
}
