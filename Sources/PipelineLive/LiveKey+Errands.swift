import Pipeline
import Synchronization

extension LiveKey {
    /// The work that is done for a key in the background.
    struct Errands {
        /// One such work.
        struct Errand {
            let task: Task<Void, Never>
            /// Indicates whether nobody needs it when the last observer has left.
            let isForObservers: Bool
        }

        /// The errands that run, by number.
        private var running: [UInt64: Errand] = [:]
        private var last: UInt64 = 0

        /// The number of a new errand.
        mutating func next() -> UInt64 {
            last += 1
            return last
        }

        /// Notes what is done under `number`.
        mutating func add(_ errand: Errand, as number: UInt64) { running[number] = errand }

        /// Forgets an errand, and returns it.
        mutating func remove(_ number: UInt64) -> Errand? { running.removeValue(forKey: number) }

        /// Forgets the errands that `isOver` picks, and returns their tasks.
        mutating func take(where isOver: (Errand) -> Bool) -> [Task<Void, Never>] {
            let gone = running.filter { isOver($0.value) }
            for number in gone.keys { running[number] = nil }
            return gone.values.map(\.task)
        }
    }

    /// Does `work` in the background until the key ends, or the pipelines are shut down.
    ///
    /// - Parameter isForObservers: whether it ends also when the last observer leaves, where there is one now.
    func run(forObservers isForObservers: Bool, with pipeline: DataPipeline, _ work: @escaping @Sendable () async -> Void) {
        let task = state.withLock { state -> Task<Void, Never>? in
            if state.isOver { return nil }
            let number = state.errands.next()
            // Ends with its work; cancelled by `leave(_:)` or `end()`.
            let task = Task {
                await work()
                _ = self.state.withLock { $0.errands.remove(number) }
            }
            state.errands.add(Errands.Errand(task: task, isForObservers: isForObservers && !state.audience.isEmpty), as: number)
            return task
        }
        if let task { pipeline.background.adopt(task) }
    }
}
