import Pipeline
import PipelineLive
internal import PipelineJSON

extension Assembly {
    /// The whole, once the result is certain.
    func whole() -> AssembledWhole {
        var times = PartTimes()
        switch schedule.decision {
        case .failed(let index): return failed(error(of: index))
        case .open: return failed(SourceError("its parts ended without a result"))
        case .notFound(let index):
            let cause = self.cause(of: index)
            if let used = results[cause] { times.use(used.times) }
            let isSure = results[cause]?.outcome?.answer != nil
            let ending = end(times, isKept: isSure)
            let composition = Composition(
                outcomes(), notKept: ending?.notKept, isCut: isCut, validity: watch?.validity, madeFrom: ending?.madeFrom?.text)
            return AssembledWhole(ending: isSure ? .notFound : .none, times: times, composition: composition, isCut: isCut)
        case .ready: break
        }
        for result in results { if let result, result.ending != .failed { times.use(result.times) } }
        do throws(SourceError) {
            let payload = try composite.assembled(parts.indices.map { JSONFragment.Member(parts[$0].member, value(of: $0)) })
            // Without the part that it is made of there is no whole. That this one failed says nothing of what there is.
            if payload == nil, composite.spec.isMadeOfFirst, results.first??.ending == .failed { return failed(error(of: 0)) }
            let isSure = results.first??.outcome?.answer != nil
            let ending = payload.map { AssembledWhole.Ending.value($0) } ?? (isSure ? .notFound : .none)
            return AssembledWhole(ending: ending, times: times, composition: composition(times), isCut: isCut)
        } catch {
            return failed(error)
        }
    }

    private func failed(_ error: SourceError) -> AssembledWhole {
        end(PartTimes(), isKept: false)
        return AssembledWhole(ending: .failed(error), times: PartTimes(), composition: Composition(outcomes(), isCut: isCut), isCut: isCut)
    }

    /// Whether it would be another whole with more time.
    private var isCut: Bool { isOver && results.contains { $0?.isCut ?? false } }

    /// Ends the watch of the parts; nil where there is none.
    @discardableResult
    private func end(_ times: PartTimes, isKept: Bool, missing: [MissingTarget] = []) -> WholeIndex.Ending? {
        watch?.end(
            isKept: isKept, isListed: composite.invalidation.keepsBeyondProcess, missing: missing,
            until: composite.keptUntil(created: times.created, freshUntil: times.freshUntil), at: clock.now)
    }

    private func composition(_ times: PartTimes) -> Composition {
        var outcomes = outcomes()
        var missing: [MissingTarget] = []
        for (part, result) in zip(parts, results) {
            guard let result, result.ending == .value else { continue }
            let nested = [result.outcome?.composition, result.followed].compactMap(\.self)
            // Also of a whole that came from a cache.
            let absent = (result.outcome?.missing ?? []) + (result.followed?.missing ?? [])
            if nested.isEmpty, absent.isEmpty { continue }
            let placing = PartPlacing(part: part, spec: composite.spec, value: result.value)
            outcomes += nested.flatMap(\.parts).filter(\.isToldOf).compactMap { told in placing.place(of: told.at).map(told.placed) }
            missing += absent.compactMap { told in placing.place(of: told.at).map(told.placed) }
        }
        let degraded = outcomes.first(where: \.isDegraded)
        let reason =
            degraded.map {
                "incomplete: \($0.at.isEmpty ? "`\($0.pipeline)`" : "`\($0.at)`") \($0.ending == .skipped ? "was not asked" : "failed")"
            }
            ?? times.staleReason.map { "stale: \($0)" } ?? times.notKept
        let ending = end(times, isKept: reason == nil, missing: missing)
        return Composition(
            outcomes, missing: missing, isComplete: degraded == nil, staleReason: times.staleReason, notKept: reason ?? ending?.notKept,
            isCut: isCut, validity: watch?.validity, madeFrom: ending?.madeFrom?.text)
    }

    /// What became of each part, in the order of the whole.
    private func outcomes() -> [PartOutcome] {
        zip(parts, results).enumerated().map { index, part in
            let (part, result) = part
            let hasDefault = part.spec.defaultValue != nil
            if let skipped = schedule.skipped(index) {
                let problem = PartOutcome.Problem(code: "skipped", message: "`\(parts[skipped.after].name)` has no value")
                return PartOutcome(
                    at: part.at, part.spec.pipeline, nil, .skipped, usesDefault: hasDefault, problem: problem,
                    isDegraded: skipped.ending == .failed)
            }
            guard let result else { return PartOutcome(at: part.at, part.spec.pipeline, keys[index], .skipped, problem: .notWaitedFor) }
            let ending: PartOutcome.Ending = result.ending == .value ? .value : result.ending == .notFound ? .notFound : .failed
            return PartOutcome(
                at: part.at, part.spec.pipeline, result.key, ending, usesDefault: hasDefault && ending != .value, outcome: result.outcome,
                problem: result.problem, isDegraded: ending == .failed, links: result.followed?.links ?? [])
        }
    }

    /// The part that was asked and has no value, because of which `index` was not.
    private func cause(of index: Int) -> Int { schedule.skipped(index).map { cause(of: $0.after) } ?? index }

    private func error(of index: Int) -> SourceError {
        let (part, first) = (parts[index].sentence, cause(of: index))
        guard let error = results[first]?.error else { return SourceError("\(part) failed") }
        let after = first == index ? "" : " needs `\(parts[first].name)`"
        // The rest says something of the source that failed, and nothing of the whole.
        let kind = [.timeout, .invalid, .unasked].contains(error.kind) ? error.kind : .failure
        return SourceError("\(part)\(after): \(error.reason)", kind: kind, cause: error)
    }
}

extension PartOutcome.Problem {
    fileprivate static let notWaitedFor = PartOutcome.Problem(code: "skipped", message: "the result was certain without it")
}
