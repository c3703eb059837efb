import Pipeline
import PipelineLive
/// Which parts of a composite can start, which are skipped, and when the result is certain. It knows neither time nor values.
struct PartSchedule {
    /// What is known of a part before it is asked.
    struct Part: Sendable {
        /// The parts whose values it needs.
        var needs: [Int] = []
        /// Whether the whole has no value without its.
        var isRequired = true
        /// Whether a default takes its place.
        var hasDefault = false
    }

    /// How a part ended.
    enum Ending: Sendable, Equatable {
        case value, notFound, failed
    }

    /// What all parts together come to.
    enum Decision: Equatable {
        /// Not certain yet.
        case open
        /// The composite can be assembled.
        case ready
        /// There is no composite, since this required part is not there.
        case notFound(Int)
        /// This required part failed.
        case failed(Int)
    }

    private enum State {
        case waiting
        case running
        case ended(Ending)
        /// Not asked, for what became of this part.
        case skipped(Ending, after: Int)
    }

    private let parts: [Part]
    private var states: [State]
    private var failed: Int?

    init(_ parts: [Part]) {
        self.parts = parts
        states = parts.map { _ in .waiting }
    }

    /// The parts that start now, in their order.
    mutating func start() -> [Int] {
        var started: [Int] = []
        for index in parts.indices {
            guard case .waiting = states[index], parts[index].needs.allSatisfy(hasValue) else { continue }
            states[index] = .running
            if started.isEmpty { started.reserveCapacity(parts.count - index) }
            started.append(index)
        }
        return started
    }

    /// A part that runs has ended.
    mutating func end(_ index: Int, _ ending: Ending) {
        guard case .running = states[index] else { return }
        settle(index, .ended(ending), ending)
    }

    /// The time is over: what has not ended counts as failed.
    mutating func endAll() {
        for wasRunning in [true, false] {
            for index in parts.indices {
                switch states[index] {
                case .running where wasRunning, .waiting where !wasRunning: settle(index, .ended(.failed), .failed)
                default: break
                }
            }
        }
    }

    /// The part because of which this one is not asked; nil for one that is, or may be.
    func skipped(_ index: Int) -> (ending: Ending, after: Int)? {
        if case .skipped(let ending, let cause) = states[index] { (ending, cause) } else { nil }
    }

    /// What has come of the parts so far. A failure is certain at once; that a part is not there only when no required one can fail any more.
    var decision: Decision {
        if let failed { return .failed(failed) }
        var absent: Int?
        var isOpen = false
        for index in parts.indices {
            switch states[index] {
            case .waiting, .running:
                if parts[index].isRequired { return .open }
                isOpen = true
            case .ended(.notFound), .skipped(.notFound, _): if parts[index].isRequired { absent = absent ?? index }
            case .ended, .skipped: break
            }
        }
        return absent.map { .notFound($0) } ?? (isOpen ? .open : .ready)
    }

    private func hasValue(_ index: Int) -> Bool {
        switch states[index] {
        case .waiting, .running: false
        case .ended(let ending): ending == .value || parts[index].hasDefault
        case .skipped: parts[index].hasDefault
        }
    }

    private mutating func settle(_ index: Int, _ state: State, _ ending: Ending) {
        states[index] = state
        if ending == .failed, parts[index].isRequired { failed = failed ?? index }
        guard ending != .value, !parts[index].hasDefault else { return }
        for other in parts.indices where parts[other].needs.contains(index) {
            if case .waiting = states[other] { settle(other, .skipped(ending, after: index), ending) }
        }
    }
}
