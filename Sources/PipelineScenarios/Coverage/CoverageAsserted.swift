/// The points that a run reached and that an expectation depended on.
///
/// `tiers` depends on every tier of its fetch, `writes` on every write, the value and where it is from on the tier that answered, `error` on
/// what failed. What a cache answered or holds depends on the writes to it since it was last looked at; all of it depends on what feeds did
/// and what became of sends since then.
struct CoverageAsserted {
    private let trace: [CoverageTrace.Occurrence]
    private(set) var asserted: Set<Int> = []
    /// The writes, and what happened beside, that an expectation looked at already.
    private var seen: Set<Int> = []

    init(_ trace: CoverageTrace, _ checks: [ScenarioCheck]) {
        self.trace = trace.occurrences
        for check in checks where check.isMet { note(check) }
    }

    private mutating func note(_ check: ScenarioCheck) {
        guard let source = check.source else { return noteFetch(check) }
        if check.field != "unwritten" { lookBeside(key: nil) { $0.step <= check.step } }
        switch check.field {
        case "\(source) calls", "\(source) reads", "\(source) cancelled":
            asserted.formUnion(indices { $0.source == source && !$0.isWrite && $0.step <= check.step })
        case "\(source) writes": asserted.formUnion(indices { $0.source == source && $0.isWrite && $0.step <= check.step })
        case "\(source) holds", "\(source) empty": look(into: source, key: nil) { $0.step <= check.step }
        case "unwritten": asserted.formUnion(indices { $0.source == source && $0.isWrite && $0.step == check.step })
        default: break
        }
    }

    private mutating func noteFetch(_ check: ScenarioCheck) {
        let mine = indices { $0.step == check.step && !$0.isBackground }
        let depends: [Int] =
            switch check.field {
            case "tiers": mine.filter { !trace[$0].isWrite }
            case "writes": mine.filter { trace[$0].isWrite }
            case "error": mine.filter { trace[$0].isFailure }
            case "took": mine.filter { ["timeout", "second try"].contains(trace[$0].id.branch) || trace[$0].source == nil }
            default: mine.filter { trace[$0].isAnswer }
            }
        asserted.formUnion(depends)
        if !["took", "error", "writes"].contains(check.field), let fetch = mine.first.map({ trace[$0] }) {
            lookBeside(key: fetch.key) { $0.event <= fetch.event }
        }
        for index in depends where !trace[index].isWrite {
            let looked = trace[index]
            if let source = looked.source { look(into: source, key: looked.key) { $0.event < looked.event } }
        }
    }

    private mutating func look(into source: String, key: String?, _ isBefore: (CoverageTrace.Occurrence) -> Bool) {
        let writes = indices { $0.isWrite && $0.source == source && (key == nil || $0.key == key || $0.key.isEmpty) && isBefore($0) }
        asserted.formUnion(writes.filter { !seen.contains($0) })
        seen.formUnion(writes)
    }

    private mutating func lookBeside(key: String?, _ isBefore: (CoverageTrace.Occurrence) -> Bool) {
        let happened = indices { $0.isBeside && (key == nil || $0.key == key || $0.key.isEmpty) && isBefore($0) }.filter {
            !seen.contains($0)
        }
        asserted.formUnion(happened)
        seen.formUnion(happened)
    }

    private func indices(_ isMeant: (CoverageTrace.Occurrence) -> Bool) -> [Int] {
        trace.indices.filter { isMeant(trace[$0]) }
    }
}
