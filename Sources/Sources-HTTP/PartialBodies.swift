import Pipeline
import Synchronization

/// The beginnings of downloads that broke off, by the key of their load. In memory alone: at most 100 of at most 32 MiB each, and each until
/// its key is removed.
final class PartialBodies: Sendable {
    private static let most = 100
    private static let mostBytes = 32 << 20

    private struct Kept {
        let part: PartialBody
        /// Whether the key was removed since.
        let permit: Generations.WritePermit?
        let number: UInt64
    }

    private struct State {
        var parts: [Key: Kept] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The part of `key`; nil when there is none, or when the key was removed since.
    subscript(key: Key) -> PartialBody? {
        guard let kept = state.withLock({ $0.parts[key] }) else { return nil }
        guard kept.permit?.isCurrent ?? true else {
            drop(key)
            return nil
        }
        return kept.part
    }

    /// Forgets the part of `key`.
    func drop(_ key: Key) {
        let dropped = state.withLock { $0.parts.removeValue(forKey: key) }
        withExtendedLifetime(dropped) {}
    }

    /// Keeps `part` in place of an earlier one; the oldest goes where there are too many.
    func keep(_ part: PartialBody, of key: Key, _ permit: Generations.WritePermit?) {
        guard !part.bytes.isEmpty, part.bytes.count <= Self.mostBytes else { return }
        // What goes does so after the lock: the last use of a permit takes a lock of its own.
        let dropped = state.withLock { state -> [Kept] in
            state.lastNumber += 1
            var dropped = [state.parts.updateValue(Kept(part: part, permit: permit, number: state.lastNumber), forKey: key)]
            if state.parts.count > Self.most, let oldest = state.parts.min(by: { $0.value.number < $1.value.number })?.key {
                dropped.append(state.parts.removeValue(forKey: oldest))
            }
            return dropped.compactMap(\.self)
        }
        withExtendedLifetime(dropped) {}
        permit?.whenWorthless(for: self) { [weak self] in self?.drop(key) }
    }

    /// How many parts are kept, for tests.
    var count: Int { state.withLock { $0.parts.count } }
}
