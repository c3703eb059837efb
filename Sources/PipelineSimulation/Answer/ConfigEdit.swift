internal import Pipeline
package import PipelineConfig
package import PipelineYAML

/// An edit of a configuration's text that gives a field another value; everything else stays as it is written.
package enum ConfigEdit {
    /// The reason why a field cannot be given another value.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
        package let help: String?
    }

    /// `file` with another value of the field that `path` names: `memory.ttl` of the tier `memory` of the pipeline, `memory.max_entries` of the
    /// source, `stale_if_error` of the pipeline. Where a tier and its source can have a field of one name, it is the tier's: a simulation goes by
    /// that. `none` takes a field away, unless it is one of the field's values, as of `ttl`.
    ///
    /// Throws ``Problem`` also where the text that would change says something else, too, by an alias or a merge.
    package static func setting(_ path: String, to value: String, in file: ConfigFile, pipeline: String, plan: Plan) throws -> ConfigFile {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let root = file.root, (1...2).contains(parts.count), !parts.contains("") else {
            throw Problem(
                description: "`\(path)` is no field to vary", help: "write SOURCE.FIELD, as `memory.ttl`, or a field of the pipeline")
        }
        let field = parts[parts.count - 1]
        let (place, fields) = try place(of: parts, pipeline: pipeline, plan: plan, root)
        guard let node = root.node(at: place) else { throw Problem(description: "the file has no place for `\(field)`", help: nil) }
        let isRemoved = value == "none" && fields.contains { $0.name == field && !$0.type.offers(value) }
        let replacement = try isRemoved ? removing(field, from: node, of: file) : setting(field, to: value, in: node, of: file)
        guard let replacement else { return file }
        let edited = file.with(TextEdit.applied([TextFix([replacement], summary: "")], to: file.text).text)
        // Without an alias nothing is said twice.
        guard file.text.contains(UInt8(ascii: "*")),
            let changed = edited.root.flatMap({ root.place(differingFrom: $0, besides: place + [field]) })
        else { return edited }
        let shared = root.shared(on: changed) ?? root.shared(on: place + [field]) ?? node.range
        throw Problem(
            description: """
                `\(path)` of `\(pipeline)` cannot be varied alone: `\(changed.joined(separator: "."))` has it from the same lines, at \
                \(file.name):\(shared.start.line):\(shared.start.column)
                """,
            help: "write `\(field)` where it is used, without an anchor, an alias or `<<`")
    }

    /// The keys on the way to what has the field, and the fields that it can have; an element of a list is its number.
    private static func place(
        of parts: [String], pipeline: String, plan: Plan, _ root: ConfigNode
    ) throws -> (keys: [String], fields: [FieldDeclaration]) {
        guard parts.count == 2 else { return (["pipelines", pipeline], DeclaredPipeline.fieldType.fieldsWithin) }
        let plan = try plan.pipeline(pipeline)
        guard let source = plan.tiers.first(where: { $0.source.name == parts[0] })?.source else {
            let known = plan.tiers.map(\.source.name)
            throw Problem(
                description: "the pipeline `\(pipeline)` has no source `\(parts[0])`",
                help: NearestName.help(for: parts[0], among: known, noun: "sources"))
        }
        let field = TierField(rawValue: parts[1])
        let isOfSource = source.fieldNames.contains(parts[1]) && field == nil
        if isOfSource { return (["sources", parts[0]], source.declarations) }
        let tiers = ["pipelines", pipeline, "tiers"]
        if case .sequence(let elements)? = root.node(at: tiers)?.target.content,
            let index = elements.firstIndex(where: {
                $0.target.scalarText == parts[0] || $0.node(at: ["source"])?.target.scalarText == parts[0]
            })
        {
            return (tiers + ["\(index)"], TierConfig.fieldType.fieldsWithin)
        }
        guard source.isComposite else { throw Problem(description: "the tier `\(parts[0])` is not written in the file", help: nil) }
        if field?.isOfCopies == true {
            throw Problem(description: "`\(parts[0])` is an origin here, and has no `\(parts[1])`", help: "vary that of a cache")
        }
        throw Problem(
            description: "the tier `\(parts[0])` is not written in the file", help: "write it below `tiers` to give it `\(parts[1])`")
    }

    /// The lines of a field, or its part of a line, with nothing in their place; nil if the file does not say it.
    private static func removing(_ field: String, from node: ConfigNode, of file: ConfigFile) throws -> TextFix.Replacement? {
        guard case .mapping(let members) = node.target.content, let member = members.last(where: { $0.key == field }) else { return nil }
        guard member.merges.isEmpty, case .mapping = node.content else {
            let start = member.keyRange.start
            throw Problem(
                description:
                    """
                    `\(field)` at \(file.name):\(start.line):\(start.column) is used by an alias or `<<`, and cannot be taken away
                    """,
                help: "write `\(field)` where it is used, without an anchor, an alias or `<<`")
        }
        let (start, end) = (member.keyRange.start, member.value.range.end)
        let starts = members.map { ($0.merges.first ?? $0.keyRange).start }
        let next = starts.filter { start < $0 && $0 < node.range.end }.min()
        let isFlow = isFlow(node, of: file)
        if isFlow, next == nil {
            // The comma before it goes, too, unless a `<<` stands there, whose end nothing says.
            let last = starts.filter { $0 < start }.max()
            let previous = members.first { $0.keyRange.start == last && $0.merges.isEmpty }?.value.range.end ?? start
            return TextFix.Replacement(TextRange(previous, end), with: "")
        }
        let isFirstOfLine = !isFlow && file.lines[start.line].unicodeScalars.prefix(start.column - 1).allSatisfy { $0 == " " }
        guard isFirstOfLine else { return TextFix.Replacement(TextRange(start, next ?? end), with: next == nil ? "{}" : "") }
        // The end of some blocks is the start of the line after them.
        let last = end.column == 1 && end.line > start.line ? end.line - 1 : end.line
        let after =
            last < file.lines.count
            ? TextPosition(line: last + 1, column: 1) : TextPosition(line: last, column: file.lines.scalarCount(ofLine: last) + 1)
        return TextFix.Replacement(TextRange(TextPosition(line: start.line, column: 1), after), with: "")
    }

    /// Indicates whether the members of a mapping stand in braces.
    private static func isFlow(_ node: ConfigNode, of file: ConfigFile) -> Bool {
        file.lines[node.range.start.line].dropFirst(node.range.start.column - 1).withoutProperties.first == "{"
    }

    private static func setting(_ field: String, to value: String, in node: ConfigNode, of file: ConfigFile) throws -> TextFix.Replacement {
        // What an alias stands for is also what others have; here it can be said once more, with another value.
        if case .alias(let target) = node.content {
            let (start, end) = (node.range.start, node.range.end)
            let alias = file.lines.scalars(ofLine: start.line, start.column - 1..<end.column - 1).map { "\($0)" }.joined()
            let base = if case .mapping = target.target.content { "<<" } else { "source" }
            return TextFix.Replacement(node.range, with: "{ \(base): \(alias), \(field): \(value) }")
        }
        guard case .mapping(let members) = node.content else {
            guard let name = node.scalarText else { throw Problem(description: "the file has no place for `\(field)`", help: nil) }
            return TextFix.Replacement(node.range, with: "{ source: \(name), \(field): \(value) }")
        }
        if let member = members.last(where: { $0.key == field }), member.merges.isEmpty {
            return TextFix.Replacement(member.value.range, with: value)
        }
        // A mapping may have nothing of its own but a `<<`.
        let starts = members.map { ($0.merges.first ?? $0.keyRange).start }
        guard let start = starts.filter({ node.range.start <= $0 && $0 < node.range.end }).min() else {
            throw Problem(description: "the file has no place for `\(field)`", help: nil)
        }
        if isFlow(node, of: file) {
            return TextFix.Replacement(TextRange(start, start), with: "\(field): \(value), ")
        }
        let indentation = String(repeating: " ", count: max(0, start.column - 1))
        return TextFix.Replacement(TextRange(start, start), with: "\(field): \(value)\n" + indentation)
    }
}

