import Pipeline

/// Two threads on keys of their own, beside one thread.
enum TwoThreads {
    private static let count = 200_000

    @concurrent
    static func rows() async throws -> [Row] {
        let warm = try await WarmPipeline(keys: 10_000)
        let halves = [warm.part(0..<5_000), warm.part(5_000..<10_000)]
        let speedUp = try await speedUp { number in try await halves[number].fetch(count) }
        // What this machine's two threads give work that shares nothing.
        let dictionaries = [BareDictionary(), BareDictionary()]
        let names = warm.keys.map(\.text)
        for name in names { for dictionary in dictionaries { dictionary[name] = Entry([], created: PipelineClock.system.now) } }
        let ideal = try await self.speedUp { number in
            let dictionary = dictionaries[number]
            let own = Array(names[(number * 5_000)..<((number + 1) * 5_000)])
            for index in 0..<(2 * count) { use(dictionary[own[index % own.count]]) }
        }
        return [
            Row(
                "two threads on different keys against one thread; floor: two threads that share nothing",
                figure: "\(speedUp.median.text(2)) ×", floor: "\(ideal.median.text(2)) ×",
                ratio: "\(speedUp.median.text(2)) (\(speedUp.low.text(2))–\(speedUp.high.text(2)))", budget: "≥ 1.7",
                isMet: speedUp.median >= 1.7)
        ]
    }

    /// How much more two threads get done in the same time than one.
    private static func speedUp(_ work: @escaping @Sendable (Int) async throws -> Void) async throws -> Distribution {
        let comparison = try await Comparison.of(rounds: 21) {
            try await work(0)
        } floor: {
            try await withThrowingTaskGroup { group in
                for number in 0..<2 { group.addTask { try await work(number) } }
                try await group.waitForAll()
            }
        }
        let ratio = comparison.ratio
        return ratio.scaled(by: 2)
    }
}
