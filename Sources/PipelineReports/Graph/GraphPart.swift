internal import Pipeline
import PipelineComposing
internal import PipelineConfig
internal import PipelineJSON

/// A need of a pipeline for another one: a part of its composite, or a link in its values.
package struct GraphPart: Hashable {
    /// An argument, and what it is: `{user}`, or a place in another part or in the value that has the reference.
    struct Argument: Hashable {
        let name: String
        let text: String
        /// The part that it comes from; nil for none.
        var part: String?
        /// The place it comes from; nil for a text.
        var place: String?

        init(_ name: String, _ argument: PartArgument, redactor: Redactor) {
            self.name = name
            switch argument.value {
            case .text(let segments):
                text = redactor.redacted(
                    segments.map { segment in
                        switch segment {
                        case .text(let text): text
                        case .parameter(let name): "{\(name)}"
                        }
                    }.joined())
            case .part(let part, let place): (text, self.part, self.place) = ("\(part)\(place)", part, place.description)
            case .holder(let place): (text, self.place) = (place.description, place.description)
            }
        }

        /// A parameter that passes by itself.
        init(passing name: String) { (self.name, text) = (name, "{\(name)}") }
    }

    /// The member of an object, `merge`, `from`, `to` or `of`; the name of a link.
    let name: String
    /// The place of the part in the composite, or of the references in the value.
    let place: String
    let pipeline: String
    let arguments: [Argument]
    /// The parameter that takes the id of a link; nil for a part, and for a link that leaves it out.
    var parameter: String?
    var select = ""
    var follow: [String] = []
    let isOptional: Bool
    /// The JSON that takes its place; nil for none.
    let defaultText: String?
    var timeout: String?
    /// Indicates whether it is a link: nothing is loaded until it is followed.
    let isLink: Bool
    /// The terms of the part, as fields of the file: a change compares them.
    private(set) var fields: [GraphPolicy] = []
    /// The effect of a change on the part.
    var change: GraphChange?
    /// The position before a change moved or removed it, as an index.
    var formerIndex: Int?
    /// The fields that a change changes.
    var changes: [GraphPolicy] = []

    /// - Parameter passed: the parameters that pass by themselves.
    init(_ role: String, at place: String, _ part: PartConfig, passing passed: [String] = [], redactor: Redactor) {
        let spec = part.spec
        (name, self.place, pipeline, isLink) = (role, place, spec.pipeline, false)
        arguments = (Self.arguments(spec.arguments, redactor) + passed.map { Argument(passing: $0) }).sorted { $0.name < $1.name }
        (select, follow, isOptional) = (spec.select.description, spec.follow.map(\.description), spec.isOptional)
        defaultText = Self.json(spec.defaultValue, redactor)
        timeout = spec.timeout?.written
        fields = fields(
            of: spec.arguments,
            [("select", select.isEmpty ? nil : select), ("follow", follow.isEmpty ? nil : follow.joined(separator: ", "))],
            spec.defaultValue)
    }

    init(_ link: LinkConfig, redactor: Redactor) {
        let spec = link.spec
        (name, place, pipeline, isLink) = (spec.name, spec.place.description, spec.pipeline, true)
        arguments = Self.arguments(spec.arguments, redactor)
        (parameter, isOptional) = (spec.parameter, spec.isOptional)
        defaultText = Self.json(spec.defaultValue, redactor)
        fields = fields(of: spec.arguments, [("at", place), ("parameter", parameter)], spec.defaultValue)
    }

    /// - Parameters:
    ///   - arguments: as they are written, also where they are masked in what is drawn.
    ///   - own: what only a part has, or only a link.
    private func fields(of arguments: [String: PartArgument], _ own: [(String, String?)], _ defaultValue: [UInt8]?) -> [GraphPolicy] {
        let given = self.arguments.map { argument in
            var field = GraphPolicy("with.\(argument.name)", argument.text)
            field.tellApart(by: arguments[argument.name].map { Argument(argument.name, $0, redactor: Redactor()).text } ?? argument.text)
            return field
        }
        let rest = own + [("optional", isOptional ? "true" : nil), ("timeout", timeout)]
        var fields = [GraphPolicy("pipeline", pipeline)] + given
        fields += rest.compactMap { name, value in value.map { GraphPolicy(name, $0) } }
        if let defaultText, let defaultValue {
            var field = GraphPolicy("default", defaultText.shortened)
            field.tellApart(by: String(decoding: defaultValue, as: UTF8.self), shown: defaultText)
            fields.append(field)
        }
        return fields
    }

    private static func arguments(_ arguments: [String: PartArgument], _ redactor: Redactor) -> [Argument] {
        arguments.sorted { $0.key < $1.key }.map { Argument($0.key, $0.value, redactor: redactor) }
    }

    private static func json(_ bytes: [UInt8]?, _ redactor: Redactor) -> String? {
        bytes.map { redactor.redacted(String(decoding: $0, as: UTF8.self)) }
    }

    /// Indicates whether the composite can do without it.
    var isDispensable: Bool { isOptional || defaultText != nil }

    /// The arguments it is called with: `id = {user}`.
    var call: String {
        ((isLink ? [(parameter.map { "\($0) = " } ?? "") + place] : []) + arguments.map { "\($0.name) = \($0.text)" }).joined(
            separator: ", ")
    }

    /// The further terms of the part.
    var conditions: [String] { conditions(without: []) }

    /// The further terms of the part that do not show with its changes.
    var keptConditions: [String] { conditions(without: Set(changes.map(\.name))) }

    /// - Parameter fields: which are left out.
    private func conditions(without fields: Set<String>) -> [String] {
        let all: [(field: String, words: String?)] = [
            ("select", select.isEmpty ? nil : "select \(select)"),
            ("follow", follow.isEmpty ? nil : "follows \(follow.joined(separator: ", "))"),
            ("optional", isOptional ? "optional" : nil), ("default", defaultText.map { "default \($0.shortened)" }),
            ("timeout", timeout.map { "timeout \($0)" }),
        ]
        return all.filter { !fields.contains($0.field) }.compactMap(\.words)
    }

    /// The name under which it is shown: the only part of `of` has no name of its own.
    var shownName: String { isWhole ? pipeline : name }

    /// Indicates whether it is the part of `of`.
    private var isWhole: Bool { !isLink && place.isEmpty && name == Self.wholeRole }

    /// `me: user(id = {user})`.
    var words: String { ([(isWhole ? "" : "\(name): ") + "\(pipeline)(\(call))"] + conditions).joined(separator: ", ") }

    /// The words at a line to its pipeline, which need not name that.
    var label: [String] { [head] + conditions }

    private var head: String { call.isEmpty ? shownName : "\(shownName): \(call)" }

    /// `part me`, `part 2` of a merge, `link author`; then what it leads to. `part user` of `of`, which leads there.
    func title(number: Int) -> String {
        if isWhole { return "part \(pipeline)" }
        return "\(isLink ? "link \(name)" : name == Self.mergeRole ? "part \(number)" : "part \(name)"): \(pipeline)"
    }

    /// The words at a line of a drawing where a change is shown.
    var changedLabel: [String] {
        guard let change else { return label }
        return ["\(change.mark) \(head)"] + keptConditions + [formerPlace].compactMap(\.self) + changes.map(\.words)
    }

    /// `was number 2` of one that a change moves.
    var formerPlace: String? { change == .moved ? formerIndex.map { "was number \($0 + 1)" } : nil }

    /// The name of each part of a merge.
    static let mergeRole = "merge"
    /// The name of the part of `of`.
    static let wholeRole = "of"

    /// The identity of the part among the others, the same from one file to another: its name, of a merge the pipeline and its fields.
    var identity: String { name == Self.mergeRole && !isLink ? pipeline : name }

    /// The part as a sentence.
    var sentence: String {
        let rest = ([call] + conditions).filter { !$0.isEmpty }.joined(separator: ", ")
        let words = rest.isEmpty ? "" : " (\(rest))"
        if isLink { return "\(name) leads to \(pipeline)\(words) when it is followed" }
        return isWhole ? "\(pipeline)\(words)" : "\(name) is \(pipeline)\(words)"
    }
}

