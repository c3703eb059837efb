import Synchronization

extension WriteQueue {
    /// Waits until the keys that are meant have settled. Throws when the task is cancelled.
    func settle(
        where isAwaited: (Key) -> Bool, isSettled: @escaping @Sendable (WriteLane) -> Bool = \.isSettled
    ) async throws {
        let race = Race<Void>()
        let mustWait = state.withLock { state in
            let keys = Set(state.lanes.filter { isAwaited($0.key) && !isSettled($0.value) }.keys)
            if !keys.isEmpty {
                state.settlings[ObjectIdentifier(race)] = Settling(keys: keys, isSettled: isSettled, race: race)
            }
            return !keys.isEmpty
        }
        guard mustWait else { return }
        defer { state.withLock { $0.settlings[ObjectIdentifier(race)] = nil } }
        try await race.value()
    }

    /// Those who waited for `key` alone.
    static func settled(by key: Key, in state: inout State) -> [Race<Void>] {
        guard !state.settlings.isEmpty else { return [] }
        let lane = state.lanes[key] ?? WriteLane()
        var ready: [Race<Void>] = []
        for (id, settling) in state.settlings where settling.keys.contains(key) && settling.isSettled(lane) {
            state.settlings[id]?.keys.remove(key)
            if settling.keys.count == 1 { ready.append(settling.race) }
        }
        return ready
    }
}
