extension WriteLane {
    /// A change of the cache.
    package struct Operation: Sendable {
        package enum Change: Sendable {
            case write(Entry)
            case remove
        }

        /// The approximate bytes that a waiting write takes besides its payload, in the queue and elsewhere.
        static let bookkeeping = 500

        /// Given the entry of a write; nil for a removal.
        package typealias Sparing = @Sendable (Entry?) async throws -> Ending?

        let change: Change
        // Many values wait at a time, and a duration takes twice the room.
        private var debounceNanoseconds: Int64 = -1
        private var maxDelayNanoseconds: Int64 = 0
        private var limitNanoseconds: Int64 = -1
        /// The permit to write it; nil where none is needed.
        let permit: Generations.WritePermit?
        /// Replaces the whole operation by less where that is enough, in its turn. A write: the source holds the same value, whose times it
        /// renews where they are older. A removal: the copy is marked as expired. Nil when all of it must be done.
        var sparing: Sparing?
        /// Called when it has ended; again when a debounced write that failed is tried again.
        var completion: @Sendable (Ending) -> Void
        /// Whether what the cache held before must no longer be served: this value was put, or replaces it.
        var isReplacement: Bool
        /// Whether what the cache held before goes where this cannot be written: so for what was put, and for a refresh that was asked for.
        var leavesNoOlder: Bool

        package init(
            change: Change, debounce: Duration? = nil, maxDelay: Duration = .zero, permit: Generations.WritePermit? = nil,
            sparing: Sparing? = nil, completion: @escaping @Sendable (Ending) -> Void = { _ in }
        ) {
            self.change = change
            self.permit = permit
            self.sparing = sparing
            self.completion = completion
            isReplacement = permit?.isReplacement ?? false
            leavesNoOlder = isReplacement
            self.debounce = debounce
            self.maxDelay = maxDelay
        }

        /// How long the key must be quiet before this is written; nil writes at once.
        var debounce: Duration? {
            get { debounceNanoseconds < 0 ? nil : .nanoseconds(debounceNanoseconds) }
            set { debounceNanoseconds = newValue?.saturatedNanoseconds ?? -1 }
        }

        /// The longest time it may wait.
        var maxDelay: Duration {
            get { .nanoseconds(maxDelayNanoseconds) }
            set { maxDelayNanoseconds = newValue.saturatedNanoseconds }
        }

        /// How long it may take once begun; nil without a limit.
        package var limit: Duration? {
            get { limitNanoseconds < 0 ? nil : .nanoseconds(limitNanoseconds) }
            set { limitNanoseconds = newValue?.saturatedNanoseconds ?? -1 }
        }

        /// This operation, with a time to carry it out.
        func within(_ limit: Duration?) -> Operation {
            var operation = self
            operation.limit = limit
            return operation
        }

        var isDebounced: Bool { debounceNanoseconds >= 0 }

        var isRemoval: Bool {
            if case .remove = change { true } else { false }
        }

        /// What is written; nil for a removal.
        var entry: Entry? {
            if case .write(let entry) = change { entry } else { nil }
        }

        /// Whether reads see it before it is made. A value that is put replaces what the cache holds from the beginning: that must no longer
        /// be promoted.
        var isSeen: Bool { isDebounced || isRemoval || isReplacement }

        /// Whether the key was not removed or replaced since.
        var isCurrent: Bool { permit?.isCurrent ?? true }

        /// The approximate bytes it takes while it waits: the payload, and what goes with it.
        var bytes: Int {
            entry.map { ($0.payload?.count ?? 0) + Self.bookkeeping } ?? 0
        }

        /// Whether the value is still worth writing: not removed since, and not expired.
        func isWorthKeeping(at now: Timestamp) -> Bool {
            guard case .write(let entry) = change, isCurrent else { return false }
            return entry.isWithinLimit(at: now)
        }
    }

    /// How an operation ended.
    package enum Ending: Sendable {
        case done
        /// The source held the same value, and has its new times.
        case renewed
        /// The source holds the same value, fresh and confirmed no earlier.
        case unchanged
        /// The source does not keep it, for this reason, and has forgotten what it held.
        case notKept(String)
        case failed(any Error)
        /// Another process writes this; the cache holds what it held.
        case leftToAnother
        /// A later change of the same key took its place.
        case superseded
        /// The key was removed after the value was loaded.
        case outdated
        /// The pipelines were shut down before.
        case refused
        /// The process ends before it could be written.
        case abandoned

        /// Whether the source took the value, even if it keeps nothing of it.
        var isTaken: Bool {
            switch self {
            case .done, .renewed, .unchanged, .notKept: true
            case .failed, .leftToAnother, .superseded, .outdated, .refused, .abandoned: false
            }
        }
    }

    /// What the queue must do next.
    enum Action: Sendable {
        case run(Operation)
        case wait(until: Timestamp)
        case complete(Operation, Ending)
        /// Publishes to other processes that the key has changed.
        case publish(ChangeMessage)
        /// Calls the completions of a message that is no longer published on their behalf.
        case release([ChangeMessage.Completion])
    }
}
