import PipelineTesting
import Testing

@Suite struct GateTests {
    let gate = Gate()

    @Test func `tasks wait until the gate opens`() async throws {
        let waiters = (0..<3).map { _ in Task { [gate] in try await gate.wait() } }
        await gate.waiters(atLeast: 3)
        #expect(gate.waiterCount == 3)
        #expect(!gate.isOpen)

        gate.open()

        #expect(gate.waiterCount == 0)
        for waiter in waiters { try await waiter.value }
    }

    @Test func `an open gate stays open`() async throws {
        gate.open()
        gate.open()

        try await gate.wait()
        #expect(gate.isOpen)
    }

    @Test func `a cancelled waiter leaves at once, the others stay`() async throws {
        let leaving = Task { [gate] in try await gate.wait() }
        let staying = Task { [gate] in try await gate.wait() }
        await gate.waiters(atLeast: 2)

        leaving.cancel()

        #expect(gate.waiterCount == 1)
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()
        try await staying.value
    }

    @Test func `a task that is cancelled already does not pass`() async {
        gate.open()
        let task = Task { [gate] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await gate.wait()
        }

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a thousand tasks that come, go and are let through are each resumed once`() async {
        await withTaskGroup { group in
            for number in 0..<1_000 {
                group.addTask { [gate] in
                    let task = Task { try await gate.wait() }
                    if number.isMultiple(of: 3) { task.cancel() }
                    if number == 500 { gate.open() }
                    _ = await task.result
                }
            }
        }

        #expect(gate.waiterCount == 0)
    }
}
