import Synchronization

/// Tells whether a key was removed while somebody worked with an older answer for it. Invalidation wins.
///
/// A load takes a ``Ticket`` when it begins; a removal makes the tickets of its key worthless, those that are out and those that are
/// taken until it has ended: what is loaded meanwhile may come from a cache that has not forgotten yet. Only keys with a ticket out or
/// a removal under way are remembered, so the memory is bounded by what runs.
final class Generations: Sendable {
    private struct Record {
        var generation: UInt64 = 0
        var tickets = 0
        var removals = 0

        var isIdle: Bool { tickets == 0 && removals == 0 }
    }

    private struct State {
        var keys: [Key: Record] = [:]
        var clears = 0
    }

    private let state = Mutex(State())

    /// The right to write what was loaded, until the key is removed. Held by the load and by each of its writes.
    final class Ticket: Sendable {
        private let key: Key
        private let generation: UInt64
        private let generations: Generations

        fileprivate init(key: Key, generation: UInt64, generations: Generations) {
            self.key = key
            self.generation = generation
            self.generations = generations
        }

        deinit {
            generations.giveBack(key)
        }

        /// Whether the key was not removed since the ticket was taken.
        var isCurrent: Bool { generations.isCurrent(generation, of: key) }
    }

    /// How many keys have tickets out, for tests.
    var count: Int { state.withLock { $0.keys.count } }

    func ticket(for key: Key) -> Ticket {
        let generation = state.withLock { state in
            state.keys[key, default: Record()].tickets += 1
            return state.keys[key]?.generation ?? 0
        }
        return Ticket(key: key, generation: generation, generations: self)
    }

    /// Makes the tickets of `key` worthless, until `endRemoval` also those that are taken.
    func beginRemoval(of key: Key) {
        state.withLock { state in
            state.keys[key, default: Record()].removals += 1
        }
    }

    /// The removal has ended: tickets taken from now on are good.
    func endRemoval(of key: Key) {
        state.withLock { state in
            Self.change(key, in: &state) { record in
                record.removals -= 1
                record.generation += 1
            }
        }
    }

    /// Makes every ticket worthless, until `endClear` also those that are taken.
    func beginClear() {
        state.withLock { $0.clears += 1 }
    }

    /// The clear has ended: tickets taken from now on are good.
    func endClear() {
        state.withLock { state in
            state.clears -= 1
            for key in state.keys.keys { state.keys[key]?.generation += 1 }
        }
    }

    private func isCurrent(_ generation: UInt64, of key: Key) -> Bool {
        state.withLock { state in
            guard state.clears == 0, let record = state.keys[key] else { return false }
            return record.removals == 0 && record.generation == generation
        }
    }

    private func giveBack(_ key: Key) {
        state.withLock { state in
            Self.change(key, in: &state) { $0.tickets -= 1 }
        }
    }

    private static func change(_ key: Key, in state: inout State, _ body: (inout Record) -> Void) {
        guard var record = state.keys[key] else { return }
        body(&record)
        state.keys[key] = record.isIdle ? nil : record
    }
}
