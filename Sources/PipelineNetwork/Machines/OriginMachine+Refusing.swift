internal import Pipeline

// Which requests are refused at once, and which are while they wait.
extension OriginMachine {
    /// Refuses those that wait, and that what just began to rest holds back.
    mutating func refuseHeld(by places: [OriginRests.Place], at now: Double) {
        if places.isEmpty { return }
        pass(at: now)
        for (number, asker) in askers.sorted(by: { $0.key < $1.key }) where places.contains(where: { $0.holds(asker) }) {
            guard let refusal = resting(asker, at: now), remove(number) else { continue }
            refuse(number, refusal)
        }
        // What was refused may be what others waited for.
        release(at: now)
        for place in places {
            guard let end = rests.end(of: place) else { continue }
            report(.rested(until: moment(end), source: place.source))
        }
    }

    func resting(_ asker: RequestAsker, at now: Double) -> RequestRefusal? {
        rests.hold(of: asker, at: now).map { .resting(until: moment($0.until), left: .seconds($0.until - now), after: $0.status) }
    }

    /// Lets the origin rest when a host that answered 503, and then nothing, may be down.
    mutating func noticeSilence(at now: Double) {
        guard rests.isSilent(at: now) else { return }
        let isSilent = requests.values.contains { $0.head == nil && now - $0.begun >= OriginRests.silence }
        refuseHeld(by: rests.restOrigin(isSilent: isSilent, at: now), at: now)
    }

    /// The refusal of a request whose token comes too late: each request before this one takes a token first.
    mutating func paced(_ priority: Priority, _ deadline: Timestamp?, at now: Double) -> RequestRefusal? {
        guard let deadline, let token = bucket?.nextToken(after: queue.count(from: priority), at: now) else { return nil }
        let left = seconds(deadline) - now
        return token > now && token - now > left ? .paced(in: .seconds(token - now), left: .seconds(Swift.max(0, left))) : nil
    }

    func tooLate(_ priority: Priority, _ deadline: Timestamp?, at now: Double) -> RequestRefusal? {
        guard let deadline, wholes.count >= 20, let usual = wholes.quantile(0.95), let rate = service.rate(at: now) else { return nil }
        let ahead = queue.count(from: priority)
        let left = seconds(deadline) - now
        let expected = Double(ahead) / rate + usual
        guard ahead > 0, expected > left else { return nil }
        return .tooLate(waiting: ahead, expected: .seconds(expected), left: .seconds(Swift.max(0, left)))
    }

    /// Makes room in a full queue, or says that there is none.
    mutating func queueFull(_ priority: Priority, at now: Double) -> RequestRefusal? {
        guard waitingCount >= limits.queue else { return nil }
        let refusal = RequestRefusal.queueFull(waiting: waitingCount)
        guard let least = removeLeast(below: priority, at: now) else { return refusal }
        refuse(least.number, refusal)
        return nil
    }
}
