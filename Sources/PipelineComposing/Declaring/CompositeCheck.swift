package import Pipeline
import PipelineLive
internal import PipelineJSON

/// Checks that pipelines can be made from each other, before anything is loaded.
package struct CompositeCheck {
    /// The facts that are known of a pipeline.
    package struct Subject: Sendable {
        package let name: String
        package let parameters: [ParameterSpec]
        package let format: PayloadFormat
        package let combine: CompositeSpec?
        package let links: [LinkSpec]
        fileprivate let parameterNames: Set<ExactName>

        package init(_ name: String, parameters: [ParameterSpec], format: PayloadFormat, combine: CompositeSpec?, links: [LinkSpec]) {
            (self.name, self.parameters, self.format) = (name, parameters, format)
            (self.combine, self.links) = (combine, links)
            parameterNames = Set(parameters.map { ExactName($0.name) })
        }

        fileprivate var spec: PipelineSpec { PipelineSpec(name, parameters: parameters, tiers: [], links: links) }
    }

    /// A place in a pipeline.
    package enum Spot: Sendable, Hashable {
        case combine
        case part(Int)
        case argument(Int, String)
        case argumentValue(Int, String)
        case follow(Int, Int)
        case link(Int)
        case linkArgument(Int, String)
        case linkArgumentValue(Int, String)
    }

    /// Something that cannot be.
    package struct Finding: Sendable {
        package enum Kind: Sendable {
            case undefinedPipeline, argument, cycle, undefinedPart, bound, place, format
        }

        package let kind: Kind
        package let pipeline: String
        package let spot: Spot
        package let message: String
        /// A name that means nothing, and what it could be. It is compared where it is asked for: there may be very many.
        package var word: (text: String, known: [String], noun: String)?
        /// The advice if ``word`` has nothing to say.
        package var advice: String?
        /// The advice: the nearest name, else the known ones.
        package var help: String? {
            word.flatMap { NearestName.help(for: $0.text, among: knownNames, noun: $0.noun) } ?? advice
        }
        /// The names that ``word`` could be: no pipeline is a part of itself.
        package var knownNames: [String] {
            guard let word else { return [] }
            guard kind == .undefinedPipeline, case .part = spot else { return word.known }
            return word.known.filter { !$0.hasSameBytes(as: pipeline) }
        }
        /// The other places of a cycle.
        package var related: [(pipeline: String, spot: Spot, message: String)] = []
    }

    private let subjects: [Subject]
    private let names: [String]
    private let byName: [ExactName: Subject]
    private var findings: [Finding] = []

    package init(_ subjects: [Subject]) {
        self.subjects = subjects
        names = subjects.map(\.name)
        byName = Dictionary(subjects.map { (ExactName($0.name), $0) }) { first, _ in first }
    }

    init(_ specs: [PipelineSpec]) {
        self.init(
            specs.map { Subject($0.name, parameters: $0.parameters, format: $0.policy.format, combine: $0.combine, links: $0.links) })
    }

    /// Throws the first finding.
    func check() throws(UsageError) {
        if let first = all.first { throw .composite(first.message, pipeline: first.pipeline) }
    }

    /// Everything that cannot be, in the order of the pipelines; cycles come last.
    package var all: [Finding] {
        if subjects.allSatisfy({ $0.combine == nil && $0.links.isEmpty }) { return [] }
        var check = self
        for subject in subjects {
            var links: Set<ExactName> = []
            for (index, link) in subject.links.enumerated() {
                if !links.insert(ExactName(link.name)).inserted {
                    check.add(.bound, subject, .link(index), "two links are called `\(link.name.shortened)`")
                }
                check.check(link, at: index, of: subject)
            }
            if let combine = subject.combine { check.check(combine, of: subject) }
        }
        check.findCycles()
        return check.findings
    }

    /// The names of the pipelines whose values are in the composite.
    package static func combinedPipelines(_ combine: CompositeSpec?, links: (String) -> [LinkSpec]) -> Set<String> {
        Set(combine?.usedPipelines(links: links).map(\.name) ?? [])
    }
}

extension CompositeCheck {
    private mutating func add(
        _ kind: Finding.Kind, _ subject: Subject, _ spot: Spot, _ message: String,
        word: (text: String, known: [String], noun: String)? = nil,
        help: String? = nil
    ) {
        findings.append(Finding(kind: kind, pipeline: subject.name, spot: spot, message: message, word: word, advice: help))
    }

    private mutating func target(_ name: String, of subject: Subject, at spot: Spot) -> Subject? {
        if let target = byName[ExactName(name)] { return target }
        add(
            .undefinedPipeline, subject, spot, "undefined pipeline `\(name.shortened)`",
            word: (name, names, "pipelines"))
        return nil
    }

