import Foundation

/// What came of all cases, counted as the suite counts.
struct SuiteReport {
    /// The published results of another cache: true, or the kind of failure and its words.
    struct Peer: Decodable {
        let name: String
        let results: [String: Result]

        enum Result: Decodable {
            case passed
            case failed(String)

            init(from decoder: any Decoder) throws {
                if let passed = try? decoder.singleValueContainer().decode(Bool.self), passed {
                    self = .passed
                } else {
                    self = .failed(try decoder.singleValueContainer().decode([String].self).first ?? "")
                }
            }
        }
    }

    struct Counts: Equatable {
        var passed = 0
        var failed = 0
        /// Not playable, or without a case that it builds on.
        var open = 0
        var outOfScope = 0
    }

    private let groups: [SuiteGroup]
    private let mode: SuiteMode
    private var verdicts: [String: SuiteVerdict] = [:]

    init(_ groups: [SuiteGroup], as mode: SuiteMode) {
        self.groups = groups
        self.mode = mode
    }

    private var cases: [(group: String, played: SuiteCase)] { groups.flatMap { group in group.tests.map { (group.id, $0) } } }

    /// The cases to play, those last whose origin fails; the others are noted as out of scope. `CACHE_TESTS_ONLY` names the only one.
    ///
    /// - Parameter reason: why a case is not played this time.
    mutating func playing(unless reason: (SuiteCase) -> String? = { _ in nil }) -> [SuiteCase] {
        let only = ProcessInfo.processInfo.environment["CACHE_TESTS_ONLY"]
        for (group, played) in cases {
            if let only, only != played.id {
                note(.outOfScope("not asked for"), of: played.id)
            } else if let reason = SuiteScope.reason(against: played, of: group, as: mode) ?? reason(played) {
                note(.outOfScope(reason), of: played.id)
            }
        }
        return cases.map(\.played).filter { verdicts[$0.id] == nil }.sorted { $0.damage < $1.damage }
    }

    mutating func note(_ verdict: SuiteVerdict, of id: String) {
        verdicts[id] = verdict
    }

    /// The verdict, where one on a case that it builds on comes first.
    func verdict(on played: SuiteCase) -> SuiteVerdict {
        let own = verdicts[played.id] ?? .outOfScope("not played")
        if case .outOfScope = own { return own }
        for id in played.dependencies {
            guard let other = cases.first(where: { $0.played.id == id })?.played else { continue }
            if verdict(on: other) != .passed { return .depends(on: id) }
        }
        return own
    }

    func counts(of weight: SuiteCase.Kind) -> Counts {
        cases.filter { $0.played.weight == weight }.reduce(into: Counts()) { counts, entry in
            switch verdict(on: entry.played) {
            case .passed: counts.passed += 1
            case .failed: counts.failed += 1
            case .unprepared, .depends: counts.open += 1
            case .outOfScope: counts.outOfScope += 1
            }
        }
    }

    /// What a peer passes of the cases of one weight that are played here.
    func passed(by peer: Peer, of weight: SuiteCase.Kind) -> Int {
        cases.filter { entry in
            guard entry.played.weight == weight else { return false }
            if case .outOfScope = verdict(on: entry.played) { return false }
            return passes(peer, entry.played)
        }.count
    }

    private func passes(_ peer: Peer, _ played: SuiteCase) -> Bool {
        guard case .passed = peer.results[played.id] else { return false }
        return played.dependencies.allSatisfy { id in cases.first { $0.played.id == id }.map { passes(peer, $0.played) } ?? true }
    }
}

extension SuiteReport {
    /// The counts, the peers', and a line for each case that did not pass.
    func text(beside peers: [Peer]) -> String {
        let weights: [SuiteCase.Kind] = [.required, .optimal, .check]
        var lines = ["", "cache-tests, \(mode.rawValue)", "          passed  failed    open  out of scope"]
        for weight in weights {
            let counts = counts(of: weight)
            lines.append(
                "\(weight.rawValue.padded(8))" + [counts.passed, counts.failed, counts.open].map { "\($0)".padded(-8) }.joined()
                    + "\(counts.outOfScope)".padded(-14))
        }
        lines += ["", "passed of the cases in scope: required, optimal, check"]
        for peer in peers {
            lines.append("  \(peer.name.padded(10))" + weights.map { "\(passed(by: peer, of: $0))".padded(-6) }.joined())
        }
        lines.append("")
        for (_, played) in cases {
            let line: String? =
                switch verdict(on: played) {
                case .passed: nil
                case .failed(let reason): "failed      \(reason)"
                case .unprepared(let reason): "unprepared  \(reason)"
                case .depends(let id): "depends on  \(id)"
                case .outOfScope: nil
                }
            if let line { lines.append("  \(played.weight.rawValue.padded(9)) \(played.id): \(line)") }
        }
        return (lines + outOfScope).joined(separator: "\n") + "\n"
    }

    /// How many cases are out of scope for each reason.
    private var outOfScope: [String] {
        var reasons: [String: Int] = [:]
        for (_, played) in cases { if case .outOfScope(let reason) = verdict(on: played) { reasons[reason, default: 0] += 1 } }
        let sorted = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return ["", "out of scope:"] + sorted.map { "\($0.value)".padded(-5) + "  \($0.key)" }
    }
}

extension String {
    /// Filled with spaces to a width, from the left for a negative one.
    fileprivate func padded(_ width: Int) -> String {
        let space = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? space + self : self + space
    }
}
