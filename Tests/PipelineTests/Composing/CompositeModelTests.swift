import Foundation
import PipelineComposing
import PipelineJSON
import PipelineTesting
import Testing

@testable import Pipeline

/// Random pipelines made from each other, over scripted sources with faults, against a naive evaluation.
@Suite struct CompositeModelTests {
    /// How many steps are played: `MODEL_STEPS`, and no more than these.
    private static let steps = min(50_000, ProcessInfo.processInfo.environment["MODEL_STEPS"].flatMap { Int($0) } ?? 50_000)

    @Test func `random composites come to what a naive evaluation says`() async throws {
        var problems: [String] = []
        var steps = 0
        for seed in 0..<UInt64(Self.steps / 50) where problems.isEmpty {
            var town = try RandomTown(seed: seed)
            for _ in 0..<50 {
                try await town.step()
                steps += 1
            }
            problems += town.problems.prefix(3).map { "seed \(seed): \($0)" }
        }
        #expect(problems == [])
        #expect(steps == Self.steps / 50 * 50 && steps > 0)
    }

    @Test func `random links come to what a naive evaluation says, in as few calls as there can be`() async throws {
        for seed in 0..<UInt64(max(1, Self.steps / 250)) {
            var random = SplitMix64(seed: seed)
            let most = Int.random(in: 2...5, using: &random)
            let screen = Combination()
            let users = BatchStub(screen.time, most: most)
            users.change { $0.absent = ["3", "7"] }
            screen.part(
                "posts", links: [LinkSpec("user", at: try JSONPath("$[*].by"), pipeline: "user", parameter: "id")])
            screen.part("user", parameters: ["id"], ttl: .seconds(20)) { spec in
                spec.policy.notFoundTTL = .seconds(10)
                spec.tiers[1] = TierSpec(SourceSpec("users", users))
            }
            for _ in 0..<20 {
                screen.time.advance(by: .seconds(Int.random(in: 0...8, using: &random)))
                let lists = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in "\(Int.random(in: 0..<12, using: &random))" }
                }
                let posts = lists.map { "{ \"by\": [\($0.joined(separator: ","))]}" }.joined(separator: ",")
                screen["posts"].answers(StubAnswer(stringLiteral: "[\(posts)]"))
                var missing: Set<String> = []
                for id in Set(lists.joined()) where try await screen.fetch("user", ["id": id], policy: .cacheOnly).answer == nil {
                    missing.insert(id)
                }
                let before = users.calls.count

                let outcome = try await screen.fetch("posts", following: ["user"])

                let expected = lists.map { ids in
                    let found = ids.filter { $0 != "3" && $0 != "7" }.map { "\"\($0)\"" }
                    return "{ \"by\": [\(ids.joined(separator: ","))],\"user\":[\(found.joined(separator: ","))]}"
                }
                #expect(outcome.text == "[\(expected.joined(separator: ","))]", "seed \(seed)")
                #expect(Set(users.calls[before...].joined()) == missing, "seed \(seed)")
                #expect(users.calls.count - before <= (missing.count + most - 1) / most, "seed \(seed)")
            }
        }
    }
}

/// Leaves with caches, and composites of what comes before them.
private struct RandomTown {
    private enum Fault: CaseIterable { case none, fails, notFound }

    private struct Leaf {
        var version = 0
        var fault = Fault.none
    }

    /// What a pipeline comes to.
    private enum Value: Equatable {
        case text(String, isComplete: Bool)
        case notFound
        case failed
    }

    private struct Part {
        let member: String
        let pipeline: String
        let isOptional: Bool
        let hasDefault: Bool
    }

