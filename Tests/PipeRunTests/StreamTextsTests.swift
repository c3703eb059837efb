import PipelineTesting
import Synchronization
import Testing

@testable import PipelineServer

@Suite struct StreamTextsTests {
    @Test func `all that are sent the same events share them, and they go with the last that takes them`() async {
        let (texts, gate) = (StreamTexts(), Gate())
        let count = Mutex(0)
        let taken = Mutex(0)
        let make: @Sendable () -> [StreamEvent] = {
            count.withLock { $0 += 1 }
            return [StreamEvent("value", data: [1])]
        }
        let take: @Sendable (StreamEvent) async -> Void = { _ in
            try? await gate.wait()
            taken.withLock { $0 += 1 }
        }
        await withTaskGroup { group in
            for _ in 1...20 { group.addTask { await texts.withEvents("1", make, take) } }
            await gate.waiters(atLeast: 20)
            #expect(count.withLock(\.self) == 1)
            await texts.withEvents("2", make) { _ in }
            #expect(count.withLock(\.self) == 2)
            gate.open()
        }
        #expect(taken.withLock(\.self) == 20)
        await texts.withEvents("1", make) { _ in }
        #expect(count.withLock(\.self) == 3)
    }
}
