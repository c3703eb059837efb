extension Composite: Source {
    /// It ends by itself at its limit, and says then what it has so far.
    var style: ReadStyle { .punctual }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let begin = clock.now
        let demand = PartDemand(
            policy: context.policy, priority: context.priority, end: context.deadline, isBound: context.isBound,
            concurrency: spec.concurrency, recalling: context.recalls, within: context.part)
        let whole = try await Assembly(self, key, demand).run()
        context.note?(whole.composition)
        switch whole.ending {
        case .failed(let error): throw error
        case .none: return nil
        case .notFound:
            var entry = Entry.notFound(created: whole.times.created ?? begin)
            entry.freshUntil = whole.times.freshUntil
            return entry.attributed(to: CompositeSpec.placeName).made(from: whole)
        case .value(let payload):
            return Entry(
                payload, created: whole.times.created ?? begin, freshUntil: whole.times.freshUntil, source: CompositeSpec.placeName
            ).made(from: whole)
        }
    }

    /// A whole that was made from a value that a part has no longer has changed. One in memory expires when a part changes.
    func judge(_ copy: Entry, of key: Key, _ context: ReadContext) -> CopyJudgement {
        guard !context.isInMemory, copy.isWithinLimit(at: clock.now) else { return .current }
        return .later {
            let change = try await self.change(since: copy, of: key, priority: context.priority, until: context.deadline)
            return change.map { .changed($0) } ?? .current
        }
    }
}

extension Entry {
    /// The same with what holds for copies of it, where caches that keep it also keep what it was made from.
    fileprivate func made(from whole: AssembledWhole) -> Entry {
        bound(by: whole.times.cacheControl).varying(as: whole.composition.madeFrom)
    }
}