    private var random: SplitMix64
    private let screen = Combination()
    private var leaves: [String: Leaf] = [:]
    /// Slow caches of wholes.
    private var disks: [StubSource] = []
    private var wholes: [(name: String, parts: [Part])] = []
    /// How many calls of each leaf may come yet from loads that a failure, or a part that is not there, has ended: no fetch waits until those notice.
    private var strays: [String: Int] = [:]
    private var log: [String] = []
    private(set) var problems: [String] = []

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        for number in 0..<Int.random(in: 1...4, using: &random) {
            let name = "leaf\(number)"
            let remembers = Bool.random(using: &random)
            screen.part(name, ttl: .seconds(Int.random(in: 2...20, using: &random))) {
                if remembers { $0.policy.notFoundTTL = .seconds(3) }
            }
            leaves[name] = Leaf()
        }
        for number in 0..<Int.random(in: 1...4, using: &random) {
            let known = leaves.keys.sorted() + wholes.map(\.name)
            let parts = (0..<Int.random(in: 1...3, using: &random)).map { position in
                let kind = Int.random(in: 0..<3, using: &random)
                return Part(
                    member: "m\(position)", pipeline: known.randomElement(using: &random) ?? "leaf0", isOptional: kind == 1,
                    hasDefault: kind == 2)
            }
            let name = "whole\(number)"
            wholes.append((name, parts))
            var combine = CompositeSpec(
                .object(
                    parts.map {
                        ($0.member, PartSpec($0.pipeline, optional: $0.isOptional, default: $0.hasDefault ? "[]" : nil))
                    }))
            combine.concurrency = Int.random(in: 1...3, using: &random)
            let ttl = Bool.random(using: &random) ? Duration.seconds(Int.random(in: 2...30, using: &random)) : nil
            let disk = Int.random(in: 0..<3, using: &random)
            let slow = StubSource("disk_of_\(name)", clock: screen.time.clock)
            if disk > 0 { disks.append(slow) }
            screen.whole(combine, named: name, ttl: ttl) { spec in
                // One that cannot mark copies removes them.
                let capabilities: Set<Capability> = disk == 1 ? [.keepsMetadata] : []
                if disk > 0 {
                    spec.tiers.append(TierSpec(SourceSpec("disk_of_\(name)", slow, capabilities: capabilities), ttl: .seconds(25)))
                }
            }
        }
        for name in leaves.keys { script(name) }
    }

    private func script(_ name: String) {
        let leaf = leaves[name] ?? Leaf()
        switch leaf.fault {
        case .none: screen[name].answers(StubAnswer(stringLiteral: Self.text(name, leaf)))
        case .fails: screen[name].answers(.error())
        case .notFound: screen[name].answers(.notFound)
        }
    }

    private static func text(_ name: String, _ leaf: Leaf) -> String { #"[ "\#(name)",\#(leaf.version).0 ]"# }

    mutating func step() async throws {
        guard let name = leaves.keys.sorted().randomElement(using: &random) else { return }
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1:
            let duration = Duration.seconds(Int.random(in: 1...6, using: &random))
            log.append("wait \(duration)")
            screen.time.advance(by: duration)
        case 2:
            leaves[name]?.version += 1
            log.append("\(name) changes")
            script(name)
        case 3:
            leaves[name]?.fault = Fault.allCases.randomElement(using: &random) ?? .none
            log.append("\(name) has \(leaves[name]?.fault ?? .none)")
            script(name)
        case 4:
            log.append("remove \(name)")
            let leaf = try screen.pipeline(name)
            _ = try await leaf.remove(leaf.key())
        case 5:
            leaves[name]?.version += 1
            log.append("put \(name)")
            let leaf = try screen.pipeline(name)
            _ = try await leaf.put(Array(Self.text(name, leaves[name] ?? Leaf()).utf8), for: leaf.key())
            script(name)
        case 6:
            log.append("refresh \(name)")
            try await screen.fetch(name, policy: .refresh)
        case 7, 8: try await race(name)
        case 9:
            guard let disk = disks.randomElement(using: &random) else { return }
            log.append("a disk fails, or works again")
            disk.recover()
            switch Int.random(in: 0..<4, using: &random) {
            case 0: disk.fail(.reads)
            case 1: disk.fail(.writes)
            case 2: disk.fail(.reads, .writes, .removes)
            default: break
            }
        default: try await check(wholes.randomElement(using: &random)?.name ?? "whole0")
        }
    }

    /// A leaf is put or removed while a whole is assembled: what is kept of it afterwards is made from the new one.
    private mutating func race(_ name: String) async throws {
        let (screen, whole) = (screen, wholes.randomElement(using: &random)?.name ?? "whole0")
        let policy: FetchPolicy = Bool.random(using: &random) ? .default : .refresh
        let isPut = Bool.random(using: &random)
        let pauses = Int.random(in: 0..<6, using: &random)
        let leaf = try screen.pipeline(name)
        log.append("\(isPut ? "put" : "remove") \(name) while \(whole) is fetched (\(policy))")
        leaves[name]?.version += 1
        let text = Self.text(name, leaves[name] ?? Leaf())
        async let fetched = screen.fetch(whole, policy: policy)
        for _ in 0..<pauses { await Task.yield() }
        // The origin changes first: what is loaded once the removal has ended is the new value.
        script(name)
        if isPut { _ = try await leaf.put(Array(text.utf8), for: leaf.key()) } else { _ = try await leaf.remove(leaf.key()) }
        if case .value = try await fetched.result {} else { try await forget(whole) }
        try await check(whole)
    }

    private mutating func check(_ name: String) async throws {
        var held: [String: Outcome] = [:]
        for leaf in leaves.keys { held[leaf] = try await screen.fetch(leaf, policy: .cacheOnly) }
        let expected = value(of: name, held)
        let before = leaves.keys.map { ($0, screen[$0].readCount) }
        let outcome = try await screen.fetch(name)
        log.append("fetch \(name): \(outcome.trace)")
        for (leaf, count) in before {
            let calls = screen[leaf].readCount - count
            // An error is not kept: composites within composites ask again.
            let isKept = leaves[leaf]?.fault == Fault.none
            let needed = held[leaf]?.answer != nil ? 0 : isKept ? 1 : max(wholes.count, places(of: leaf, in: name))
            guard calls > needed else { continue }
            strays[leaf, default: 0] -= calls - needed
            if strays[leaf, default: 0] < 0 { report("\(calls) calls of \(leaf)") }
        }
        let found: Value =
            switch outcome.result {
            case .value: .text(outcome.text ?? "", isComplete: outcome.isComplete)
            case .notFound: .notFound
            case .failed: .failed
            }
        if found != expected { report("found \(found), expected \(expected)") }
        if found == .failed || found == .notFound { try await forget(name) }
        guard case .text = found, outcome.isComplete else { return }
        try await checkTimes(outcome, of: name)
    }

    /// Clears the leaves: which other parts were loaded until a whole failed, or was known not to be there, is not certain.
    private mutating func forget(_ whole: String) async throws {
        for leaf in leaves.keys.sorted() {
            strays[leaf] = max(strays[leaf, default: 0], places(of: leaf, in: whole))
            _ = try await screen.pipeline(leaf).clear()
        }
    }

    /// How often a leaf stands in what a pipeline is made from.
    private func places(of leaf: String, in name: String) -> Int {
        guard let whole = wholes.first(where: { $0.name == name }) else { return name == leaf ? 1 : 0 }
        return whole.parts.reduce(0) { $0 + places(of: leaf, in: $1.pipeline) }
    }

    /// A whole is no younger than a part that is in it, and no longer fresh.
    private mutating func checkTimes(_ outcome: Outcome, of name: String) async throws {
        for leaf in usedLeaves(of: name) {
            let part = try await screen.fetch(leaf, policy: .cacheOnly)
            guard let entry = part.answer, outcome.text?.contains("\"\(leaf)\"") ?? false else { continue }
            if let whole = try outcome.entry, whole.created > entry.created { report("younger than \(leaf)") }
            if let limit = part.freshFor, (outcome.freshFor ?? .seconds(1_000)) > limit { report("fresh for longer than \(leaf)") }
        }
    }

    private func usedLeaves(of name: String) -> Set<String> {
        guard let whole = wholes.first(where: { $0.name == name }) else { return [name] }
        return whole.parts.reduce(into: []) { $0.formUnion(usedLeaves(of: $1.pipeline)) }
    }

    private mutating func report(_ problem: String) {
        problems.append("\(problem)\nwholes: \(wholes)\n" + log.suffix(20).joined(separator: "\n"))
    }

    /// The naive evaluation: what a leaf holds, or else what its origin says now; the table of failures for the rest.
    private func value(of name: String, _ held: [String: Outcome]) -> Value {
        if let leaf = leaves[name] {
            if let known = held[name]?.answer {
                return known.payload.map { .text(String(decoding: $0, as: UTF8.self), isComplete: true) } ?? .notFound
            }
            return leaf.fault == .none ? .text(Self.text(name, leaf), isComplete: true) : leaf.fault == .fails ? .failed : .notFound
        }
        var members: [String] = []
        var isComplete = true
        var isAbsent = false
        for part in wholes.first(where: { $0.name == name })?.parts ?? [] {
            let isRequired = !part.isOptional && !part.hasDefault
            switch value(of: part.pipeline, held) {
            case .text(let text, let isWhole):
                members.append("\"\(part.member)\":\(text)")
                if !isWhole { isComplete = false }
            case .notFound:
                if isRequired { isAbsent = true }
                if part.hasDefault { members.append("\"\(part.member)\":[]") }
            case .failed:
                if isRequired { return .failed }
                isComplete = false
                if part.hasDefault { members.append("\"\(part.member)\":[]") }
            }
        }
        return isAbsent ? .notFound : .text("{\(members.joined(separator: ","))}", isComplete: isComplete)
    }
}
