extension Loader {
    /// Lets an origin confirm what the caches below it hold. They are read before it is asked, unless a cache above had a copy that it can
    /// confirm.
    func confirmingCopies(in caches: [Tier]) -> Loader {
        guard !caches.isEmpty else { return self }
        let looks = caches.map { (name: $0.name, loader: $0.lookingAgain()) }
        return Loader(name) { call, trail, standing in
            guard call.policy.readsCaches, trail.newestCopy(confirmableBy: name) == nil else {
                return try await load(call, trail, standing)
            }
            var known = trail
            for look in looks {
                let reply = try await look.loader.load(call, trail, standing)
                known.expired += reply.expired
                // That a copy is fresh is no reason to load it again.
                if let entry = reply.entry { known.expired.append(ExpiredCopy(source: look.name, entry: entry, since: entry.created)) }
            }
            return try await load(call, known, standing)
        }
    }
}

extension Trail {
    /// The newest of the expired copies that `origin` can confirm; of equal ones the first.
    func newestCopy(confirmableBy origin: String) -> Entry? {
        var newest: Entry?
        for copy in expired where copy.entry.isConfirmable(by: origin) && newest.map({ $0.created < copy.entry.created }) ?? true {
            newest = copy.entry
        }
        return newest
    }
}

extension Entry {
    /// Whether `origin` gave this entry and can confirm it.
    fileprivate func isConfirmable(by origin: String) -> Bool {
        payload != nil && hasValidator && source == origin
    }
}
