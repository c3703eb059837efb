import Pipeline
import Synchronization
import Testing

@testable import PipelineConfig

@Suite struct DescriptorBudgetTests {
    /// How many can be taken one after the other.
    private func count(_ budget: DescriptorBudget, for use: DescriptorBudget.Use) -> Int {
        var permits: [DescriptorPermit] = []
        while let permit = try? budget.take(for: use) { permits.append(permit) }
        return permits.count
    }

    @Test(arguments: [40, 64, 256, 1_024, 20_000, 1 << 20], [1, 2, 8])
    func `room is kept for what is open in any case, and feeds leave half to questions`(limit: Int, processors: Int) {
        let budget = DescriptorBudget(limit: limit, processors: processors)
        let feeds = count(budget, for: .feed)
        let all = count(budget, for: .question)

        // A few are open from the start, and three for each processor.
        let open = 14 + 3 * processors
        if limit >= 64, processors <= 2 {
            #expect(limit - budget.clients - all >= max(limit / 4, open + 16))
        }
        #expect(budget.clients + all < limit && budget.clients >= 1 && feeds >= 1)
        #expect(all == budget.most && feeds <= max(1, all / 2))
    }

    @Test func `what is given back, or forgotten, can be taken again`() throws {
        let budget = DescriptorBudget(limit: 64, processors: 2)
        var permits = try (0..<budget.most).map { _ in try budget.take() }
        #expect(throws: SourceError.self) { try budget.take() }

        permits[0].giveBack()
        permits[0].giveBack()
        #expect(count(budget, for: .question) == 1)
        permits = []

        #expect(count(budget, for: .question) == budget.most)
    }

    @Test func `the refusal names the share, the limit, and what allows more`() throws {
        let budget = DescriptorBudget(limit: 1_024, processors: 2)
        var permits: [DescriptorPermit] = []
        while let permit = try? budget.take(for: .feed) { permits.append(permit) }

        let error = #expect(throws: SourceError.self) { try budget.take(for: .feed) }

        #expect(error?.reason == "the 192 descriptors for feeds are in use, of the 1024 that the process may have")
        #expect(error?.kind == .unasked && error?.help == "a higher `ulimit -n` allows more")
        // They are not those of questions.
        #expect(throws: Never.self) { try budget.take() }
    }

    @Test func `what is kept for later questions is closed when others are needed, the first one first`() throws {
        let budget = DescriptorBudget(limit: 64, processors: 2)
        let closed = Mutex<[Int]>([])
        var kept = (0..<budget.most).map { number in budget.keep { closed.withLock { $0.append(number) } } }
        // It is asked again, and counted by its question.
        kept[1].giveBack()

        let permits = try (0..<3).map { _ in try budget.take() }

        #expect(closed.withLock { $0 } == [0, 2])
        // They are closed, which changes nothing any more.
        kept = []
        #expect(count(budget, for: .question) == budget.most - permits.count)
    }

    @Test func `what is open already counts, and keeps others from being opened`() throws {
        let budget = DescriptorBudget(limit: 64, processors: 2)
        let permits = (0..<budget.most + 2).map { _ in budget.count() }

        #expect(throws: SourceError.self) { try budget.take() }

        for permit in permits { permit.giveBack() }
        #expect(count(budget, for: .question) == budget.most)
    }
}
