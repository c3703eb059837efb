import TestSupport
import Testing

/// Walks over lists that change at random. A run is a walk, its steps are its requests.
@Suite struct WalkModelTests {
    @Test func `AP-61 no element that stayed is missing, none comes twice, and all keep their order`() {
        var (restarts, givenUp) = (0, 0)
        let runs = SeededRuns(of: 1_500) { seed in
            let play = MovingPlay.random(seed: seed)
            let result = play.result
            restarts += result.restarts
            givenUp += result.isGivenUp ? 1 : 0
            guard result.problem != nil else { return (result.requests, nil) }
            let shrunk = play.shrunk { $0.result.problem == nil ? nil : $0.steps.count }
            return (result.requests, "\(shrunk)\n\(shrunk.result.problem ?? "")")
        }

        print("walk model: \(runs.steps) requests of \(runs.count) walks, \(restarts) from the start, \(givenUp) given up")
        for failure in runs.failures { Issue.record("\(failure)") }
        #expect(givenUp * 20 <= runs.count)
    }

    @Test func `AP-61 a plain walk misses elements: the model can fail`() {
        let problems = (1...15).map { MovingPlay.random(seed: $0, overlap: 0, size: 50, rate: 1).result.problem }

        #expect(problems.filter { $0?.contains("are missing that stayed") == true }.count > 5)
    }

    @Test func `AP-61 that nothing is missed costs little where a list changes seldom`() {
        let seeds: ClosedRange<UInt64> = 1...30
        func requests(overlap: Int) -> Int {
            seeds.reduce(0) { $0 + MovingPlay.random(seed: $1, overlap: overlap, size: 50, rate: 0.2).result.requests }
        }

        #expect(Double(requests(overlap: 1)) <= 1.15 * Double(requests(overlap: 0)))
    }
}
