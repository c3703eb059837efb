import Pipeline
import PipelineLive
extension WholeIndex {
    enum Use {
        /// A part that has been asked for, and told meanwhile to be this.
        case asked(Trait?)
        case used(Trait)

        var used: Trait? { if case .used(let trait) = self { trait } else { nil } }

        /// What is known of it where it is not used.
        var known: Trait {
            switch self {
            case .used(let trait): trait
            case .asked(let told): told ?? .unknown
            }
        }
    }

    struct Running {
        let whole: Key
        let asksOrigins: Bool
        var uses: [Key: Use] = [:]
        /// The part that is no longer what was used.
        var outdated: Key?
        /// Whether observers rely on it to see a change.
        var isAwaited = false
    }

    /// What came of a part of an observed whole.
    struct Recollection {
        /// How long it will do where no cache keeps it.
        private static let pause = Duration.seconds(1)

        let trait: Trait
        let outcome: Outcome
        /// When it must be asked again.
        let until: Timestamp

        init(of outcome: Outcome, _ trait: Trait) {
            (self.trait, self.outcome) = (trait, outcome)
            let copy = outcome.isStale ? nil : outcome.answer
            let limit = copy.flatMap { $0.stored == nil ? outcome.keptUntil : $0.freshUntil ?? .distantFuture }
            until = limit ?? outcome.ended + Self.pause
        }
    }

    struct Kept {
        let number: UInt64
        let validity: Validity
        var parts: [Key: Trait]
        /// When no cache has it any more.
        var until: Timestamp
    }

    struct State {
        /// For each part the wholes made from it, by what it was, with the numbers of their registrations.
        var users: [Key: [Trait: [Key: UInt64]]] = [:]
        var kept: [Key: Kept] = [:]
        var numbers: [UInt64: Key] = [:]
        /// When the registrations end, those without a limit last. Includes those that are gone.
        var ends = DueHeap<UInt64>()
        var edges = 0
        var running: [UInt64: Running] = [:]
        var runningUsers: [Key: Set<UInt64>] = [:]
        var runningOf: [Key: Set<UInt64>] = [:]
        /// What came of the parts of observed wholes, by the live key; and the wholes that remember a part.
        var memories: [ObjectIdentifier: [Key: Recollection]] = [:]
        var rememberers: [Key: Set<ObjectIdentifier>] = [:]
        /// What was remembered, until it can be released without the lock.
        var forgotten: [Recollection] = []
        var last: UInt64 = 0
        var owners: [String: Owner] = [:]
        /// The pipelines whose kept wholes have been listed for their loads.
        var listed: Set<String> = []
    }
}

extension WholeIndex.State {
    /// How many wholes that have passed are looked at when one is added.
    private static let mostPassed = 8

    mutating func begin(_ whole: Key, asksOrigins: Bool) -> UInt64 {
        last += 1
        running[last] = WholeIndex.Running(whole: whole, asksOrigins: asksOrigins)
        runningOf[whole, default: []].insert(last)
        return last
    }

    mutating func ask(_ part: Key, _ number: UInt64) {
        guard running[number]?.uses[part] == nil else { return }
        running[number]?.uses[part] = .asked(nil)
        runningUsers[part, default: []].insert(number)
    }

    /// - Parameter recollection: what an observed whole remembers of the part from now on; nil for nothing new. Of a part whose origins were not
    ///   to be asked it remembers nothing.
    mutating func use(
        _ part: Key, _ trait: WholeIndex.Trait, _ number: UInt64, as recollection: (ObjectIdentifier, WholeIndex.Recollection)? = nil
    ) {
        let known = running[number]?.uses.updateValue(.used(trait), forKey: part)
        guard case .asked(let told)? = known else { return }
        if let told, told != trait {
            running[number]?.outdated = part
        } else if let (observed, recollection) = recollection, running[number]?.asksOrigins == true {
            forgotten += [memories[observed, default: [:]].updateValue(recollection, forKey: part)].compactMap(\.self)
            rememberers[part, default: []].insert(observed)
        }
    }

    /// Uses what came of the part when an observed whole asked it last, where that will do.
    mutating func recall(_ part: Key, _ number: UInt64, of observed: ObjectIdentifier, at now: Timestamp) -> Outcome? {
        guard let known = memories[observed]?[part], now < known.until else { return nil }
        use(part, known.trait, number)
        return known.outcome
    }

    /// An observed whole remembers only these of its parts.
    mutating func remember(only uses: [Key: WholeIndex.Use], of observed: ObjectIdentifier) {
        // Not each time: it is as much work as there are parts.
        guard let memory = memories[observed], memory.count > 2 * uses.count + 16 else { return }
        for part in memory.keys where uses[part] == nil { forget(part, of: observed) }
    }