extension Substring {
    /// The text after the anchor and the tag at its beginning.
    fileprivate var withoutProperties: Substring {
        guard let first, first == "&" || first == "!" else { return self }
        return drop { $0 != " " }.drop { $0 == " " }.withoutProperties
    }
}

extension ConfigNode {
    /// The node that these keys lead to, aliases on the way followed; the key of an element of a list is its number.
    fileprivate func node(at path: [String]) -> ConfigNode? {
        path.reduce(Optional(self)) { $0?.value(of: $1)?.node }
    }

    private func value(of key: String) -> (node: ConfigNode, isMerged: Bool)? {
        switch target.content {
        case .mapping(let members): members.last { $0.key == key }.map { (node: $0.value, isMerged: !$0.merges.isEmpty) }
        case .sequence(let elements): Int(key).flatMap { elements.indices.contains($0) ? (node: elements[$0], isMerged: false) : nil }
        case .scalar, .alias: nil
        }
    }

    /// The place of the text that is used on this way by an alias or a merge; nil if all of it is written there.
    fileprivate func shared(on path: [String]) -> TextRange? {
        var node = self
        for key in path {
            if case .alias = node.content { return node.target.range }
            guard let (value, isMerged) = node.value(of: key) else { return nil }
            if isMerged { return value.target.range }
            node = value
        }
        if case .alias = node.content { return node.target.range }
        return nil
    }

    /// The way to the first value that is another one in `other`; nil if there is none but that at `field`.
    fileprivate func place(differingFrom other: ConfigNode, besides field: [String], at path: [String] = []) -> [String]? {
        let isOfField = path.count + 1 == field.count && field.starts(with: path)
        switch (target.content, other.target.content) {
        case (.scalar(let old), .scalar(let new)): return old.text == new.text && old.isPlain == new.isPlain ? nil : path
        case (.sequence(let old), .sequence(let new)):
            guard old.count == new.count else { return path }
            for (index, pair) in zip(old, new).enumerated() {
                if let place = pair.0.place(differingFrom: pair.1, besides: field, at: path + ["\(index)"]) { return place }
            }
            return nil
        case (.mapping(var old), .mapping(var new)):
            if isOfField {
                old.removeAll { $0.key == field.last }
                new.removeAll { $0.key == field.last }
            }
            guard old.count == new.count else { return path }
            for (old, new) in zip(old, new) {
                guard old.key == new.key else { return path }
                if let place = old.value.place(differingFrom: new.value, besides: field, at: path + [old.key]) { return place }
            }
            return nil
        // A tier that was a name has fields now.
        case (.scalar, .mapping): return isOfField ? nil : path
        default: return path
        }
    }
}
