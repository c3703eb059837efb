extension Loader {
    /// Tells the followers of each load.
    func followed(by followers: Followers) -> Loader {
        Loader(name) { call, trail, standing in
            let all = followers.all
            var reply =
                all.isEmpty
                ? try await load(call, trail, standing)
                : try await Self.through(all[...], standing) {
                    try await load(call, trail, $0)
                } step: {
                    try await $0.loading(call, $1, $2)
                }
            // One that came meanwhile has a load, too.
            for new in followers.all where !all.contains(where: { $0 === new }) {
                reply = try await new.loading(call, standing) { [reply] _ in reply }
            }
            return reply
        }
    }

    /// Has the followers see an origin's answer before it is written.
    ///
    /// - Parameter limit: when the copies of an answer stop being fresh.
    func landing(in followers: Followers, freshUntil limit: @escaping @Sendable (Entry) -> Timestamp?) -> Loader {
        Loader(name) { call, trail, standing in
            if followers.isEmpty || !call.policy.writes { return try await load(call, trail, standing) }
            return try await Self.through(followers.all[...], standing) {
                try await load(call, trail, $0)
            } step: {
                try await $0.landing(call, $1, freshUntil: limit, $2)
            }
        }
    }

    /// Calls `step` for each follower, the first around the others.
    private static func through(
        _ followers: ArraySlice<any KeyFollower>, _ standing: Standing, _ load: @escaping Following,
        step: @escaping @Sendable (any KeyFollower, Standing, Following) async throws -> LoadReply
    ) async throws -> LoadReply {
        guard let first = followers.first else { return try await load(standing) }
        let rest = followers.dropFirst()
        if rest.isEmpty { return try await step(first, standing, load) }
        return try await step(first, standing) { try await through(rest, $0, load, step: step) }
    }
}

extension Followers {
    /// Stores by `store` what the value of a key is by now, in its turn.
    func storing(_ entry: Entry, _ coming: Coming, for key: Key, _ permit: Generations.WritePermit?, _ store: (Entry) async -> Void) async {
        if isEmpty { return await store(entry) }
        await Self.storing(all[...], entry, coming, for: key, permit, store)
    }

    private static func storing(
        _ followers: ArraySlice<any KeyFollower>, _ entry: Entry, _ coming: Coming, for key: Key,
        _ permit: Generations.WritePermit?, _ store: (Entry) async -> Void
    ) async {
        guard let first = followers.first else { return await store(entry) }
        await first.storing(entry, coming, for: key, permit) { entry in
            await storing(followers.dropFirst(), entry, coming, for: key, permit, store)
        }
    }
}
