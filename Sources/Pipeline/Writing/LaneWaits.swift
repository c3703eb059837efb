/// The tasks that wait for the lanes of certain keys to settle.
///
/// A lane that ends finds its waiters by its key, so that a flush of many keys costs each of them the same.
struct LaneWaits: Sendable {
    private struct Wait {
        var remaining: Int
        let isSettled: @Sendable (WriteLane) -> Bool
        let race: Race<Void>
    }

    private var waits: [UInt64: Wait] = [:]
    /// May name waits that have left.
    private var byKey: [Key: [UInt64]] = [:]
    private var last: UInt64 = 0

    /// Finishes `race` when the lanes of all `keys`, at least one, have settled; returns what ``remove(_:)`` takes.
    mutating func add(_ race: Race<Void>, for keys: [Key], isSettled: @escaping @Sendable (WriteLane) -> Bool) -> UInt64 {
        last += 1
        let id = last
        waits[id] = Wait(remaining: keys.count, isSettled: isSettled, race: race)
        for key in keys { byKey[key, default: []].append(id) }
        return id
    }

    /// Removes a wait whose task no longer waits.
    mutating func remove(_ id: UInt64) {
        waits[id] = nil
        if waits.isEmpty { byKey = [:] }
    }

    /// Removes the waits that end with this change of the lane of `key`, and returns them.
    mutating func take(settledBy lane: WriteLane, of key: Key) -> [Race<Void>] {
        guard let ids = byKey[key] else { return [] }
        var over: [UInt64] = []
        let left = ids.filter { id in
            guard let wait = waits[id] else { return false }
            guard wait.isSettled(lane) else { return true }
            if wait.remaining == 1 { over.append(id) }
            waits[id]?.remaining -= 1
            return false
        }
        byKey[key] = left.isEmpty ? nil : left
        let races = over.compactMap { waits[$0]?.race }
        for id in over { remove(id) }
        return races
    }
}
