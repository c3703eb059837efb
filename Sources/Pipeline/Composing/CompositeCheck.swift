internal import PipelineJSON

/// Checks that pipelines can be made from each other, before anything is loaded.
package struct CompositeCheck {
    /// What is known of a pipeline.
    package struct Subject: Sendable {
        package let name: String
        package let parameters: [ParameterSpec]
        package let format: PayloadFormat
        package let combine: CompositeSpec?
        package let links: [LinkSpec]

        package init(_ name: String, parameters: [ParameterSpec], format: PayloadFormat, combine: CompositeSpec?, links: [LinkSpec]) {
            (self.name, self.parameters, self.format) = (name, parameters, format)
            (self.combine, self.links) = (combine, links)
        }

        fileprivate var spec: PipelineSpec { PipelineSpec(name, parameters: parameters, tiers: [], links: links) }
    }

    /// A place in a pipeline.
    package enum Spot: Sendable, Hashable {
        case combine
        case part(Int)
        case argument(Int, String)
        case follow(Int, Int)
        case link(Int)
        case linkArgument(Int, String)
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
        package var help: String?
        /// The other places of a cycle.
        package var related: [(pipeline: String, spot: Spot, message: String)] = []
    }

    private let subjects: [Subject]
    private let byName: [String: Subject]
    private var findings: [Finding] = []

    package init(_ subjects: [Subject]) {
        self.subjects = subjects
        byName = Dictionary(subjects.map { ($0.name, $0) }) { first, _ in first }
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
            for (index, link) in subject.links.enumerated() { check.check(link, at: index, of: subject) }
            if let combine = subject.combine { check.check(combine, of: subject) }
        }
        check.findCycles()
        return check.findings
    }

    /// The names of the pipelines whose values are in the whole.
    static func combinedPipelines(_ combine: CompositeSpec?, links: (String) -> [LinkSpec]) -> Set<String> {
        var names: Set<String> = []
        for (_, part) in combine?.partSpecs ?? [] {
            names.insert(part.pipeline)
            for path in part.follow {
                var pipeline = part.pipeline
                for name in path.names {
                    guard let link = links(pipeline).first(where: { $0.name.hasSameBytes(as: name) }) else { break }
                    pipeline = link.pipeline
                    names.insert(pipeline)
                }
            }
        }
        return names
    }
}

extension CompositeCheck {
    private mutating func add(
        _ kind: Finding.Kind, _ subject: Subject, _ spot: Spot, _ message: String, help: String? = nil
    ) {
        findings.append(Finding(kind: kind, pipeline: subject.name, spot: spot, message: message, help: help))
    }

    private mutating func target(_ name: String, of subject: Subject, at spot: Spot) -> Subject? {
        if let target = byName[name] { return target }
        add(
            .undefinedPipeline, subject, spot, "undefined pipeline `\(name.shortened)`",
            help: NearestName.help(for: name, among: subjects.map(\.name), noun: "pipelines"))
        return nil
    }

    private mutating func check(_ combine: CompositeSpec, of subject: Subject) {
        let parts = combine.partSpecs
        if parts.isEmpty { add(.bound, subject, .combine, "a composite has at least one part") }
        if parts.count > CompositeSpec.mostParts {
            add(.bound, subject, .combine, "\(parts.count) parts, and no more than \(CompositeSpec.mostParts) are allowed")
        }
        let isObject = if case .object = combine.shape { true } else { false }
        let names = isObject ? parts.map(\.name) : []
        var known: Set<ExactName> = []
        for (index, name) in names.enumerated() where !known.insert(ExactName(name)).inserted {
            add(.bound, subject, .part(index), "two parts are called `\(name.shortened)`")
        }
        for (index, (_, part)) in parts.enumerated() { check(part, at: index, of: subject, names: names) }
        findWaiting(parts.map(\.spec), names: names, of: subject)
        if combine.concurrency < 1 { add(.bound, subject, .combine, "concurrency must be at least 1") }
    }

