package import Pipeline
import Synchronization

/// A key that others than its feeds change: it has a value, and is told of loads, as long as this is not released. Its feeds run only for its
/// observers.
package final class ChangedKey: Sendable {
    private let live: LiveKey
    private let search: Task<Void, Never>?

    fileprivate init(_ live: LiveKey, searching search: Task<Void, Never>?) { (self.live, self.search) = (live, search) }

    deinit { live.lives.release(live, isFed: false) }

    /// Waits until the caches were asked for a copy.
    package func awaitBase() async { await search?.value }

    /// The value, without what is laid over it; nil if there is none. Its payload is whole.
    package var base: Entry? {
        let join = live.state.withLock { $0.content.joining() }
        return join().flatMap { $0.isNotFound ? nil : $0 }
    }

    /// Lays `overlay` over the value for observers, in the place of what was laid over it before; nil for nothing.
    package func lay(_ overlay: Overlay?) { live.change { $0.content.lay(overlay) } }

    /// Merges `change` into the value, and lays `overlay` over it in the same moment. Loads that began before get the change; it is written to
    /// the caches.
    package func apply(_ change: Change, laying overlay: Overlay?) {
        let now = live.clock.now
        let (effect, mustWrite) = live.change { state -> (MergeEffect, Bool) in
            state.content.lay(overlay)
            if state.isOver { return (.unchanged, false) }
            let before = state.content.revision
            let effect = state.content.apply(change, at: now)
            guard state.content.revision != before else { return (effect, false) }
            return (effect, state.caches.beginWriting())
        }
        if mustWrite { live.writeChanges() }
        switch effect {
        case .refresh, .overflowed, .faulty: live.wantRefresh()
        case .changed, .unchanged, .kept, .dropped, .failed: break
        }
    }

    /// Has the value loaded again, soon and in the background.
    package func wantRefresh() { live.wantRefresh() }
}

extension DataPipeline {
    /// Holds `key` for changes that come from elsewhere than its feeds; nil when everything has ended.
    package func changed(_ key: Key) -> ChangedKey? {
        guard let live = lives.hold(key, of: self, isFed: false) else { return nil }
        return ChangedKey(live, searching: live.findBase(with: self))
    }
}
