import Pipeline
import PipelineScenarios
import PipelineTesting
import TestSupport

/// Steps on a server with a list, and on a pipeline that follows it.
struct LivePlay: Replayable, CustomStringConvertible {
    /// What the server promises, and how the disk is read.
    struct Features: Equatable {
        var hasVersions: Bool
        var hasSequence: Bool
        /// Whether a new connection goes on after the last message of the one before.
        var resumes: Bool
        var reading: StubReading
    }

    enum Action: Equatable {
        case write(Int), delete(Int)
        /// The stream of the newest connection begins; it is lost.
        case begin, drop
        /// What becomes of messages that are on their way: they arrive, arrive out of order, arrive once more, or never do.
        case deliver(Int), early(Int), double(Int), lose(Int)
        /// One of the loads lands; loads that begin fail.
        case land(Int), fail(Bool)
        case fetch(FetchPolicy)
        /// The server's list, or another one.
        case put(isList: Bool)
        case remove, clear
        /// The slow observer asks for the next snapshot.
        case look
        /// So many milliseconds.
        case pass(Int)
    }

    /// An action, and what of that which can happen then does.
    struct Step: Equatable, CustomStringConvertible {
        var action: Action
        /// How many jobs run; nil for all.
        var jobs: Int?
        /// The seed of their order.
        var order: UInt64

        var description: String { "\(action), then \(jobs.map(String.init) ?? "all") jobs in order \(order)" }
    }

    var features: Features
    var steps: [Step]

    /// What went wrong, and after how many steps; nil when nothing did.
    func failure(_ loop: JobLoop) -> (steps: Int, problem: String)? {
        do {
            let world = try LiveWorld(features, loop)
            for (index, step) in steps.enumerated() {
                world.perform(step)
                if let problem = world.problems.first {
                    world.abandon()
                    return (index + 1, problem)
                }
            }
            world.rest()
            return world.problems.first.map { (steps.count, "at rest: \($0)") }
        } catch {
            return (0, "the pipeline cannot be made: \(error)")
        }
    }

    var simpler: [LivePlay] {
        var all: [LivePlay] = []
        func with(_ change: (inout LivePlay) -> Void) {
            var copy = self
            change(&copy)
            if copy.features != features || copy.steps != steps { all.append(copy) }
        }
        with { $0.features.hasSequence = false }
        with { $0.features.resumes = false }
        with { $0.features.reading = .inTask }
        for index in steps.indices {
            with { $0.steps[index].jobs = nil }
            with { $0.steps[index].order = 0 }
        }
        return all
    }

    var description: String { "\(features)\n" + steps.map(\.description).joined(separator: "\n") }
}

extension LivePlay {
    static func random(seed: UInt64, steps count: Int) -> LivePlay {
        var numbers = SplitMix64(seed: seed)
        let features = Features(
            hasVersions: numbers.chance(60), hasSequence: numbers.chance(40), resumes: numbers.chance(30),
            reading: numbers.pick(StubReading.allCases))
        let steps = (0..<count).map { _ in
            Step(
                action: .random(&numbers), jobs: numbers.chance(60) ? nil : numbers.below(8), order: UInt64(numbers.below(1_000)))
        }
        return LivePlay(features: features, steps: steps)
    }
}

extension LivePlay.Action {
    fileprivate static func random(_ numbers: inout SplitMix64) -> LivePlay.Action {
        let number = numbers.below(6)
        switch numbers.below(100) {
        case ..<18: return .write(number)
        case ..<26: return .delete(number)
        case ..<33: return .begin
        case ..<37: return .drop
        case ..<53: return .deliver(1 + number / 2)
        case ..<57: return .early(number)
        case ..<61: return .double(number)
        case ..<63: return .lose(number)
        case ..<74: return .land(number)
        case ..<76: return .fail(number < 2)
        case ..<80: return .fetch(numbers.pick([.default, .default, .refresh, .cacheOnly, .noStore]))
        case ..<82: return .put(isList: number < 3)
        case ..<84: return .remove
        case ..<85: return .clear
        case ..<91: return .look
        default: return .pass(numbers.pick([1, 100, 400, 1_000, 3_000, 12_000, 40_000]))
        }
    }
}