    private mutating func check(_ part: PartSpec, at index: Int, of subject: Subject, names: [String]) {
        guard let target = target(part.pipeline, of: subject, at: .part(index)) else { return }
        if target.format == .bytes {
            add(.format, subject, .part(index), "`\(target.name)` has the format bytes, which cannot be a part", help: "use json or text")
        }
        for (name, argument) in part.arguments.sorted(by: { $0.key < $1.key }) {
            let spot = Spot.argument(index, name)
            check(name, argument, for: target, of: subject, at: spot)
            if case .holder = argument.value { add(.argument, subject, spot, "`at` stands in links, not in parts: use `from`") }
            if let needed = argument.neededPart, !names.contains(where: { $0.hasSameBytes(as: needed) }) {
                add(
                    .undefinedPart, subject, spot, "undefined part `\(needed.shortened)`",
                    help: NearestName.help(for: needed, among: names, noun: "parts") ?? "only parts of an `object` can use others")
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
            try path.check(from: target.spec) { byName[$0]?.spec }
        } catch {
            if case .unknownPipeline = error { return }
            let isBound = if case .longPath = error { true } else { false }
            add(isBound ? .bound : .undefinedPart, subject, spot, error.message, help: error.help)
        }
    }

    private mutating func check(_ name: String, _ argument: PartArgument, for target: Subject, of subject: Subject, at spot: Spot) {
        if !target.parameters.contains(where: { $0.name.hasSameBytes(as: name) }) {
            add(
                .argument, subject, spot, "the pipeline `\(target.name)` has no parameter `\(name.shortened)`",
                help: NearestName.help(for: name, among: target.parameters.map(\.name), noun: "parameters")
                    ?? "`\(target.name)` takes no parameters")
        }
        for used in argument.parameters where !subject.parameters.contains(where: { $0.name.hasSameBytes(as: used) }) {
            add(
                .argument, subject, spot, "the pipeline `\(subject.name)` has no parameter `\(used.shortened)`",
                help: NearestName.help(for: used, among: subject.parameters.map(\.name), noun: "parameters")
                    ?? "declare it under `parameters`")
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
        if subject.links[..<index].contains(where: { $0.name.hasSameBytes(as: link.name) }) {
            add(.bound, subject, .link(index), "two links are called `\(link.name.shortened)`")
        }
        check(link.defaultValue, at: .link(index), of: subject)
        guard let target = target(link.pipeline, of: subject, at: .link(index)) else { return }
        if target.format == .bytes {
            add(.format, subject, .link(index), "`\(target.name)` has the format bytes, which cannot be a part", help: "use json or text")
        }
        for (name, argument) in link.arguments.sorted(by: { $0.key < $1.key }) {
            check(name, argument, for: target, of: subject, at: .linkArgument(index, name))
            if argument.neededPart != nil {
                add(.argument, subject, .linkArgument(index, name), "`from` stands in parts, not in links: use `at`")
            }
        }
        guard let parameter = link.parameter(of: target.spec) else {
            let names = target.parameters.map { "`\($0.name)`" }.joined(separator: ", ")
            add(
                .argument, subject, .link(index), "which parameter of `\(target.name)` takes the id is not certain",
                help: names.isEmpty ? "`\(target.name)` takes no parameters" : "say `parameter:` with one of \(names)")
            return
        }
        if !target.parameters.contains(where: { $0.name.hasSameBytes(as: parameter) }) {
            add(
                .argument, subject, .link(index), "the pipeline `\(target.name)` has no parameter `\(parameter.shortened)`",
                help: NearestName.help(for: parameter, among: target.parameters.map(\.name), noun: "parameters"))
        }
        let given = Set(link.arguments.keys.map(ExactName.init)).union([ExactName(parameter)])
        checkMissing(in: target, given: given, of: subject, at: .link(index))
    }
}

extension CompositeCheck {
    /// Finds parts that wait for each other.
    private mutating func findWaiting(_ parts: [PartSpec], names: [String], of subject: Subject) {
        let needs = parts.map { part in
            part.arguments.values.compactMap(\.neededPart).compactMap { name in names.firstIndex { $0.hasSameBytes(as: name) } }
        }
        for cycle in Cycles.all(of: needs) {
            guard let first = cycle.first else { continue }
            let way = (cycle + [first]).map { "`\(names[$0])`" }.joined(separator: " → ")
            add(.undefinedPart, subject, .part(first), "parts wait for each other: \(way)")
        }
    }

    /// Finds pipelines that are made from each other, and chains that are too long.
    private mutating func findCycles() {
        let names = subjects.map(\.name)
        let numbers = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        let edges = subjects.map { subject in
            Self.combinedPipelines(subject.combine) { byName[$0]?.links ?? [] }.compactMap { numbers[$0] }.sorted()
        }
        let cycles = Cycles.all(of: edges)
        for cycle in cycles {
            guard let first = cycle.first else { continue }
            let way = (cycle + [first]).map { "`\(names[$0])`" }.joined(separator: " → ")
            var finding = Finding(
                kind: .cycle, pipeline: names[first], spot: spot(from: first, to: cycle.count > 1 ? cycle[1] : first),
                message: "pipelines are made from each other: \(way)")
            for (index, member) in cycle.enumerated().dropFirst() {
                let next = cycle[(index + 1) % cycle.count]
                finding.related.append((names[member], spot(from: member, to: next), "`\(names[member])` is made from `\(names[next])`"))
            }
            findings.append(finding)
        }
        guard cycles.isEmpty else { return }
        var depths: [Int: Int] = [:]
        func depth(_ index: Int) -> Int {
            if let known = depths[index] { return known }
            let deepest = edges[index].map(depth).max() ?? 0
            let depth = subjects[index].combine == nil ? 0 : deepest + 1
            depths[index] = depth
            return depth
        }
        for index in subjects.indices where depth(index) > CompositeSpec.mostInChain {
            add(
                .bound, subjects[index], .combine,
                "\(depth(index)) composites in a chain, and no more than \(CompositeSpec.mostInChain) are allowed")
            return
        }
    }

    /// The part because of which one pipeline is made from another.
    private func spot(from index: Int, to other: Int) -> Spot {
        let name = subjects[other].name
        for (position, (_, part)) in (subjects[index].combine?.partSpecs ?? []).enumerated() {
            var single = CompositeSpec(.of(part))
            single.pick = []
            if Self.combinedPipelines(single, links: { byName[$0]?.links ?? [] }).contains(name) { return .part(position) }
        }
        return .combine
    }
}

/// The cycles of a graph.
enum Cycles {
    /// One cycle for each node that closes one on the way from the first, each beginning with its least node.
    static func all(of edges: [[Int]]) -> [[Int]] {
        enum Mark { case new, open, done }
        var marks = Array(repeating: Mark.new, count: edges.count)
        var found: [[Int]] = []
        var known: Set<[Int]> = []
        for start in edges.indices where marks[start] == .new {
            // The way to the present node, each with the edges that are left: without recursion, since a file may have a long chain.
            var way: [(node: Int, next: Int)] = [(start, 0)]
            marks[start] = .open
            while let (node, next) = way.last {
                guard next < edges[node].count else {
                    marks[node] = .done
                    way.removeLast()
                    continue
                }
                way[way.count - 1].next += 1
                let target = edges[node][next]
                switch marks[target] {
                case .new:
                    marks[target] = .open
                    way.append((target, 0))
                case .open:
                    let nodes = way.drop { $0.node != target }.map(\.node)
                    let least = nodes.indices.min { nodes[$0] < nodes[$1] } ?? 0
                    let cycle = Array(nodes[least...] + nodes[..<least])
                    if known.insert(cycle).inserted { found.append(cycle) }
                case .done: break
                }
            }
        }
        return found
    }
}
