extension Loader {
    /// Tells the live key, if it is one, that a load runs and what it found.
    func noting(in lives: LiveKeys) -> Loader {
        Loader(name) { request in
            guard let live = lives[request.key] else {
                let reply = try await load(request)
                // It may have become one meanwhile.
                if let live = lives[request.key] { live.endLoad(live.beginLoad(), with: reply, of: request) }
                return reply
            }
            var request = request
            let number = live.beginLoad()
            request.liveLoad = number
            do {
                let reply = try await load(request)
                live.endLoad(number, with: reply, of: request)
                return reply
            } catch {
                live.endLoad(number, with: nil, of: request)
                throw error
            }
        }
    }

    /// An origin's answers land in the live key: as they are, with every change that came since the origin was asked. A whole also where a part has
    /// changed meanwhile, and no cache takes it: its observers must not wait until nothing changes.
    ///
    /// - Parameter limit: when the copies of an answer stop being fresh.
    func landing(in lives: LiveKeys, freshUntil limit: @escaping @Sendable (Entry) -> Timestamp?) -> Loader {
        Loader(name) { request in
            guard request.policy.writes, let live = lives[request.key] else { return try await load(request) }
            let mark = live.beginAsking()
            do {
                var reply = try await load(request)
                switch reply.answer {
                case .value(let entry) where reply.composition != nil || request.permit?.isCurrent ?? true:
                    let landed = live.land(
                        entry, from: reply.source, mark, of: request.liveLoad, freshUntil: limit(entry), madeFrom: reply.composition)
                    reply.answer = landed.isNotFound ? .notFound(landed) : .value(landed)
                case .notFound(let entry) where reply.composition != nil || request.permit?.isCurrent ?? true:
                    _ = live.land(
                        entry, from: reply.source, mark, of: request.liveLoad, freshUntil: limit(entry), madeFrom: reply.composition)
                default: live.endAsking(mark)
                }
                return reply
            } catch {
                live.endAsking(mark)
                throw error
            }
        }
    }
}
