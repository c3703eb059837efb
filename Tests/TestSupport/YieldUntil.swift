/// Returns when the condition holds: for conditions that no clock or source announces.
///
/// The limit counts turns of the task, not time: a busy machine makes them slower, with everything that they wait for. A condition that
/// does not hold by then is a failure of the test, with its place, and so is one that a cancelled test waits for.
package func yieldUntil(
    turns: Int = 5_000_000, file: String = #fileID, line: Int = #line, _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<turns {
        if try await condition() { return }
        try Task.checkCancellation()
        await Task.yield()
    }
    throw NeverHeld(place: "\(file):\(line)")
}

private struct NeverHeld: Error, CustomStringConvertible {
    let place: String

    var description: String { "the condition never held: \(place)" }
}
