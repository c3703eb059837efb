internal import Pipeline
package import PipelineConfig

/// The description of a plugin, from its declarations.
package enum PluginPrinter {
    package static func text(_ plugin: SourcePlugin) -> String {
        var text = "\(plugin.name): \(plugin.summary)\n\(plugin.capabilities.names.joined(separator: ", "))\n"
        if !plugin.alternatives.isEmpty {
            text += "needs exactly one of \(plugin.alternatives.map { "`\($0)`" }.joined(separator: ", "))\n"
        }
        for field in plugin.declarations { text += "\n" + self.text(field, indent: "  ") }
        return text
    }

    private static func text(_ field: FieldDeclaration, indent: String) -> String {
        let conditions = [
            field.isRequired ? "required" : nil,
            field.defaultText.map { "default \($0)" },
            field.rangeText,
        ].compactMap { $0 }
        var text = "\(indent)\(field.name)  \(([field.type.name] + conditions).joined(separator: ", "))\n"
        text += "\(indent)    \(field.documentation)\n"
        if let example = field.example { text += "\(indent)    for example: \(example)\n" }
        if let replacement = field.replacement { text += "\(indent)    deprecated: use `\(replacement)`\n" }
        if field.role == .readOnly {
            text += "\(indent)    when true, it no longer writes\n"
        }
        if case .object(let fields, _) = field.type {
            for inner in fields { text += self.text(inner, indent: indent + "    ") }
        }
        return text
    }
}
