import Pipeline
import PipelineScenarios
import PipelineTesting
import TestSupport

/// A run: a pipeline and the steps that are played on it.
struct Play: Replayable {
    var spec: PipelineSpec
    var steps: [Step]

    /// Where the engine and the reference part.
    struct Mismatch {
        let step: Int
        let differences: [String]
    }

    /// Random steps on a random pipeline, as far as the first mismatch. Of odd seeds it is made from a file, of even ones without.
    static func random(seed: UInt64, steps: Int, loop: JobLoop) -> (play: Play, mismatch: Mismatch?) {
        var numbers = SplitMix64(seed: seed)
        var play = Play(spec: .random(&numbers), steps: [])
        play.spec.isFromFile = !seed.isMultiple(of: 2)
        let mismatch = play.run(loop) { index, reference in
            guard index < steps else { return nil }
            return .random(for: reference.spec, boundaries: reference.boundaries, &numbers)
        }
        return (play, mismatch)
    }

    /// Plays the steps that there are.
    func replay(_ loop: JobLoop) -> Mismatch? {
        var copy = self
        let steps = steps
        return copy.run(loop) { index, _ in index < steps.count ? steps[index] : nil }
    }

    private mutating func run(_ loop: JobLoop, next: (Int, Reference) -> Step?) -> Mismatch? {
        steps = []
        var reference = Reference(spec)
        do {
            let world = try World(spec, loop: loop)
            while let step = next(steps.count, reference) {
                steps.append(step)
                let expected = reference.perform(step)
                if reference.isTied { return nil }
                let actual = try world.perform(step)
                if expected != actual { return Mismatch(step: steps.count - 1, differences: expected.differences(from: actual)) }
            }
            return nil
        } catch {
            return Mismatch(step: steps.count, differences: ["  the engine threw \(error)"])
        }
    }

    var simpler: [Play] {
        spec.simpler.map { spec in
            var copy = self
            copy.spec = spec
            return copy
        }
    }

    /// The run as a person reads it.
    var description: String {
        spec.yaml + "# made \(spec.isFromFile ? "from the file" : "without a file"); its disks are read \(spec.diskReading)\n"
            + steps.enumerated().map { "\($0.offset): \($0.element)" }.joined(separator: "\n")
    }
}

extension PipelineSpec {
    /// The same pipeline with one policy less.
    fileprivate var simpler: [PipelineSpec] {
        var all: [PipelineSpec] = []
        func without(_ change: (inout PipelineSpec) -> Void) {
            var copy = self
            change(&copy)
            if copy != self { all.append(copy) }
        }
        without { $0.writeBack = .auto }
        without { $0.staleWhileRevalidate = nil }
        without { $0.staleIfError = nil }
        without { $0.notFoundTTL = nil }
        without { $0.refreshAhead = nil }
        without { $0.deadline = nil }
        without { $0.diskReading = .inTask }
        without { $0.isFromFile = true }
        for tier in tiers.indices {
            without { $0.tiers[tier].ttl = nil }
            without {
                $0.tiers[tier].debounce = nil; $0.tiers[tier].maxDelay = nil
            }
            without { $0.tiers[tier].maxDelay = nil }
            without { $0.tiers[tier].timeout = nil }
            without { $0.tiers[tier].softTimeout = nil }
            without { $0.tiers[tier].failsFinally = false }
            without { $0.tiers[tier].onNotFound = .stop }
            without { $0.tiers[tier].isLastResort = false }
            without { $0.tiers[tier].reads = true }
            without { $0.tiers[tier].writes = true }
            without { $0.tiers[tier].retry = nil }
            without { $0.tiers[tier].breaker = nil }
        }
        return all
    }
}