    mutating func forgetParts(of observed: ObjectIdentifier) {
        for part in (memories[observed] ?? [:]).keys { forget(part, of: observed) }
        memories[observed] = nil
    }

    /// The part may be something else than `trait` now: what is remembered of it will not do any more.
    private mutating func forget(_ part: Key, unless trait: WholeIndex.Trait? = nil) {
        for observed in rememberers[part] ?? [] where trait == nil || memories[observed]?[part]?.trait != trait {
            forget(part, of: observed)
        }
    }

    private mutating func forget(_ part: Key, of observed: ObjectIdentifier) {
        forgotten += [memories[observed]?.removeValue(forKey: part)].compactMap(\.self)
        rememberers[part]?.remove(observed)
        if rememberers[part]?.isEmpty == true { rememberers[part] = nil }
    }

    /// Ends the assembly.
    mutating func take(_ number: UInt64) -> WholeIndex.Running? {
        guard let taken = running.removeValue(forKey: number) else { return nil }
        runningOf[taken.whole]?.remove(number)
        if runningOf[taken.whole]?.isEmpty == true { runningOf[taken.whole] = nil }
        for part in taken.uses.keys {
            runningUsers[part]?.remove(number)
            if runningUsers[part]?.isEmpty == true { runningUsers[part] = nil }
        }
        return taken
    }

    /// Whether a change of `key` concerns anything.
    func knows(_ key: Key, isGone: Bool) -> Bool {
        users[key] != nil || runningUsers[key] != nil || rememberers[key] != nil || isGone && kept[key] != nil
    }

    /// The keys of a pipeline of which there is something to know.
    func known(of pipeline: String) -> [Key] {
        Set(users.keys).union(runningUsers.keys).union(rememberers.keys).union(kept.keys).filter { $0.pipeline.hasSameBytes(as: pipeline) }
            .sorted { $0.text < $1.text }
    }

    /// Remembers the parts of a whole.
    ///
    /// - Parameter besides: whether also those that an earlier one was made from, which caches may hold.
    mutating func keep(
        _ whole: Key, _ validity: Validity, madeFrom used: [Key: WholeIndex.Trait], besides: Bool, until limit: Timestamp?
    ) {
        let earlier = drop(whole)
        last += 1
        var kept = WholeIndex.Kept(number: last, validity: validity, parts: used, until: limit ?? .distantFuture)
        if besides, let earlier {
            // The same registration: a change that is being dealt with concerns it.
            kept = WholeIndex.Kept(
                number: earlier.number, validity: earlier.validity, parts: earlier.parts.merging(used) { $1 },
                until: max(earlier.until, kept.until))
        }
        for (part, trait) in kept.parts { users[part, default: [:]][trait, default: [:]][whole] = kept.number }
        edges += kept.parts.count
        owners[whole.pipeline]?.keptCount += 1
        self.kept[whole] = kept
        numbers[kept.number] = whole
        ends.insert(kept.number, at: kept.until)
        // Mostly wholes that were assembled again, or are gone.
        if ends.count > 2 * self.kept.count + 64 { ends.keep { number, _ in numbers[number] != nil } }
    }

    /// Forgets the wholes that end first until no more than `most` uses are left. Returns those.
    mutating func evict(downTo most: Int) -> [WholeIndex.Affected] {
        var evicted: [WholeIndex.Affected] = []
        while edges > most, let first = ends.popFirst() {
            guard let whole = numbers[first] else { continue }
            drop(whole)?.validity.void()
            evicted.append(WholeIndex.Affected(whole: whole, number: nil))
        }
        return evicted
    }

    /// The kept wholes of `pipeline` that nothing is made from, and that are not being assembled, nor were a moment ago.
    func keptAlone(of pipeline: String) -> [WholeIndex.Affected] {
        kept.filter { whole, kept in
            kept.number + 64 < last && whole.pipeline.hasSameBytes(as: pipeline) && users[whole] == nil && runningUsers[whole] == nil
                && runningOf[whole] == nil
        }.map { WholeIndex.Affected(whole: $0.key, number: $0.value.number) }
    }

    /// A few wholes whose time has passed.
    mutating func takePassed(at now: Timestamp) -> [(whole: Key, number: UInt64)] {
        var passed: [(Key, UInt64)] = []
        while passed.count < Self.mostPassed, let first = ends.popFirst(dueAt: now) {
            if let whole = numbers[first] { passed.append((whole, first)) }
        }
        return passed
    }

    /// The time of a whole has passed at `now`, unless it has more by then: it is forgotten, or kept until `moment`.
    mutating func pass(_ whole: Key, _ number: UInt64, at now: Timestamp, lookingAgainAt moment: Timestamp?) {
        guard let known = kept[whole], known.number == number, known.until <= now else { return }
        if let moment { ends.insert(number, at: moment) } else { drop(whole) }
    }

