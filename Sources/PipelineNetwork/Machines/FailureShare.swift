/// The share of failures among the last 100 requests.
struct FailureShare {
    private static let size = 100

    private var failures: [Bool] = []
    private var next = 0
    private var count = 0

    /// Nil before the first request ended.
    var value: Double? { failures.isEmpty ? nil : Double(count) / Double(failures.count) }

    mutating func add(_ isFailure: Bool) {
        count += isFailure ? 1 : 0
        if failures.count < Self.size {
            failures.append(isFailure)
        } else {
            count -= failures[next] ? 1 : 0
            failures[next] = isFailure
            next = (next + 1) % Self.size
        }
    }
}
