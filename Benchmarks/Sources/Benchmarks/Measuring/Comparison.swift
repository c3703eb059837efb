/// A subject and its floor, measured in turns, so that what slows the machine down slows both.
struct Comparison {
    /// Nanoseconds of a round.
    let subject: Distribution
    let floor: Distribution
    /// Of each round's subject to the floor measured right beside it.
    let ratio: Distribution

    init(subjects: [Double], floors: [Double]) {
        subject = Distribution(subjects)
        floor = Distribution(floors)
        ratio = Distribution(zip(subjects, floors).map { $0 / $1 })
    }

    /// Measures both `rounds` times after one round that does not count; which one begins changes from round to round.
    static func of(
        rounds: Int, subject: () async throws -> Void, floor: () async throws -> Void
    ) async throws -> Comparison {
        try await subject()
        try await floor()
        var subjects: [Double] = []
        var floors: [Double] = []
        for round in 0..<rounds {
            if round.isMultiple(of: 2) { subjects.append(try await Stopwatch.time(subject)) }
            floors.append(try await Stopwatch.time(floor))
            if !round.isMultiple(of: 2) { subjects.append(try await Stopwatch.time(subject)) }
        }
        return Comparison(subjects: subjects, floors: floors)
    }
}
