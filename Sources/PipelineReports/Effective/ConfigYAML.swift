package import PipelineConfig

/// A configuration as it holds, as YAML that this program reads again, each value with where it came from.
package struct ConfigYAML {
    private let file: String

    /// One line: the YAML, and the remark after it.
    private struct Line {
        var text: String
        var remark: String?
    }

    /// - Parameter file: as the user named it.
    package init(file: String) {
        self.file = file
    }

    package func text(_ config: EffectiveConfig) -> String {
        let lines = lines(config.root, indent: 0)
        // Remarks stand in one column, as far as the lines are not too long for that.
        let widths = lines.filter { $0.remark != nil }.map { TerminalWidth.of($0.text) }
        let column = min(widths.max() ?? 0, Self.widest)
        return lines.map { line in
            guard let remark = line.remark else { return line.text + "\n" }
            return line.text + String(repeating: " ", count: max(0, column - TerminalWidth.of(line.text))) + "  # \(remark)\n"
        }.joined()
    }

    private static let widest = 56

    private func lines(_ value: EffectiveValue, indent: Int) -> [Line] {
        let margin = String(repeating: " ", count: indent)
        switch value.content {
        case .scalar(let scalar): return [Line(text: margin + YAMLScalar.written(scalar), remark: remark(value.origins))]
        case .list(let elements) where elements.isEmpty: return [Line(text: margin + "[]", remark: remark(value.origins))]
        case .mapping(let members) where members.isEmpty: return [Line(text: margin + "{}", remark: remark(value.origins))]
        case .list(let elements): return elements.flatMap { begun("- ", lines($0, indent: indent + 2), indent: indent) }
        case .mapping(let members): return members.flatMap { self.lines($0, indent: indent) }
        }
    }

    private func lines(_ member: EffectiveValue.Member, indent: Int) -> [Line] {
        let margin = String(repeating: " ", count: indent)
        let key = YAMLScalar.written(key: member.key)
        var inner = lines(member.value, indent: indent + 2)
        // YAML lets a longer key only stand alone.
        if key.utf8.count > YAMLScalar.longestKey { return [Line(text: "\(margin)? \(key)")] + begun(": ", inner, indent: indent) }
        if inner.count == 1, member.value.isOnOneLine {
            inner[0].text = "\(margin)\(key): \(inner[0].text.dropFirst(indent + 2))"
            return inner
        }
        return [Line(text: "\(margin)\(key):")] + inner
    }

    /// The lines with `mark` in the room before the first one.
    private func begun(_ mark: String, _ lines: [Line], indent: Int) -> [Line] {
        guard var first = lines.first else { return [] }
        first.text = String(repeating: " ", count: indent) + mark + first.text.dropFirst(indent + 2)
        return [first] + lines.dropFirst()
    }

    private func remark(_ origins: [ValueOrigin]) -> String? {
        origins.isEmpty ? nil : origins.map(words).joined(separator: ", ").printable
    }

    private func words(_ origin: ValueOrigin) -> String {
        switch origin {
        case .place(let range, let uses):
            "\(file):\(range.start.line)"
                + (uses.isEmpty ? "" : ", used in line \(uses.map { "\($0.start.line)" }.joined(separator: ", "))")
        case .byDefault: "default"
        case .variable(let name): "from the environment: \(name)"
        case .unsetVariable(let name): "the default of \(name), which is not set"
        case .file(let path): "from the file \(path)"
        case .kept: "kept as it is written: the value has braces or signs that would be read as something else"
        case .secret: "secret"
        }
    }
}

extension EffectiveValue {
    fileprivate var isOnOneLine: Bool {
        switch content {
        case .scalar: true
        case .list(let elements): elements.isEmpty
        case .mapping(let members): members.isEmpty
        }
    }
}
