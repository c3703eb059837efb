import Pipeline
import PipelineTesting

/// An origin whose answers come when the test lets them: what they are is decided when a call begins.
///
/// It notes for each call what a test has to know about it afterwards.
final class GatedOrigin: Source, @unchecked Sendable {  // Only its loop's thread touches it.
    struct Call {
        let key: Key
        /// The generation of the key when the call began, as the test counts them.
        let generation: Int
        var isCancelled = false
        var isRunning = true
    }

    private(set) var calls: [Call] = []
    private var gates: [Gate] = []
    /// The test's own count of what made older answers worthless.
    private var generations: [Key: Int] = [:]
    private let clock: PipelineClock
    private let answer: (Int) throws -> [UInt8]

    /// - Parameter answer: what the call of this number answers, counted from 1, in the order in which they begin; the number itself unless told otherwise.
    init(clock: PipelineClock, answering answer: @escaping (Int) throws -> [UInt8] = { Array("\($0)".utf8) }) {
        self.clock = clock
        self.answer = answer
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let (number, gate) = (calls.count, Gate())
        calls.append(Call(key: key, generation: generations[key, default: 0]))
        gates.append(gate)
        let began = clock.now
        let payload = Result { try answer(number + 1) }
        return try await withTaskCancellationHandler {
            // A call runs as long as it learns of its cancellation. Once it has its answer, jobs may pass before it has returned.
            defer { calls[number].isRunning = false }
            try await gate.wait()
            return Entry(try payload.get(), created: began)
        } onCancel: {
            calls[number].isCancelled = true
        }
    }

    /// From now on the answers of earlier calls for `keys` are worthless; gives the number of the last of them.
    func invalidate(_ keys: [Key]) -> Int {
        for key in keys { generations[key, default: 0] += 1 }
        return calls.count
    }

    /// Lets one of the calls that run end; false when none does.
    func release(_ choose: (Int) -> Int) -> Bool {
        let held = calls.indices.filter { calls[$0].isRunning && !gates[$0].isOpen }
        guard !held.isEmpty else { return false }
        gates[held[choose(held.count)]].open()
        return true
    }
}
