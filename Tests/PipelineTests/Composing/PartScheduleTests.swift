import Testing

@testable import Pipeline
@testable import PipelineComposing

@Suite struct PartScheduleTests {
    private typealias Part = PartSchedule.Part

    @Test func `a part starts when what it needs has a value`() {
        var schedule = PartSchedule([Part(needs: [1]), Part(), Part()])

        #expect(schedule.start() == [1, 2])
        #expect(schedule.start() == [])
        schedule.end(1, .value)
        #expect(schedule.start() == [0])
        schedule.end(0, .value)
        #expect(schedule.decision == .open)
        schedule.end(2, .value)
        #expect(schedule.decision == .ready)
    }

    @Test func `a failure of a required part is certain at once, that one is not there only at the end`() {
        var schedule = PartSchedule([Part(), Part(), Part(isRequired: false)])
        _ = schedule.start()

        schedule.end(0, .notFound)
        #expect(schedule.decision == .open)
        var other = schedule
        other.end(1, .failed)
        #expect(other.decision == .failed(1))
        schedule.end(1, .value)
        #expect(schedule.decision == .notFound(0))
    }

    @Test func `what needs a part without a value is skipped, and so is what needs that`() {
        var schedule = PartSchedule(
            [Part(isRequired: false), Part(needs: [0], isRequired: false), Part(needs: [1], isRequired: false)])
        #expect(schedule.start() == [0])

        schedule.end(0, .notFound)

        #expect(schedule.start() == [])
        #expect(schedule.skipped(2)?.after == 1)
        #expect(schedule.skipped(2)?.ending == .notFound)
        #expect(schedule.decision == .ready)
    }

    @Test func `a default is a value for what needs it`() {
        var schedule = PartSchedule(
            [Part(isRequired: false), Part(needs: [0], isRequired: false, hasDefault: true), Part(needs: [1])])
        _ = schedule.start()

        schedule.end(0, .failed)

        #expect(schedule.start() == [2])
    }

    @Test func `a required part that is not asked counts as what kept it from being asked`() {
        for ending in [PartSchedule.Ending.failed, .notFound] {
            var schedule = PartSchedule([Part(isRequired: false), Part(needs: [0])])
            _ = schedule.start()
            schedule.end(0, ending)
            #expect(schedule.decision == (ending == .failed ? .failed(1) : .notFound(1)))
        }
    }

    @Test func `at the end of the time what is optional is left out, and the first required part is named`() {
        var schedule = PartSchedule([Part(isRequired: false), Part(needs: [2]), Part(), Part()])
        _ = schedule.start()
        var lenient = PartSchedule([Part(isRequired: false), Part()])
        _ = lenient.start()
        lenient.end(1, .value)

        schedule.endAll()
        lenient.endAll()

        #expect(schedule.decision == .failed(2))
        #expect(lenient.decision == .ready)
    }
}
