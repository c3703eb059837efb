internal import Pipeline
package import PipelineConfig

/// The reference of each field of a file, from the declarations that it is read by.
package struct FieldReference {
    private let sections: [FieldSection]

    package init(_ plugins: [SourcePlugin]) {
        sections = FieldSection.all(plugins)
    }

    /// Every path that ``text(about:)`` knows, in full: `pipelines.tiers.retry`.
    var paths: [String] {
        sections.flatMap { section in
            (section.path.isEmpty ? [] : [section.name]) + section.fields.map { (section.path + [$0.name]).joined(separator: ".") }
        }
        .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The end of each path, as people write it: `tiers.retry`, `retry`.
    package var shortPaths: [String] {
        let parts = paths.map { $0.split(separator: ".") }
        let short = parts.flatMap { path in path.indices.map { path[$0...].joined(separator: ".") } }
        return short.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The text about the fields and mappings whose paths end with `path`; nil if there are none.
    package func text(about path: String) -> String? {
        let words = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        func isMeant(_ path: [String]) -> Bool { path.count >= words.count && path.suffix(words.count) == words[...] }
        var texts: [String] = []
        for section in sections {
            for field in section.fields where isMeant(section.path + [field.name]) { texts.append(text(field, in: section)) }
            // The variants of a source have no field of their own.
            if isMeant(section.path), !hasField(for: section) { texts.append(text(section)) }
        }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    private func hasField(for section: FieldSection) -> Bool {
        sections.contains { other in other.fields.contains { other.path + [$0.name] == section.path } }
    }

    private func text(_ field: FieldDeclaration, in section: FieldSection) -> String {
        let path = section.path + [field.name]
        let inner = sections.first { $0.path == path }
        var text = "\(path.joined(separator: "."))  (\(field.conditions))\n" + field.documentation.paragraph(indentedBy: 4)
        if let example = field.example { text += "    for example: \(example)\n" }
        if let replacement = field.replacement { text += "    deprecated: use `\(replacement)`\n" }
        return text + note(on: path) + list(of: inner?.fields ?? [])
            + variants(below: path)
    }

    private func text(_ section: FieldSection) -> String {
        var text = "\(section.name)\n" + section.summary.paragraph(indentedBy: 4)
        if !section.capabilities.isEmpty { text += section.capabilities.joined(separator: ", ").paragraph(indentedBy: 4) }
        if !section.alternatives.isEmpty {
            text += "needs exactly one of \(section.alternatives.joined(separator: ", "))".paragraph(indentedBy: 4)
        }
        return text + note(on: section.path) + list(of: section.fields)
    }

    private func note(on path: [String]) -> String {
        ReferenceText.on(path).map { "\n" + $0.paragraph(indentedBy: 4) } ?? ""
    }

    private func list(of fields: [FieldDeclaration]) -> String {
        fields.map { "\n  \($0.name)  (\($0.conditions))\n" + $0.documentation.paragraph(indentedBy: 6) }.joined()
    }

    private func variants(below path: [String]) -> String {
        let variants = sections.filter { $0.path.count == path.count + 1 && $0.path.starts(with: path) && !hasField(for: $0) }
        return variants.map { "\n  \($0.path.last ?? "")\n" + $0.summary.paragraph(indentedBy: 6) }.joined()
    }
}

extension FieldReference {
    /// All of it as a Markdown document.
    package var markdown: String {
        var listed: [[FieldDeclaration]: String] = [:]
        var repeated: [[String]] = []
        let parts = sections.compactMap { section -> String? in
            if repeated.contains(where: { section.path.starts(with: $0) }) { return nil }
            if section.path.first == "pipelines", section.fields.count > 3 {
                if let first = listed[section.fields] {
                    repeated.append(section.path)
                    return "## `\(section.name)`\n\n\(section.summary) Its fields are those of `\(first)`."
                }
                listed[section.fields] = section.name
            }
            let title = section.path.isEmpty ? "" : "## `\(section.name)`\n\n\(section.summary)"
            let facts = [
                section.capabilities.isEmpty ? nil : "It \(section.capabilities.joined(separator: ", ")).",
                section.alternatives.isEmpty
                    ? nil : "Exactly one of \(section.alternatives.map { "`\($0)`" }.joined(separator: ", ")) is given.",
            ].compactMap { $0 }.joined(separator: " ")
            return [title, facts, ReferenceText.on(section.path) ?? "", table(of: section)].filter { !$0.isEmpty }.joined(separator: "\n\n")
        }
        return ([ReferenceText.introduction] + parts + [ReferenceText.policies]).joined(separator: "\n\n") + "\n"
    }

    private func table(of section: FieldSection) -> String {
        guard !section.fields.isEmpty else { return "It has no fields." }
        let rows = section.fields.map { field in
            let example = field.example.map { " For example `\($0)`." } ?? ""
            let old = field.replacement.map { " Deprecated: use `\($0)`." } ?? ""
            let note = ReferenceText.on(section.path + [field.name]).flatMap { note in
                sections.contains { $0.path == section.path + [field.name] } ? nil : " \(note)"
            }
            let need = field.need.map { " Needs `\($0.field)`." } ?? ""
            let meaning = field.documentation + need + (note ?? "") + example + old
            let cells = [
                "`\(field.name)`", field.type.name, field.bounds?.words ?? "",
                field.isRequired
                    ? "required" : field.alternative.map { "required without `\($0)`" } ?? field.writtenDefault.map { "`\($0)`" } ?? "",
                meaning,
            ]
            return "| " + cells.map { $0.replacing("|", with: "\\|").replacing("\n", with: " ") }.joined(separator: " | ") + " |"
        }
        return (["| field | type | range | default | meaning |", "|---|---|---|---|---|"] + rows).joined(separator: "\n")
    }
}

extension FieldDeclaration {
    /// The default of the field as it is written; nil if there is none.
    fileprivate var writtenDefault: String? { defaultText.map { $0.isEmpty ? "\"\"" : $0 } }

    /// The type of the field, whether it must be given, and its bounds: `duration, default 1s`.
    var conditions: String {
        [
            type.name, isRequired ? "required" : alternative.map { "required without \($0)" }, writtenDefault.map { "default \($0)" },
            need.map { "needs \($0.field)" }, rangeText,
        ]
        .compactMap { $0 }.joined(separator: ", ")
    }
}

extension String {
    /// The greatest number of columns of a line.
    private static let widest = 100

    /// The text in lines of at most 100 columns, where its words allow that, each indented and ended.
    fileprivate func paragraph(indentedBy indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        return split(separator: "\n").flatMap { Self.lines($0, of: Self.widest - indent) }.map { "\(margin)\($0)\n" }.joined()
    }

    private static func lines(_ text: Substring, of width: Int) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}

/// A mapping of the file, and the fields that stand in it: `pipelines.tiers.retry`.
struct FieldSection {
    /// The path of the section, without the names that the user chooses.
    let path: [String]
    /// The meaning of the section, in a sentence; empty for the file itself.
    let summary: String
    let fields: [FieldDeclaration]
    /// The capabilities of the section, for a source.
    var capabilities: [String] = []
    /// Fields of which exactly one is given.
    var alternatives: [String] = []

    var name: String { path.joined(separator: ".") }

    /// Every mapping of a file, with the sources of `plugins`; each before those that stand in it.
    static func all(_ plugins: [SourcePlugin]) -> [FieldSection] {
        let file = FieldSection(path: [], summary: "", fields: RunnerConfig.declarations(plugins: plugins))
        return [file]
            + file.inner.map { section in
                guard section.path.count == 2, section.path[0] == "sources",
                    let plugin = plugins.first(where: { $0.name == section.path[1] })
                else { return section }
                var section = section
                section.capabilities = plugin.capabilities.names
                return section
            }
    }

    private var inner: [FieldSection] {
        fields.flatMap { field in
            field.type.mappings.flatMap { mapping in
                let section = FieldSection(
                    path: path + [field.name] + (mapping.variant.map { [$0.name] } ?? []),
                    summary: mapping.variant?.documentation ?? field.documentation, fields: mapping.fields,
                    alternatives: mapping.oneOf)
                return [section] + section.inner
            }
        }
    }
}

extension FieldType {
    /// The mappings with fields of their own that a value of the type can be, or can hold.
    fileprivate var mappings: [(variant: FieldVariant?, fields: [FieldDeclaration], oneOf: [String])] {
        switch self {
        case .object(let fields, let oneOf): [(nil, fields, oneOf)]
        case .variants(_, let variants): variants.map { ($0, $0.declarations, $0.alternatives) }
        case .list(let element, _): element.mappings
        case .map(let value, _, _): value.mappings
        case .either(let types): types.flatMap(\.mappings)
        default: []
        }
    }
}
