import Pipeline
import PipelineLive
extension Composite {
    /// Why the copy of `key` that a cache gave is no longer what its parts make, in words: a part has another value now in the caches of its own
    /// pipeline, or none where they keep values. Nil where it is, as far as they know.
    ///
    /// Such a cache outlives the process, and others may write the same one: what they removed or replaced, this process was not told of.
    /// From now on changes of its parts expire the copy, as if it had been assembled here.
    ///
    /// - Parameter end: when the caches of the parts must have answered.
    func change(since copy: Entry, of key: Key, priority: Priority, until end: Timestamp?) async throws -> String? {
        guard let text = copy.variant else { return nil }
        // Another version wrote it, or a hand.
        if text.utf8.count > MadeFrom.mostBytes { return MadeFrom.tooMany }
        guard let madeFrom = MadeFrom(text: text) else { return "it does not say what it was made from" }
        if madeFrom.parts.count > FetchBounds.mostLoads { return MadeFrom.tooMany }
        // All are found before any is asked: a whole that asked for itself would wait for itself.
        let within = pipelinesWithin
        var groups: [(pipeline: DataPipeline, parts: [(key: Key, trait: WholeIndex.Trait)])] = []
        for (name, parts) in Dictionary(grouping: madeFrom.parts, by: \.key.pipeline).sorted(by: { $0.key < $1.key }) {
            guard let pipeline = directory[name] else { return "there is no pipeline `\(name.shortened)` any more" }
            if !within.contains(name) { return "it is not made from `\(name.shortened)` any more" }
            groups.append((pipeline, parts))
        }
        let live = live(key)
        let watch = watchesParts || live != nil ? wholes.assembly(of: key, observedAs: live, asksOrigins: false) : nil
        for (pipeline, parts) in groups {
            for part in parts { watch?.asks(part.key, of: pipeline) }
            // A copy of a part that has expired says what its value was all the same. That of a whole may have expired because it changed.
            let policy = pipeline.asksOthers ? .cacheOnly : FetchPolicy.offline
            let timeout = end.map { max(.zero, $0.duration(since: clock.now)) }
            let outcomes = try await pipeline.fetch(
                many: parts.map(\.key), policy: policy, priority: priority, timeout: timeout,
                for: PartDemand(policy: policy, priority: priority, end: end, isBound: end != nil)
            ) { _, _ in }
            for (part, outcome) in zip(parts, outcomes) {
                if let change = pipeline.change(in: outcome, since: part.trait) { return "`\(part.key)` \(change)" }
                watch?.uses(part.key, part.trait)
            }
        }
        let ending = watch?.end(until: keptUntil(created: copy.created, freshUntil: copy.freshUntil), at: clock.now)
        return (ending?.outdated).map { "`\($0)` \(DataPipeline.changed)" }
    }

    /// The pipelines whose values its wholes are made from, also by way of other composites; never its own.
    private var pipelinesWithin: Set<String> {
        var found: Set<String> = []
        var rest = [pipeline]
        while let name = rest.popLast() {
            // What was a composite before the file was read again is made from nothing now.
            guard name == pipeline || directory[name]?.asksOthers == true else { continue }
            for part in wholes.parts(of: name) where found.insert(part).inserted { rest.append(part) }
        }
        found.remove(pipeline)
        return found
    }
}

extension DataPipeline {
    fileprivate static let changed = "has changed since"

    /// Why `outcome`, what the caches have of a key, does not say that its value is `trait`, in words that follow the key; nil where it does, or
    /// says nothing.
    fileprivate func change(in outcome: Outcome, since trait: WholeIndex.Trait) -> String? {
        if let answer = outcome.answer { return WholeIndex.Trait(answer.payload) == trait ? nil : Self.changed }
        // What is only in memory ends with the process.
        if trait == .absent || asksOthers || !keepsValues { return nil }
        let hasFailed = outcome.attempts.contains { $0.outcome == .error || $0.outcome == .timeout }
        return hasFailed ? "cannot be compared: its caches have failed" : Self.changed
    }
}
