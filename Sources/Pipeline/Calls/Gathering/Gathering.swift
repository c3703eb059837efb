import Synchronization

/// Keys that are fetched together. Those that come to a source that reads several at once wait there until none of the others is on its way
/// to it: until each waits, too, has its answer, or waits for what another fetch loads.
package final class Gathering: Sendable {
    /// One of the keys.
    package struct Member: Sendable {
        let gathering: Gathering
        fileprivate let index: Int

        /// It waits for something that others do, or its fetch has ended: nothing waits for it any more.
        func leave() { gathering.leave(index) }

        /// Its answer asks for a refresh: those of all members belong together.
        func keepRefresh(of key: Key, from reply: LoadReply) { gathering.state.withLock { $0.refreshes[index] = (key, reply) } }

        /// Its call has begun.
        func beginCall() { gathering.state.withLock { $0.move(index, to: .calling) } }

        /// Its call has ended, and it goes on.
        func endCall() { gathering.state.withLock { $0.move(index, to: .onTheWay) } }

        /// It waits at a source, which is asked when none of the others is on its way.
        func wait(_ gathered: Gathered) { gathering.wait(gathered, index) }

        func stopWaiting(_ gathered: Gathered) { gathering.stopWaiting(gathered, index) }
    }

    private enum Place {
        case onTheWay
        case waiting
        case calling
        case gone
    }

    private struct State {
        var places: [Place]
        var onTheWay: Int
        var waiting: [(index: Int, gathered: Gathered)] = []
        /// Rings when one has waited too long.
        var alarm = AlarmSlot()
        /// Whether one has waited too long: none waits for the others any more.
        var isLate = false
        var refreshes: [Int: (key: Key, reply: LoadReply)] = [:]

        /// One that is gone stays so.
        mutating func move(_ index: Int, to place: Place) {
            guard places[index] != .gone else { return }
            if places[index] == .onTheWay { onTheWay -= 1 }
            if place == .onTheWay { onTheWay += 1 }
            places[index] = place
        }

        /// Those that wait, when nothing else is on its way, or that would take too long.
        mutating func ready() -> [Gathered] { onTheWay == 0 || isLate ? takeWaiting() : [] }

        mutating func takeWaiting() -> [Gathered] {
            defer { waiting = [] }
            return waiting.sorted { $0.index < $1.index }.map(\.gathered)
        }
    }

    /// How long keys wait for the others at most where no deadline bounds that: caches mostly take less.
    private static let patience = Duration.milliseconds(500)

    private let state: Mutex<State>
    private let clock: PipelineClock

    /// `count` keys that begin now.
    init(_ count: Int, clock: PipelineClock) {
        state = Mutex(State(places: Array(repeating: .onTheWay, count: count), onTheWay: count))
        self.clock = clock
    }

    func member(_ index: Int) -> Member { Member(gathering: self, index: index) }

    /// The fetch of all of them has ended. Gives the refreshes that were kept, in the order of the members.
    func end() -> [(key: Key, reply: LoadReply)] {
        state.withLock { state in
            state.alarm.cancel(on: clock)
            defer { state.refreshes = [:] }
            return state.refreshes.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private func leave(_ index: Int) {
        Gatherer.submit(
            state.withLock { state in
                state.move(index, to: .gone)
                return state.ready()
            })
    }

    private func wait(_ gathered: Gathered, _ index: Int) {
        let half = max(.zero, gathered.end.duration(since: gathered.since)) / 2
        let latest = gathered.since + (gathered.call.deadline == nil ? min(half, Self.patience) : half)
        let ready = state.withLock { state in
            state.move(index, to: .waiting)
            state.waiting.append((index, gathered))
            let ready = state.ready()
            // One that takes long must not cost the others all their time.
            if ready.isEmpty { state.alarm.set(by: latest, on: clock) { [weak self] _ in self?.goOnLate() } }
            return ready
        }
        Gatherer.submit(ready)
    }

    private func goOnLate() {
        Gatherer.submit(
            state.withLock { state in
                state.isLate = true
                return state.ready()
            })
    }

    private func stopWaiting(_ gathered: Gathered, _ index: Int) {
        let ready = state.withLock { state in
            state.waiting.removeAll { $0.gathered === gathered }
            state.move(index, to: .gone)
            return state.ready()
        }
        if ready.isEmpty { return }
        // In a task of its own, which ends with that: this is called while another task is cancelled, and a load may begin on this thread.
        Task { Gatherer.submit(ready) }
    }
}
