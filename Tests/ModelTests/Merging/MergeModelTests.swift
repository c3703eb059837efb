import Testing

/// Random writes, messages and loads, merged and compared with the server's list.
@Suite
struct MergeModelTests {
    @Test func `quiet and after a landed load, the value is the server's, and nothing steps back before`() {
        let clock = ContinuousClock()
        let end = Setting.minutes.map { clock.now + .seconds(60 * $0) }
        let wanted = Setting.steps ?? 100_000
        var seed = Setting.seed ?? (end == nil ? 1 : UInt64.random(in: 1 ... .max / 2))
        var (steps, failures) = (0, 0)
        while failures < 3 {
            let play = MergePlay.random(seed: seed, steps: 200)
            steps += play.steps.count
            if play.problem != nil {
                failures += 1
                let shrunk = play.shrunk
                Issue.record("MODEL_SEED=\(seed)\n\(shrunk)\n\(shrunk.problem?.0 ?? "")")
            }
            seed += 1
            if Setting.seed != nil || end.map({ clock.now >= $0 }) ?? (steps >= wanted) { break }
        }
        print("merge model: \(steps) steps")
    }
}