    private mutating func check(_ combine: CompositeSpec, of subject: Subject) {
        let parts = combine.partSpecs
        if parts.isEmpty { add(.bound, subject, .combine, "a composite has at least one part") }
        if parts.count > CompositeSpec.mostParts {
            add(
                .bound, subject, .combine, "\(parts.count) parts, and no more than \(CompositeSpec.mostParts) are allowed")
            return
        }
        let isObject = if case .object = combine.shape { true } else { false }
        let names = isObject ? parts.map(\.name) : []
        var known: Set<ExactName> = []
        for (index, name) in names.enumerated() where !known.insert(ExactName(name)).inserted {
            add(.bound, subject, .part(index), "two parts are called `\(name.shortened)`")
        }
        for (index, (_, part)) in parts.enumerated() { check(part, at: index, of: subject, names: names) }
        checkShape(of: combine, of: subject)
        findWaiting(parts.map(\.spec), names: names, of: subject)
        if combine.concurrency < 1 { add(.bound, subject, .combine, "concurrency must be at least 1") }
        if combine.max < 1 { add(.bound, subject, .combine, "max must be at least 1") }
        if combine.maxSize.bytes < 1 { add(.bound, subject, .combine, "max_size must be at least 1 byte") }
    }

    /// What can never be merged or joined.
    private mutating func checkShape(of combine: CompositeSpec, of subject: Subject) {
        let verb: String
        switch combine.shape {
        case .object, .of: return
        case .merge: verb = "merged"
        case .join: verb = "joined"
        }
        for (index, (_, part)) in combine.partSpecs.enumerated() where byName[ExactName(part.pipeline)]?.format == .text {
            add(
                .format, subject, .part(index), "`\(part.pipeline.shortened)` has the format text, which cannot be \(verb)",
                help: "only lists and objects of the format json can be")
        }
        if case .merge(let parts, by: nil, _) = combine.shape { checkMembers(of: parts, of: subject) }
    }

    /// What is merged has each member once. Of parts that are objects made from others, the members are known.
    private mutating func checkMembers(of parts: [PartSpec], of subject: Subject) {
        var owners: [ExactName: String] = [:]
        for (index, part) in parts.enumerated() where part.select.tokens.isEmpty {
            for member in byName[ExactName(part.pipeline)]?.combine?.members ?? [] {
                guard let owner = owners.updateValue(part.pipeline, forKey: ExactName(member)) else { continue }
                add(
                    .bound, subject, .part(index),
                    "the member `\(member.shortened)` is in `\(owner.shortened)` and in `\(part.pipeline.shortened)`",
                    help: "have it in one of them, or make an `object` of both")
            }
        }
    }

    private mutating func check(_ part: PartSpec, at index: Int, of subject: Subject, names: [String]) {
        guard let target = target(part.pipeline, of: subject, at: .part(index)) else { return }
        if target.format == .bytes {
            add(.format, subject, .part(index), "`\(target.name)` has the format bytes, which cannot be a part", help: "use json or text")
        }
        if target.format == .text, !part.select.tokens.isEmpty {
            add(
                .format, subject, .part(index), "`\(target.name.shortened)` has the format text, in which there is nothing to select",
                help: "remove `select`, or give `\(target.name.shortened)` the format json")
        }
        for (name, argument) in part.arguments.sorted(by: { $0.key < $1.key }) {
            let spot = Spot.argument(index, name)
            let value = Spot.argumentValue(index, name)
            check(name, argument, for: target, of: subject, at: spot, value)
            if case .holder = argument.value {
                add(
                    .argument, subject, value, "`at` alone stands in links, not in parts",
                    help: "say of which part: `{ from: PART, at: /NAME }`")
            }
            if let needed = argument.neededPart, !names.contains(where: { $0.hasSameBytes(as: needed) }) {
                add(
                    .undefinedPart, subject, value, "undefined part `\(needed.shortened)`", word: (needed, names, "parts"),
                    help: "only parts of an `object` can use others")
            }
        }
        check(part.defaultValue, at: .part(index), of: subject)
        let given = Set(part.arguments.keys.map(ExactName.init)).union(subject.parameters.map { ExactName($0.name) })
        checkMissing(in: target, given: given, of: subject, at: .part(index))
        for (position, path) in part.follow.enumerated() { check(path, from: target, of: subject, at: .follow(index, position)) }
    }

