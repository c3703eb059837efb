internal import Pipeline
internal import PipelineConfig

/// One source of the starter file.
struct StarterSource {
    /// The name by what it is for the pipeline, numbered where a type comes twice: `disk`, `disk_2`.
    let name: String
    private let plugin: SourcePlugin
    private let number: Int
    /// Indicates whether other programs fill it, because nothing else does.
    let isReadOnly: Bool

    init(_ plugin: SourcePlugin, number: Int, isReadOnly: Bool = false) {
        self.isReadOnly = isReadOnly
        let base = ["file": "disk", "http": "api"][plugin.name] ?? plugin.name
        name = number == 1 ? base : "\(base)_\(number)"
        self.plugin = plugin
        self.number = number
    }

    /// Indicates whether it reports changes, and is asked for no value.
    var tellsOfChanges: Bool { plugin.capabilities.contains(.emitsChanges) }

    /// Indicates whether it is an outbox: without a send it has nothing to keep.
    var keepsSends: Bool { plugin.capabilities.contains(.keepsSends) }

    /// Indicates whether it can be a tier.
    var mayHoldValues: Bool { !tellsOfChanges && !keepsSends }

    /// Indicates whether its messages can be merged.
    var hasContents: Bool { tellsOfChanges && !plugin.capabilities.contains(.signalsOnly) }

    /// Indicates whether it can be written.
    var isCache: Bool { plugin.capabilities.contains(.writes) && !isReadOnly }

    /// Indicates whether nothing below it would ever be asked.
    var alwaysAnswers: Bool { plugin.capabilities.contains(.alwaysAnswers) }

    /// Indicates whether sources of `plugin` give values of their own.
    static func isOrigin(_ plugin: SourcePlugin) -> Bool {
        plugin.capabilities.isDisjoint(with: [.writes, .emitsChanges, .keepsSends])
    }

    /// Indicates whether a field makes an origin of a cache of this plugin.
    static func canBeReadOnly(_ plugin: SourcePlugin) -> Bool {
        plugin.capabilities.contains(.writes) && plugin.declarations.contains { $0.role == .readOnly }
    }

    /// The parameters that its fields name, in the order of the fields.
    var parameters: [String] {
        plugin.declarations.filter { isNeeded($0) && $0.type != .any }.flatMap { Self.placeholders(in: value(of: $0)) }
            .filter { $0 != "key" && $0 != "pipeline" }
    }

    /// Indicates whether a field is shown: of fields that stand in for each other, the first is.
    private func isNeeded(_ field: FieldDeclaration) -> Bool {
        field.isRequired || field.name == plugin.alternatives.first
    }

    /// The lines of the source: fields that it needs with an example, the others commented out.
    ///
    /// - Parameter parameters: the parameters of the pipeline: with any, a cache must not keep everything.
    func lines(parameters: [String]) -> [String] {
        let bounds = plugin.declarations.filter { $0.role == .bound }
        let bound = !parameters.isEmpty && isCache && bounds.allSatisfy { $0.defaultText == nil } ? bounds.first?.name : nil
        var lines = ["  # \(plugin.summary)", "  \(name):", "    type: \(plugin.name)"]
        for field in plugin.declarations where field.replacement == nil {
            lines.append("    # \(field.documentation)")
            if isReadOnly, field.role == .readOnly {
                lines.append("    \(field.name): true")
            } else {
                let isGiven = isNeeded(field) || field.name == bound || isDistinguishing(field)
                lines.append("    \(isGiven ? "" : "# ")\(field.name): \(value(of: field, knowing: parameters))")
            }
        }
        return keepsSends ? lines.map { $0.hasPrefix("  # ") ? $0 : "  #" + $0.dropFirst() } : lines
    }

    /// Indicates whether what a further source of the type must have of its own stands in this field.
    private func isDistinguishing(_ field: FieldDeclaration) -> Bool {
        number > 1 && [.place, .keyPrefix].contains(field.role) && field.defaultText != nil
    }

    /// The value, without parameters that the pipeline has not: those of a change source must be used by an origin.
    private func value(of field: FieldDeclaration, knowing parameters: [String]) -> String {
        let value = value(of: field)
        guard tellsOfChanges, field.type != .any else { return value }
        return Self.placeholders(in: value).filter { !(parameters + ["key", "pipeline"]).contains($0) && Identifier.isValid($0) }
            // A variable, `${NAME}`, is no parameter.
            .reduce(value) { text, name in
                text.replacing("${\(name)}", with: "$\u{0}").replacing("{\(name)}", with: "42").replacing("$\u{0}", with: "${\(name)}")
            }
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
