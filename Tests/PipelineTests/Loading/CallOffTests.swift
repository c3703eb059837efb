import Synchronization
import Testing

@testable import Pipeline

@Suite struct CallOffTests {
    @Test func `of several waits the last is ended, once`() {
        let callOff = CallOff()
        let ended = Mutex<[Int]>([])
        for number in 1...2 { callOff.watch { ended.withLock { $0.append(number) } } }

        callOff.call()
        callOff.call()

        #expect(ended.withLock { $0 } == [2])
    }

    @Test func `a wait that begins after it was called off is ended at once`() {
        let callOff = CallOff()
        let ended = Mutex(0)
        callOff.call()

        for _ in 1...2 { callOff.watch { ended.withLock { $0 += 1 } } }

        #expect(ended.withLock { $0 } == 2)
    }
}
