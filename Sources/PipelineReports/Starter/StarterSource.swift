internal import Pipeline
internal import PipelineConfig

/// One source of the starter file.
struct StarterSource {
    /// What it is for the pipeline, numbered where a type comes twice: `disk`, `disk_2`.
    let name: String
    private let plugin: SourcePlugin
    private let number: Int
    /// Whether other hands fill it, because nothing else does.
    let isReadOnly: Bool

    init(_ plugin: SourcePlugin, number: Int, isReadOnly: Bool = false) {
        self.isReadOnly = isReadOnly
        let base = ["file": "disk", "http": "api"][plugin.name] ?? plugin.name
        name = number == 1 ? base : "\(base)_\(number)"
        self.plugin = plugin
        self.number = number
    }

    /// Whether it can be written.
    var isCache: Bool { plugin.capabilities.contains(.writes) && !isReadOnly }

    /// Whether nothing below it would ever be asked.
    var alwaysAnswers: Bool { plugin.capabilities.contains(.alwaysAnswers) }

    /// Whether a field makes an origin of a cache of this plugin.
    static func canBeReadOnly(_ plugin: SourcePlugin) -> Bool {
        plugin.capabilities.contains(.writes) && plugin.declarations.contains { $0.withdraws.contains(.writes) }
    }

    /// The parameters that its fields name, in the order of the fields.
    var parameters: [String] {
        plugin.declarations.filter { isNeeded($0) && $0.type != .any }.flatMap { Self.placeholders(in: value(of: $0)) }
            .filter { $0 != "key" && $0 != "pipeline" }
    }

    /// Of fields that stand in for each other, the first is shown.
    private func isNeeded(_ field: FieldDeclaration) -> Bool {
        field.isRequired || field.name == plugin.alternatives.first
    }

    /// Its lines: fields that it needs with an example, the others commented out.
    ///
    /// - Parameter isBounded: whether it must not keep everything.
    func lines(isBounded: Bool) -> [String] {
        let bounds = plugin.declarations.filter { $0.role == .bound }
        let bound = isBounded && isCache && bounds.allSatisfy { $0.defaultText == nil } ? bounds.first?.name : nil
        var lines = ["  # \(plugin.summary)", "  \(name):", "    type: \(plugin.name)"]
        for field in plugin.declarations where field.replacement == nil {
            lines.append("    # \(field.documentation)")
            if isReadOnly, field.withdraws.contains(.writes) {
                lines.append("    \(field.name): true")
            } else {
                let isGiven = isNeeded(field) || field.name == bound || isDistinguishing(field)
                lines.append("    \(isGiven ? "" : "# ")\(field.name): \(value(of: field))")
            }
        }
        return lines
    }

    /// Whether what a further source of the type must have of its own stands in this field.
    private func isDistinguishing(_ field: FieldDeclaration) -> Bool {
        number > 1 && field.role == .place && field.defaultText != nil
    }

    private func value(of field: FieldDeclaration) -> String {
        let value = field.example ?? field.defaultText ?? field.type.sample
        if isDistinguishing(field), let text = field.defaultText {
            // Whatever parts the default from what follows it parts the number, too.
            return "\"\(text)\(number)\(text.last.map { $0.isLetter || $0.isNumber ? "" : String($0) } ?? "")\""
        }
        let isInFileSystem = field.type == .path || (field.role == .place && field.type != .url)
        guard isInFileSystem, number > 1, let end = value.firstIndex(of: "/") else { return value }
        // Two sources that write the same place would take each other's copies.
        return value[..<end] + "_\(number)" + value[end...]
    }

    /// The names in braces: `user` of `https://host/{user}`.
    private static func placeholders(in text: String) -> [String] {
        text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
            rest.firstIndex(of: "}").map { String(rest[..<$0]) }
        }
    }
}