    /// These parts, and what those were made from that are wholes.
    func withParts(of used: [Key: WholeIndex.Trait]) -> [Key: WholeIndex.Trait] {
        var (all, rest) = (used, Array(used.keys))
        while let part = rest.popLast() {
            for (inner, trait) in kept[part]?.parts ?? [:] where trait != .unknown && all.updateValue(trait, forKey: inner) == nil {
                rest.append(inner)
            }
        }
        return all
    }

    /// Forgets the parts of a whole.
    @discardableResult
    mutating func drop(_ whole: Key) -> WholeIndex.Kept? {
        guard let dropped = kept.removeValue(forKey: whole) else { return nil }
        numbers[dropped.number] = nil
        edges -= dropped.parts.count
        owners[whole.pipeline]?.keptCount -= 1
        for (part, trait) in dropped.parts {
            users[part]?[trait]?[whole] = nil
            if users[part]?[trait]?.isEmpty == true { users[part]?[trait] = nil }
            if users[part]?.isEmpty == true { users[part] = nil }
        }
        return dropped
    }
}

extension WholeIndex.State {
    /// The wholes that were made from another value of `part`, and those that are being made from one, which are outdated. Takes as long as
    /// there are different values of it, and assemblies that run; what is made from these wholes is found by ``settle(_:)``.
    ///
    /// - Parameters:
    ///   - trait: what the part is now; nil where that is not known.
    ///   - isGone: whether it was removed: then it is forgotten, too, where it is a whole itself.
    mutating func affected(
        by part: Key, _ trait: WholeIndex.Trait?, isGone: Bool = false, isNested: Bool = false
    ) -> [WholeIndex.Affected] {
        if isGone { drop(part)?.validity.void() }
        forget(part, unless: trait)
        var affected: [WholeIndex.Affected] = []
        for (known, wholes) in users[part] ?? [:] where known != trait {
            affected += wholes.lazy.map { WholeIndex.Affected(whole: $0, number: $1, isNested: isNested) }
            users[part]?[known] = nil
        }
        if users[part]?.isEmpty == true { users[part] = nil }
        for number in runningUsers[part] ?? [] {
            guard let run = running[number], let use = run.uses[part] else { continue }
            switch (use, trait) {
            // What it is given may be what it was before.
            case (.asked, nil): running[number]?.uses[part] = .asked(.unknown)
            case (_, nil): break
            // The load that it waits for may be the one that brings this value.
            case (.asked, let trait?):
                running[number]?.uses[part] = .asked(trait)
                continue
            case (.used(let used), let trait?): if used == trait { continue }
            }
            running[number]?.outdated = part
            affected.append(WholeIndex.Affected(whole: run.whole, number: nil, isNested: isNested))
        }
        return affected
    }

    /// Forgets these wholes. Returns them, true where their answers must not be written that are still loaded: only a load that knows the change
    /// already goes on; and what is made from them.
    mutating func settle(_ affected: some Sequence<WholeIndex.Affected>) -> (wholes: [Key: Bool], next: [WholeIndex.Affected]) {
        var (wholes, next): ([Key: Bool], [WholeIndex.Affected]) = ([:], [])
        for change in affected {
            var isVoid = change.isNested
            if let number = change.number {
                // It may have been assembled again meanwhile.
                guard kept[change.whole]?.number == number else { continue }
                drop(change.whole)?.validity.void()
                if !isRenewed(change.whole) { isVoid = true }
            } else {
                isVoid = true
            }
            if wholes[change.whole] == nil { next += self.affected(by: change.whole, nil, isNested: true) }
            wholes[change.whole] = (wholes[change.whole] ?? false) || isVoid
        }
        return (wholes, next)
    }

    /// Whether an assembly of it runs that gives what its parts are now. Its observers rely on that.
    private mutating func isRenewed(_ whole: Key) -> Bool {
        let renewing = (runningOf[whole] ?? []).filter { number in running[number].map { $0.asksOrigins && $0.outdated == nil } ?? false }
        for number in renewing { running[number]?.isAwaited = true }
        return !renewing.isEmpty
    }

    /// What was made from these wholes, of which copies were expiring. What is being made from them is outdated: it may have been given a copy.
    mutating func usersMeanwhile(of wholes: some Sequence<Key>) -> [WholeIndex.Affected] {
        var affected: [WholeIndex.Affected] = []
        for whole in wholes {
            forget(whole)
            for number in runningUsers[whole] ?? [] { running[number]?.outdated = whole }
            for wholes in (users.removeValue(forKey: whole) ?? [:]).values {
                affected += wholes.lazy.map { WholeIndex.Affected(whole: $0, number: $1, isNested: true) }
            }
        }
        return affected
    }
}