    private mutating func check(_ defaultValue: [UInt8]?, at spot: Spot, of subject: Subject) {
        guard let problem = defaultValue.flatMap({ JSONScanner.problem(of: $0) }) else { return }
        add(.place, subject, spot, "the default is not JSON: \(problem)", help: "a text is JSON in quotation marks")
    }

    private mutating func check(_ path: LinkPath, from target: Subject, of subject: Subject, at spot: Spot) {
        do throws(UsageError) {
            try path.check(from: target.spec) { byName[ExactName($0)]?.spec }
        } catch {
            switch error {
            case .unknownPipeline: break
            case .unknownLink(let name, let pipeline, let known):
                add(
                    .undefinedPart, subject, spot, error.message, word: (name, known, "links"), help: "`\(pipeline)` has no links")
            default: add(.bound, subject, spot, error.message)
            }
        }
    }

    private mutating func check(
        _ name: String, _ argument: PartArgument, for target: Subject, of subject: Subject, at spot: Spot, _ value: Spot
    ) {
        if !target.parameterNames.contains(ExactName(name)) {
            add(
                .argument, subject, spot, "the pipeline `\(target.name)` has no parameter `\(name.shortened)`",
                word: (name, target.parameters.map(\.name), "parameters"), help: "`\(target.name)` takes no parameters")
        }
        for used in argument.parameters where !subject.parameterNames.contains(ExactName(used)) {
            if ["key", "pipeline"].contains(used) {
                let name = subject.name.shortened
                add(
                    .argument, subject, value, "`{\(used)}` stands in templates of sources, and not in `with`",
                    word: (used, [], "parameters"),
                    help: used == "pipeline" ? "write `\(name)`" : "name parameters of `\(name)`, or write a text")
                continue
            }
            add(
                .argument, subject, value, "the pipeline `\(subject.name)` has no parameter `\(used.shortened)`",
                word: (used, subject.parameters.map(\.name), "parameters"), help: "declare it under `parameters`")
        }
    }

    private mutating func checkMissing(in target: Subject, given: Set<ExactName>, of subject: Subject, at spot: Spot) {
        let missing = target.parameters.filter { $0.defaultValue == nil && !given.contains(ExactName($0.name)) }.map(\.name)
        guard !missing.isEmpty else { return }
        add(
            .argument, subject, spot, UsageError.missingParameters(missing, pipeline: target.name).message,
            help: "give it with `with: { \(missing[0]): … }`")
    }

    private mutating func check(_ link: LinkSpec, at index: Int, of subject: Subject) {
        if link.place.memberName == nil {
            add(
                .place, subject, .link(index), "`\(link.place)` does not end in the name of a member", help: "end it as in `$[*].author_id`"
            )
        }
        if subject.format != .json {
            add(
                .format, subject, .link(index), "a value of the format \(subject.format.rawValue) has no references",
                help: "only values of the format json have links")
        }
        check(link.defaultValue, at: .link(index), of: subject)
        guard let target = target(link.pipeline, of: subject, at: .link(index)) else { return }
        if target.format == .bytes {
            add(.format, subject, .link(index), "`\(target.name)` has the format bytes, which cannot be a part", help: "use json or text")
        }
        for (name, argument) in link.arguments.sorted(by: { $0.key < $1.key }) {
            check(name, argument, for: target, of: subject, at: .linkArgument(index, name), .linkArgumentValue(index, name))
            if argument.neededPart != nil {
                add(
                    .argument, subject, .linkArgumentValue(index, name), "`from` stands in parts, not in links: use `at`",
                    help: "`{ at: /NAME }` is a place in the value that has the reference")
            }
        }
        guard let parameter = link.parameter(of: target.spec) else {
            let (message, help) = Self.uncertainParameter(of: target, for: link)
            add(.argument, subject, .link(index), message, help: help)
            return
        }
        if !target.parameterNames.contains(ExactName(parameter)) {
            add(
                .argument, subject, .link(index), "the pipeline `\(target.name)` has no parameter `\(parameter.shortened)`",
                word: (parameter, target.parameters.map(\.name), "parameters"))
            return
        }
        if let unused = link.arguments[parameter], unused.neededPart == nil {
            add(
                .argument, subject, .linkArgument(index, parameter),
                "`\(parameter.shortened)` takes the id of the link `\(link.name.shortened)`",
                help: "remove this argument, or say with `parameter` that another one takes the id")
        }
        let given = Set(link.arguments.keys.map(ExactName.init)).union([ExactName(parameter)])
        checkMissing(in: target, given: given, of: subject, at: .link(index))
    }

