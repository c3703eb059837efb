internal import Pipeline

/// A trace that is played through variants of a pipeline.
package struct Simulation: Sendable {
    /// The number of requests that both gears play before an answer counts.
    package static let compared = 10_000

    let trace: Trace
    /// The number of requests at the beginning that are in no figure.
    package let warmUp: Int

    /// - Parameter warmUp: the part of the requests at the beginning that is in no figure.
    package init(_ trace: Trace, warmUp: Double = 0) {
        self.trace = trace
        self.warmUp = Int((warmUp * Double(trace.requests.count)).rounded(.down))
    }

    /// A difference between both gears: nothing that they say of the trace can be relied on.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String
    }

    /// The results of one variant.
    package struct Played: Sendable {
        package let variant: Variant
        package let counts: VariantCounts
        /// The reasons why the engine played it alone; empty if the machine played it.
        package let reasons: [String]
        /// The number of requests that were begun: fewer than the trace has if the simulation was interrupted.
        package let played: Int
        /// Indicates whether the trace was not played to its end.
        package var isPartial = false
    }

    /// Plays `variant`. When the task is cancelled meanwhile, the result is partial.
    ///
    /// Throws ``Difference`` when the gears answer one of the first 10,000 requests differently, and `CancellationError` where nothing of the
    /// result is there yet.
    ///
    /// - Parameter progress: called now and then with the part of the requests that has been played.
    package func result(of variant: Variant, progress: @escaping @Sendable (Double) -> Void = { _ in }) async throws -> Played {
        var reasons = variant.pipeline.unplayable
        if trace.requests.contains(where: { $0.operation != .fetch }) { reasons.append("puts and removals of the trace") }
        let policies = Set(trace.requests.lazy.map(\.policy)).subtracting([.default])
        reasons += policies.map(\.rawValue).sorted().map { "fetches with the policy `\($0)`" }
        guard reasons.isEmpty else {
            try Task.checkCancellation()
            var (tally, _, played) = try await EngineRun.play(
                variant.pipeline, trace, first: trace.requests.count, warmUp: warmUp, recording: 0, progress: progress)
            return result(of: variant, tally.finished(), reasons, played: played)
        }
        try await compare(variant)
        let machine = try Machine(variant.pipeline, trace: trace, warmUp: warmUp, recording: 0)
        var begin = 0
        repeat {
            if Task.isCancelled, begin > 0 { break }
            let end = min(begin + 50_000, trace.requests.count)
            await machine.play(begin..<end)
            begin = end
            progress(Double(begin) / Double(max(1, trace.requests.count)))
        } while begin < trace.requests.count
        return result(of: variant, machine.tally.finished(), [], played: begin)
    }

    private func result(of variant: Variant, _ counts: VariantCounts, _ reasons: [String], played: Int) -> Played {
        Played(variant: variant, counts: counts, reasons: reasons, played: played, isPartial: played < trace.requests.count)
    }

    /// Plays the first requests through both gears.
    private func compare(_ variant: Variant) async throws {
        let count = min(Self.compared, trace.requests.count)
        let part = Trace(keys: trace.keys, requests: Array(trace.requests.prefix(count)), isTimed: trace.isTimed)
        let (_, engine, _) = try await EngineRun.play(variant.pipeline, part, first: count, warmUp: 0, recording: count)
        try Task.checkCancellation()
        let machine = try Machine(variant.pipeline, trace: part, warmUp: 0, recording: count)
        await machine.play(0..<count)
        guard let first = (0..<count).first(where: { engine[$0] != machine.record[$0] }) else { return }
        let request = trace.requests[first]
        let names = variant.order
        func words(_ answer: Answer?) -> String { answer?.words(names) ?? "no answer" }
        throw Difference(
            description: """
                the two gears differ in request \(first + 1) of `\(variant.name)`, for `\(trace.keys[Int(request.key)])` at \
                \(Duration.nanoseconds(request.time).spelling): the engine says \(words(engine[first])), the machine \
                \(words(machine.record[first]))
                """)
    }
}

extension Tally {
    /// The counts, complete.
    mutating func finished() -> VariantCounts {
        var counts = counts
        counts.finish()
        return counts
    }
}