extension PipelinePlan {
    /// The parts of the composite, in its order.
    ///
    /// - Parameter targets: finds the pipeline of a part, whose parameters may pass by themselves.
    func graphParts(_ redactor: Redactor, targets: (String) -> PipelinePlan?) -> [GraphPart] {
        guard let combine else { return [] }
        let names: [String] =
            switch combine.spec.shape {
            case .object(let members): members.map(\.name)
            case .merge(let parts, _, _): parts.map { _ in GraphPart.mergeRole }
            case .join: ["from", "to"]
            case .of: [GraphPart.wholeRole]
            }
        let isObject = if case .object = combine.spec.shape { true } else { false }
        return zip(names, combine.parts).map { name, part in
            let taken = targets(part.spec.pipeline)?.parameters.map(\.name) ?? []
            let passed = taken.filter { name in
                part.spec.arguments[name] == nil && parameters.contains { $0.name.utf8.elementsEqual(name.utf8) }
            }
            let place = isObject ? JSONPointer(tokens: [name]).description : ""
            return GraphPart(name, at: place, part, passing: passed, redactor: redactor)
        }
    }
}

extension GraphPipeline {
    /// The tier that is the composite, by its index.
    var composite: Int? { parts.isEmpty ? nil : tiers.firstIndex { $0.source.utf8.elementsEqual("combine".utf8) } }
}

extension GraphModel {
    /// A line from one tier to the pipeline of a part or a link.
    struct PartLine {
        let part: GraphPart
        /// The indexes of the pipeline and its tier.
        let from: (pipeline: Int, tier: Int)
        /// The index of the pipeline; nil if it is not drawn.
        let to: Int?
    }

    /// The lines to parts and links, in the order of the file.
    var partLines: [PartLine] {
        let numbers = Dictionary(pipelines.enumerated().map { ($1.name, $0) }) { first, _ in first }
        return pipelines.enumerated().flatMap { number, pipeline in
            let parts = pipeline.composite.map { tier in
                pipeline.parts.map { PartLine(part: $0, from: (number, tier), to: numbers[$0.pipeline]) }
            }
            let links = pipeline.tiers.isEmpty ? [] : pipeline.links.map { PartLine(part: $0, from: (number, 0), to: numbers[$0.pipeline]) }
            return (parts ?? []) + links
        }
    }

    /// The names of the pipelines that lines lead to and that are not drawn, each once.
    var farPipelines: [String] {
        partLines.filter { $0.to == nil }.map(\.part.pipeline).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
