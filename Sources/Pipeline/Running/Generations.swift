import Synchronization

/// Tells whether a key was removed while somebody worked with an older answer for it. Invalidation wins.
///
/// A load takes a ``Ticket`` when it begins; a removal raises the generation; a ticket of an older generation writes nothing. Only
/// keys with a ticket out are remembered, so the memory is bounded by what runs.
final class Generations: Sendable {
    private struct Record {
        var generation: UInt64 = 0
        var tickets = 0
    }

    private struct State {
        var keys: [Key: Record] = [:]
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
        var isCurrent: Bool { generations.generation(of: key) == generation }
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

    /// Makes every ticket of `key` worthless.
    func raise(_ key: Key) {
        state.withLock { state in
            if state.keys[key] != nil { state.keys[key]?.generation += 1 }
        }
    }

    /// Makes every ticket worthless.
    func raiseAll() {
        state.withLock { state in
            for key in state.keys.keys { state.keys[key]?.generation += 1 }
        }
    }

    private func generation(of key: Key) -> UInt64? {
        state.withLock { $0.keys[key]?.generation }
    }

    private func giveBack(_ key: Key) {
        state.withLock { state in
            guard var record = state.keys[key] else { return }
            record.tickets -= 1
            state.keys[key] = record.tickets == 0 ? nil : record
        }
    }
}
