import PipelineTesting
import Testing

@testable import Pipeline

@Suite struct DueHeapTests {
    @Test func `values come out by their moments, and those of one moment as they were added`() {
        var random = SplitMix64(seed: 7)
        var heap = DueHeap<Int>()
        var expected: [(moment: Int64, value: Int)] = []
        for value in 0..<1_000 {
            let moment = Int64.random(in: 0..<50, using: &random)
            heap.insert(value, at: Timestamp(nanoseconds: moment))
            expected.append((moment, value))
            if value.isMultiple(of: 3) {
                expected.sort { ($0.moment, $0.value) < ($1.moment, $1.value) }
                #expect(heap.popFirst() == expected.removeFirst().value)
            }
        }
        heap.keep { value, _ in !value.isMultiple(of: 5) }
        let rest = expected.filter { !$0.value.isMultiple(of: 5) }.sorted { ($0.moment, $0.value) < ($1.moment, $1.value) }

        #expect(heap.count == rest.count)
        #expect((0..<rest.count).compactMap { _ in heap.popFirst() } == rest.map(\.value))
        #expect(heap.popFirst() == nil)
    }

    @Test func `only what is due is taken`() {
        var heap = DueHeap<String>()
        heap.insert("later", at: Timestamp(nanoseconds: 20))
        heap.insert("sooner", at: Timestamp(nanoseconds: 10))

        #expect(heap.popFirst(dueAt: Timestamp(nanoseconds: 9)) == nil)
        #expect(heap.popFirst(dueAt: Timestamp(nanoseconds: 10)) == "sooner")
        #expect(heap.popFirst(dueAt: Timestamp(nanoseconds: 19)) == nil)
        #expect(heap.next == Timestamp(nanoseconds: 20))
    }
}
