import Pipeline
import PipelineTesting
import TestSupport

@testable import PipelineSending

/// What callers, origins, the network, the disk and the system do to an outbox of two processes.
struct SendPlay: Replayable, CustomStringConvertible {
    struct Features: Equatable {
        /// Indicates whether the wall clock is set, now and then. An origin then remembers ids without end, since no process can tell how old they are.
        var hasJumps: Bool
        var onConflict: ConflictRule
        /// Of the kind that has a condition.
        var repetition: SendRepetition
    }

    /// What an origin does with a request that has come.
    enum Treatment: Equatable {
        /// It makes the change, and says so.
        case work
        /// It makes the change, and fails before it says so; it fails before.
        case failLate, failEarly
        /// It does not process it, or refuses it.
        case refuse(Int)
        /// It wants to be left alone for so many seconds.
        case later(Int)
    }

    enum Action: Equatable {
        /// A send is taken in: of a kind, in a lane, that names the item of an earlier one. The process may die at once.
        case take(Int, kind: Int, lane: Int, item: Int, dies: Bool)
        case tick(Int)
        /// A process reads what others have written, and takes it in at its next tick: until then that grows old.
        case look(Int)
        /// Writes what is to be written, if the disk is well.
        case write(Int, fails: Bool)
        /// One of the requests: its bytes go out; it comes to the origin; the answer comes; the connection breaks; there never was one.
        case go(Int), arrive(Int, Treatment), answer(Int), reset(Int), unreach(Int)
        /// One of those that have not gone out has its answer at once.
        case exchange(Int, Treatment)
        /// One of the loads of keys lands.
        case land(Int, Int, isGood: Bool)
        /// Caches have one that is sent.
        case settle(Int, Int)
        /// A process is killed, begins, is stopped, goes on.
        case kill(Int), start(Int, file: Int), stop(Int), goOn(Int)
        case declare(Int, file: Int)
        case retry(Int, Int), drop(Int, Int), flush(Int)
        /// Somebody else changes an item.
        case edit(lane: Int, item: Int)
        case pass(Duration), jump(Duration)
    }

    struct Step: Equatable, CustomStringConvertible {
        var action: Action
        /// Indicates whether the processes do at once what they can do then.
        var isEager: Bool

        var description: String { isEager ? "\(action), and on" : "\(action)" }
    }

    var features: Features
    var steps: [Step]

    /// What went wrong, and after how many steps; nil when nothing did.
    func failure(_ kills: inout [KillPoint: Int]) -> (steps: Int, problem: String)? {
        var world = SendWorld(features)
        defer { kills.merge(world.kills, uniquingKeysWith: +) }
        for (index, step) in steps.enumerated() {
            world.perform(step)
            if let problem = world.problem { return (index + 1, problem) }
        }
        world.rest()
        return world.problem.map { (steps.count, "at rest: \($0)") }
    }

    var simpler: [SendPlay] {
        var all: [SendPlay] = []
        func with(_ change: (inout SendPlay) -> Void) {
            var copy = self
            change(&copy)
            if copy.features != features || copy.steps != steps { all.append(copy) }
        }
        with { $0.features.hasJumps = false }
        with { $0.features.onConflict = .fail }
        for index in steps.indices {
            with { $0.steps[index].isEager = true }
        }
        return all
    }

    var description: String { "\(features)\n" + steps.map(\.description).joined(separator: "\n") }
}

extension SendPlay {
    static func random(seed: UInt64, steps count: Int) -> SendPlay {
        var numbers = SplitMix64(seed: seed)
        let features = Features(
            hasJumps: numbers.chance(30), onConflict: numbers.pick(ConflictRule.allCases),
            repetition: numbers.pick([.byID, .byID, .always]))
        let steps = (0..<count).map { _ in Step(action: .random(&numbers, features), isEager: numbers.chance(50)) }
        return SendPlay(features: features, steps: steps)
    }
}

extension SendPlay.Action {
    fileprivate static func random(_ numbers: inout SplitMix64, _ features: SendPlay.Features) -> SendPlay.Action {
        let (slot, number) = (numbers.chance(70) ? 0 : 1, numbers.below(12))
        switch numbers.below(1_000) {
        case ..<130:
            return .take(
                slot, kind: numbers.below(SendKind.allCases.count), lane: numbers.below(2), item: number, dies: numbers.chance(3))
        case ..<210: return .tick(slot)
        case ..<220: return .look(slot)
        case ..<310: return .write(slot, fails: numbers.chance(8))
        case ..<370: return .go(number)
        case ..<440: return .arrive(number, .random(&numbers))
        case ..<500: return .answer(number)
        case ..<690: return .exchange(number, .random(&numbers))
        case ..<715: return .reset(number)
        case ..<730: return .unreach(number)
        case ..<790: return .land(slot, number, isGood: numbers.chance(80))
        case ..<820: return .settle(slot, number)
        default: return .rare(slot, number, &numbers, features)
        }
    }

    private static func rare(
        _ slot: Int, _ number: Int, _ numbers: inout SplitMix64, _ features: SendPlay.Features
    ) -> SendPlay.Action {
        switch numbers.below(180) {
        case ..<20: .kill(slot)
        case ..<44: .start(slot, file: numbers.below(6))
        case ..<52: .stop(slot)
        case ..<66: .goOn(slot)
        case ..<72: .declare(slot, file: numbers.below(6))
        case ..<84: .retry(slot, number)
        case ..<94: .drop(slot, number)
        case ..<98: .flush(slot)
        case ..<108: .edit(lane: numbers.below(2), item: number)
        case ..<112 where features.hasJumps: .jump(.seconds(numbers.pick([-172_800, -3_600, -30, 30, 3_600, 86_400])))
        default: .pass(numbers.pick(Self.times))
        }
    }

    private static let times: [Duration] = [
        .milliseconds(1), .milliseconds(300), .milliseconds(900), .seconds(2), .seconds(2), .seconds(6), .seconds(20), .seconds(45),
        .seconds(70),
        .seconds(600), .seconds(4_000), .seconds(90_000),
    ]
}

extension SendPlay.Treatment {
    fileprivate static func random(_ numbers: inout SplitMix64) -> SendPlay.Treatment {
        switch numbers.below(100) {
        case ..<55: .work
        case ..<63: .failLate
        case ..<70: .failEarly
        case ..<75: .later(numbers.pick([1, 5, 120, 7_200]))
        default: .refuse(numbers.pick([503, 503, 401, 429, 409, 409, 409, 412, 422, 422, 403, 302, 501]))
        }
    }
}

/// A point at which a process may die.
enum KillPoint: String, CaseIterable {
    case taken, marked, asked, made, answered, noted
}