    /// What is said of a link that does not say which parameter takes the id, and what to do.
    private static func uncertainParameter(of target: Subject, for link: LinkSpec) -> (message: String, help: String) {
        let name = target.name.shortened
        let open = target.parameters.map(\.name).filter { link.arguments[$0] == nil }
        let likely = open.first { $0 == "id" } ?? open.first { $0.hasSameBytes(as: link.place.memberName ?? "") } ?? open.first
        guard let first = likely ?? target.parameters.first?.name else {
            return ("`\(name)` has no parameter that takes the id", "`\(name)` takes no parameters")
        }
        let count = target.parameters.count == 2 ? "two" : "\(target.parameters.count)"
        let names = target.parameters.prefix(8).map { "`\($0.name.shortened)`" }.joined(separator: ", ")
        return (
            "`\(name)` has \(count) parameters, and the link does not say which one takes the id: "
                + names + (target.parameters.count > 8 ? ", …" : ""), "add `parameter: \(first.shortened)`"
        )
    }
}

extension CompositeCheck {
    /// Finds parts that wait for each other.
    private mutating func findWaiting(_ parts: [PartSpec], names: [String], of subject: Subject) {
        let needs = parts.map { part in
            part.arguments.values.compactMap(\.neededPart).compactMap { name in names.firstIndex { $0.hasSameBytes(as: name) } }
        }
        for group in Cycles.groups(of: needs) {
            add(.undefinedPart, subject, .part(group.first), "parts wait for each other: \(group.words(names))")
        }
    }

    /// Finds pipelines that are made from each other, and chains that are too long.
    private mutating func findCycles() {
        let numbers = Dictionary(names.enumerated().map { (ExactName($1), $0) }) { first, _ in first }
        let edges = subjects.map { subject in
            Self.combinedPipelines(subject.combine) { byName[ExactName($0)]?.links ?? [] }.compactMap { numbers[ExactName($0)] }.sorted()
        }
        let groups = Cycles.groups(of: edges)
        for group in groups {
            let edges = group.edges.map { (from: $0.from, use: use(of: $0.to, in: $0.from)) }
            var finding = Finding(
                kind: .cycle, pipeline: names[group.first], spot: edges.first?.use?.spot ?? .combine,
                message: "pipelines are made from each other: \(group.words(names))")
            finding.related = edges.flatMap { edge in edge.use.map { related(to: $0, in: names[edge.from]) } ?? [] }
            findings.append(finding)
        }
        guard groups.isEmpty else { return }
        let depths = Self.depths(of: edges) { subjects[$0].combine != nil }
        for index in subjects.indices where depths[index] > CompositeSpec.mostInChain {
            add(
                .bound, subjects[index], .combine,
                "\(depths[index]) composites in a chain, and no more than \(CompositeSpec.mostInChain) are allowed")
            return
        }
    }

    /// How many composites there are on the longest way down from each node of a graph without cycles. Without recursion, since a file may
    /// have a long chain.
    private static func depths(of edges: [[Int]], isComposite: (Int) -> Bool) -> [Int] {
        var depths = Array(repeating: -1, count: edges.count)
        for start in edges.indices where depths[start] < 0 {
            var way = [(node: start, next: 0)]
            while let (node, next) = way.last {
                if next < edges[node].count {
                    way[way.count - 1].next += 1
                    if depths[edges[node][next]] < 0 { way.append((edges[node][next], 0)) }
                } else {
                    depths[node] = isComposite(node) ? (edges[node].map { depths[$0] }.max() ?? 0) + 1 : 0
                    way.removeLast()
                }
            }
        }
        return depths
    }

    /// What makes one pipeline from another: a part, else a link that is followed.
    private func use(of other: Int, in index: Int) -> UsedPipeline? {
        let used = subjects[index].combine?.usedPipelines { byName[ExactName($0)]?.links ?? [] } ?? []
        let uses = used.filter { $0.name.hasSameBytes(as: names[other]) }
        return uses.first { $0.step == nil } ?? uses.first
    }

    /// An edge of a cycle with its place, and that of the link where one is followed.
    private func related(to use: UsedPipeline, in name: String) -> [(pipeline: String, spot: Spot, message: String)] {
        let edge = "`\(name.shortened)` is made from `\(use.name.shortened)`"
        guard let step = use.step else { return [(name, use.spot, edge)] }
        let link = "the link `\(step.name.shortened)` of `\(step.holder.shortened)`"
        return [(name, use.spot, "\(edge) through \(link)"), (step.holder, .link(step.link), link)]
    }
}

extension UsedPipeline {
    /// Where the part names it, or follows what leads to it.
    fileprivate var spot: CompositeCheck.Spot { step.map { .follow(part, $0.path) } ?? .part(part) }
}
