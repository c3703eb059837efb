import Foundation
import Pipeline

/// Runs what blocks on a thread of its own, so that no thread of the test's pool waits.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}

/// A wait that was longer than any of these tests needs.
struct TooLong: Error, CustomStringConvertible {
    let description: String
}

/// The longest that a test waits for anything.
let patience: TimeInterval = 300

/// Returns as soon as `condition` holds; looks again and again.
func until(_ what: String, _ condition: () async throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(patience)
    while try await !condition() {
        guard ContinuousClock.now < limit else { throw TooLong(description: "waited in vain for \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
