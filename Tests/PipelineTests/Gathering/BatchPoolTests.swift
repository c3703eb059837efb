import Testing

@testable import Pipeline

@Suite struct BatchPoolTests {
    private func moment(_ milliseconds: Int) -> Timestamp { Timestamp(nanoseconds: 0) + .milliseconds(milliseconds) }

    @Test func `Without a window everything is due at once, in calls of the most`() {
        var pool = BatchPool<Int>(most: 3, window: .zero)
        for number in 0..<7 { pool.add(number, at: moment(0), until: nil) }
        #expect(pool.due(at: moment(0)) == [[0, 1, 2], [3, 4, 5], [6]])
        #expect(pool.isEmpty && pool.wakes == nil)
        #expect(pool.due(at: moment(0)).isEmpty)
    }

    @Test func `With a window full calls are due at once, and the rest when its first one has waited that long`() {
        var pool = BatchPool<Int>(most: 3, window: .milliseconds(5))
        for number in 0..<4 { pool.add(number, at: moment(number), until: nil) }
        #expect(pool.due(at: moment(3)) == [[0, 1, 2]])
        #expect(pool.wakes == moment(8))
        pool.add(4, at: moment(7), until: nil)
        #expect(pool.due(at: moment(7)).isEmpty)
        #expect(pool.due(at: moment(8)) == [[3, 4]])
    }

    @Test func `It is due early when one of them would have too little time left at the end of the window`() {
        var pool = BatchPool<Int>(most: 3, window: .milliseconds(5))
        pool.add(0, at: moment(0), until: moment(100))
        #expect(pool.due(at: moment(0)).isEmpty)
        pool.add(1, at: moment(1), until: moment(5))
        #expect(pool.due(at: moment(1)).isEmpty && pool.due(at: moment(2)).isEmpty)
        #expect(pool.wakes == moment(3), "half of the time that it has")
        #expect(pool.due(at: moment(3)) == [[0, 1]])
    }

    @Test(arguments: [(50, 25), (60, 30), (100, 50), (1_000, 50), (0, 10), (10, 10)])
    func `A window longer than the time of a fetch gathers for half of that`(deadline: Int, end: Int) {
        var pool = BatchPool<Int>(most: 3, window: .milliseconds(50))
        pool.add(0, at: moment(deadline <= 10 ? 10 : 0), until: moment(deadline))
        #expect(pool.wakes == moment(end))
        if end > 10 { pool.add(1, at: moment(10), until: nil) }
        #expect(pool.wakes == moment(end))
        #expect(pool.due(at: moment(end)) == [end > 10 ? [0, 1] : [0]])
    }

    @Test func `One that had little time and is gone does not hurry the others`() {
        var pool = BatchPool<Int>(most: 3, window: .milliseconds(5))
        pool.add(0, at: moment(0), until: nil)
        pool.add(1, at: moment(0), until: moment(2))
        pool.remove { $0 == 1 }
        #expect(pool.wakes == moment(5))
    }

    @Test func `One that is gone is in no call`() {
        var pool = BatchPool<Int>(most: 3, window: .milliseconds(5))
        for number in 0..<2 { pool.add(number, at: moment(number), until: nil) }
        pool.remove { $0 == 0 }
        #expect(pool.wakes == moment(6))
        #expect(pool.due(at: moment(6)) == [[1]])
    }
}
