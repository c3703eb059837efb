internal import Pipeline

// MARK: - Those that wait after a rest

extension OriginMachine {
    /// The number of requests that wait.
    var waitingCount: Int { askers.count }

    /// Indicates whether a request of `asker` need not wait for another one, as the first ones after a rest do.
    func isFree(_ asker: RequestAsker) -> Bool {
        let bounds = rests.bounds(of: asker)
        if bounds.isEmpty { return true }
        return parked[asker] == nil && hasRoom(for: asker, bounds)
    }

    private func hasRoom(for asker: RequestAsker, _ bounds: [(place: OriginRests.Place, allowed: Int)]) -> Bool {
        bounds.allSatisfy { place, allowed in
            // Those that wait for nothing but their turn count as well.
            let queued = askers.count { place.holds($0.value) && queue[$0.key] != nil }
            return requests.values.count { place.holds($0.asker) } + queued < allowed
        }
    }

    /// Lets those that waited for a request of `ended` wait for nothing but their turn from now on, as far as there may be more; nil for
    /// all.
    mutating func release(_ ended: RequestAsker? = nil, at now: Double) {
        if parked.isEmpty { return }
        let concerned = parked.filter { asker, _ in
            ended.map { asker.required == $0.required || asker.isOptional && $0.isOptional } ?? true
        }
        for (asker, waiting) in concerned.sorted(by: { $0.value.firstNumber < $1.value.firstNumber }) {
            var waiting = waiting
            while hasRoom(for: asker, rests.bounds(of: asker)), let number = waiting.next(at: now, needed: 0, where: { _ in true }),
                let waiter = waiting.remove(number)
            {
                queue.add(number, waiter.priority, deadline: waiter.deadline, at: waiter.arrived)
            }
            parked[asker] = waiting.isEmpty ? nil : waiting
        }
    }

    /// Takes out a request that waits. False when it does not.
    mutating func remove(_ number: RequestNumber) -> Bool {
        guard let asker = askers.removeValue(forKey: number) else { return false }
        if queue.remove(number) == nil, var waiting = parked[asker] {
            waiting.remove(number)
            parked[asker] = waiting.isEmpty ? nil : waiting
        }
        return true
    }

    /// Takes out the newest of the least important that wait, where it is less important than `priority`. Those that waited for it go on.
    mutating func removeLeast(below priority: Priority, at now: Double) -> RequestQueue.Waiter? {
        var least = queue.least
        for asker in parked.keys {
            guard let other = parked[asker]?.least else { continue }
            if least.map({ (other.priority, $0.number) < ($0.priority, other.number) }) ?? true { least = other }
        }
        guard let least, least.priority < priority, let asker = askers[least.number], remove(least.number) else { return nil }
        release(asker, at: now)
        return least
    }
}
