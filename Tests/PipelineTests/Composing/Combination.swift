import PipelineComposing
import PipelineTesting
import SourcesMemory
import Synchronization
import TestSupport

@testable import Pipeline

/// Pipelines that are made from each other, each over a scripted origin of its own, on a manual clock.
final class Combination: Sendable {
    private struct State {
        var origins: [String: StubOrigin] = [:]
        var specs: [PipelineSpec] = []
        var pipelines: Pipelines?
    }

    let time = ManualClock()
    private let state = Mutex(State())

    /// The origin of the pipeline `name`.
    subscript(name: String) -> StubOrigin { state.withLock { $0.origins[name] } ?? StubOrigin(name, clock: time.clock) }

    /// Adds a pipeline over an origin that answers so.
    ///
    /// - Parameter ttl: how long memory keeps a value; nil for no memory.
    @discardableResult
    func part(
        _ name: String, _ answer: StubAnswer = .miss, parameters: [ParameterSpec] = [], ttl: Duration? = nil, links: [LinkSpec] = [],
        _ change: (inout PipelineSpec) -> Void = { _ in }
    ) -> StubOrigin {
        let origin = StubOrigin(name, clock: time.clock, answering: answer)
        var spec = PipelineSpec(
            name, parameters: parameters, tiers: Self.memory(of: name, ttl) + [TierSpec(SourceSpec(name, origin))], links: links)
        change(&spec)
        state.withLock { [spec] state in
            state.origins[name] = origin
            state.specs.append(spec)
        }
        return origin
    }

    /// Adds a composite.
    ///
    /// - Parameters:
    ///   - ttl: how long memory keeps the whole; nil for no memory.
    ///   - most: how many memory keeps.
    func whole(
        _ combine: CompositeSpec, named name: String = "home", parameters: [ParameterSpec] = [], ttl: Duration? = nil, most: Int = 10_000,
        links: [LinkSpec] = [], _ change: (inout PipelineSpec) -> Void = { _ in }
    ) {
        var spec = PipelineSpec(name, parameters: parameters, combine: combine, tiers: Self.memory(of: name, ttl, most), links: links)
        change(&spec)
        state.withLock { [spec] in $0.specs.append(spec) }
    }

    private static func memory(of name: String, _ ttl: Duration?, _ most: Int = 10_000) -> [TierSpec] {
        let memory = SourceSpec("memory_of_\(name)", MemorySource(maxEntries: most), capabilities: [.keepsNotFound, .keepsMetadata])
        return ttl.map { [TierSpec(memory, ttl: $0)] } ?? []
    }

    /// The pipelines, made when they are first asked for.
    var pipelines: Pipelines {
        get throws {
            try state.withLock { state in
                let pipelines = try state.pipelines ?? Pipelines(state.specs, clock: time.clock)
                state.pipelines = pipelines
                return pipelines
            }
        }
    }

    func pipeline(_ name: String = "home") throws -> DataPipeline { try pipelines.pipeline(named: name) }

    @discardableResult
    func fetch(
        _ name: String = "home", _ arguments: [String: String] = [:], policy: FetchPolicy = .default, timeout: Duration? = nil,
        following paths: [String] = []
    ) async throws -> Outcome {
        let pipeline = try pipeline(name)
        if paths.isEmpty { return try await pipeline.fetch(arguments, policy: policy, timeout: timeout) }
        return try await pipeline.fetch(arguments, following: paths, policy: policy, timeout: timeout)
    }
}

extension Combination {
    /// The texts of two fetches that share a load: of the first, whose time ends after a second, and of the second, which has more. The origin of
    /// `part` answers in between.
    func hastyAndPatient(reading part: String) async throws -> (hasty: String?, patient: String?) {
        let gate = Gate()
        self[part].delay(.reads, until: gate)
        async let hasty = fetch(timeout: .seconds(1))
        await self[part].reads(atLeast: 1)
        async let patient = fetch()
        let home = try pipeline()
        try await yieldUntil { home.flights[0].waiterCount(of: try home.key()) >= 2 }
        time.advance(by: .seconds(1))
        let text = try await hasty.text
        gate.open()
        return (text, try await patient.text)
    }
}

extension Outcome {
    /// What became of the parts, in a line.
    var partTrace: String {
        parts.map { "\($0.at.isEmpty ? $0.pipeline : $0.at): \($0.ending.rawValue)\($0.usesDefault ? " (default)" : "")" }.joined(
            separator: ", ")
    }
}
