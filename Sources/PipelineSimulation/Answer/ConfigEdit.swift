internal import Pipeline
package import PipelineConfig
package import PipelineYAML

/// An edit of a configuration's text that gives a field another value; everything else stays as it is written.
package enum ConfigEdit {
    /// Why a field cannot be given another value.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
        package let help: String?
    }

    /// `file` with another value of the field that `path` names: `memory.ttl` of the tier `memory` of the pipeline, `memory.max_entries` of the
    /// source, `stale_if_error` of the pipeline. Where a tier and its source can have a field of one name, it is the tier's: a simulation goes by
    /// that.
    package static func setting(_ path: String, to value: String, in file: ConfigFile, pipeline: String, plan: Plan) throws -> ConfigFile {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let root = file.root, (1...2).contains(parts.count), !parts.contains("") else {
            throw Problem(
                description: "`\(path)` is no field to vary", help: "write SOURCE.FIELD, as `memory.ttl`, or a field of the pipeline")
        }
        let places = [["pipelines", pipeline]]
        guard parts.count == 2 else { return try setting(parts[0], to: value, at: places, in: file, root) }
        let plan = try plan.pipeline(pipeline)
        guard let source = plan.tiers.first(where: { $0.source.name == parts[0] })?.source else {
            let known = plan.tiers.map(\.source.name)
            throw Problem(
                description: "the pipeline `\(pipeline)` has no source `\(parts[0])`",
                help: NearestName.help(for: parts[0], among: known, noun: "sources"))
        }
        let isOfSource = source.fieldNames.contains(parts[1]) && !TierConfig.policyNames.contains(parts[1])
        if isOfSource { return try setting(parts[1], to: value, at: [["sources", parts[0]]], in: file, root) }
        guard let tiers = root.member("pipelines")?.member(pipeline)?.member("tiers"), case .sequence(let elements) = tiers.target.content,
            let tier = elements.first(where: { $0.target.scalarText == parts[0] || $0.member("source")?.target.scalarText == parts[0] })
        else {
            guard source.isComposite else { throw Problem(description: "the tier `\(parts[0])` is not written in the file", help: nil) }
            if ofCopies.contains(parts[1]) {
                throw Problem(description: "`\(parts[0])` is an origin here, and has no `\(parts[1])`", help: "vary that of a cache")
            }
            throw Problem(
                description: "the tier `\(parts[0])` is not written in the file", help: "write it below `tiers` to give it `\(parts[1])`")
        }
        return try replacing(setting(parts[1], to: value, in: tier, of: file), in: file)
    }

    /// The fields of tiers that say how copies are kept: only caches have them.
    private static let ofCopies: Set<String> = ["ttl", "jitter", "debounce", "max_delay", "write"]

    private static func setting(
        _ field: String, to value: String, at paths: [[String]], in file: ConfigFile, _ root: ConfigNode
    ) throws -> ConfigFile {
        for path in paths {
            if let node = path.reduce(Optional(root), { $0?.member($1) }) {
                return try replacing(setting(field, to: value, in: node, of: file), in: file)
            }
        }
        throw Problem(description: "the file has no place for `\(field)`", help: nil)
    }

    private static func replacing(_ replacement: TextFix.Replacement, in file: ConfigFile) throws -> ConfigFile {
        file.with(TextEdit.applied([TextFix([replacement], summary: "")], to: file.text).text)
    }

    private static func setting(_ field: String, to value: String, in node: ConfigNode, of file: ConfigFile) throws -> TextFix.Replacement {
        if case .alias = node.content {
            throw Problem(description: "`\(field)` is behind an alias", help: "vary a field that is written where it is used")
        }
        guard case .mapping(let members) = node.content else {
            guard let name = node.scalarText else { throw Problem(description: "the file has no place for `\(field)`", help: nil) }
            return TextFix.Replacement(node.range, with: "{ source: \(name), \(field): \(value) }")
        }
        if let member = members.last(where: { $0.key == field }), member.merges.isEmpty {
            return TextFix.Replacement(member.value.range, with: value)
        }
        guard let first = members.first(where: { $0.merges.isEmpty }) else {
            throw Problem(description: "the file has no place for `\(field)`", help: nil)
        }
        let start = first.keyRange.start
        if file.lines[node.range.start.line].dropFirst(node.range.start.column - 1).first == "{" {
            return TextFix.Replacement(TextRange(start, start), with: "\(field): \(value), ")
        }
        let indentation = String(repeating: " ", count: max(0, start.column - 1))
        return TextFix.Replacement(TextRange(start, start), with: "\(field): \(value)\n" + indentation)
    }
}

extension ConfigNode {
    /// The value of the member called `name`, aliases followed.
    fileprivate func member(_ name: String) -> ConfigNode? {
        guard case .mapping(let members) = target.content else { return nil }
        return members.last { $0.key == name }?.value
    }
}
