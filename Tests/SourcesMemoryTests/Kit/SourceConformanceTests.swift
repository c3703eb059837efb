import Pipeline
import PipelineConfig
import PipelineTesting
import SourcesMemory
import Testing

@Suite struct SourceConformanceTests {
    let time = ManualClock()

    @Test(arguments: BrokenCache.Fault.allCases) func `a broken cache is found out`(_ fault: BrokenCache.Fault) async {
        let violations = await SourceConformance.ofCache(
            capabilities: [.writes, .keepsMetadata, .keepsNotFound], clock: time.clock
        ) {
            BrokenCache(fault)
        }

        #expect(violations.map(\.name).contains(fault.check), "\(violations)")
    }

    @Test func `a cache may say that a payload is too large to be kept`() async {
        let violations = await SourceConformance.ofCache(capabilities: SourcePlugin.memory.capabilities, clock: time.clock) {
            MemorySource(maxBytes: Size(bytes: 500_000))
        }

        #expect(violations == [])
    }

    @Test(arguments: BrokenLeases.Fault.allCases) func `broken leases are found out`(_ fault: BrokenLeases.Fault) async {
        let violations = await SourceConformance.ofCache(
            capabilities: [.writes, .keepsMetadata], clock: .system, patience: .seconds(fault.neverEnds ? 1 : 30)
        ) {
            BrokenLeases(fault, clock: .system)
        }

        #expect(violations.map(\.name).contains(fault.check), "\(violations)")
    }

    @Test(arguments: [false, true]) func `sound leases have no violations`(isManual: Bool) async {
        let clock = isManual ? time.clock : .system

        let violations = await SourceConformance.ofCache(capabilities: [.writes, .keepsMetadata], clock: clock) {
            StubSource(clock: clock, sharedFlight: SharedFlight())
        }

        #expect(violations == [])
    }

    @Test func `a source need not tell that a lease was given back in vain`() async {
        let violations = await SourceConformance.ofCache(capabilities: [.writes, .keepsMetadata], clock: .system) {
            QuietLeases(clock: .system)
        }

        #expect(violations == [])
    }

    @Test(arguments: BrokenOrigin.Fault.allCases) func `a broken origin is found out`(_ fault: BrokenOrigin.Fault) async {
        let violations = await SourceConformance.ofOrigin(
            make: { BrokenOrigin(fault, clock: time.clock) }, existing: BrokenOrigin.existing, expected: BrokenOrigin.expected,
            missing: BrokenOrigin.missing)

        #expect(violations.map(\.name).contains(fault.check), "\(violations)")
    }

    @Test(arguments: [BrokenCache.Fault.dropsMetadata, .roundsTimes, .takesNotFoundForMissing])
    func `what a plugin does not claim is not checked`(_ fault: BrokenCache.Fault) async {
        let violations = await SourceConformance.ofCache(capabilities: [.writes], clock: time.clock) {
            BrokenCache(fault)
        }

        #expect(violations == [])
    }

    @Test(arguments: [false, true])
    func `a conformance under a condition is found out, unless the type answers for it`(answers: Bool) async {
        let violations = await SourceConformance.ofCache(capabilities: [.writes], clock: time.clock) {
            if answers { AnsweringWrapper(wrapped: MemorySource()) } else { Wrapper(wrapped: MemorySource()) }
        }

        let expected = "facets: it conforms to WritableSource, which its conformance to Source does not see: see SourceFacets"
        #expect(violations.map(\.description) == (answers ? [] : [expected]))
    }

    @Test func `a violation says what was done and what came of it`() async {
        let violations = await SourceConformance.ofCache(capabilities: [.writes], clock: time.clock) {
            BrokenCache(.foldsCase)
        }

        #expect(
            violations.first?.description == "odd keys: a key with \"a\" reads back what was written for a key with \"A\"",
            "\(violations)")
    }

    @Test func `a source that cannot be made is reported`() async {
        let violations = await SourceConformance.ofCache(capabilities: [.writes], clock: time.clock) {
            throw SourceError("no server")
        }

        #expect(violations.first?.sentence == "the source could not be made: no server")
    }

    @Test func `a source that hangs is given up`() async {
        let patience = ManualClock()
        let checking = Task { [time] in
            await SourceConformance.ofOrigin(
                patience: Patience(clock: patience.clock, limit: .seconds(30)),
                make: {
                    let origin = StubOrigin(clock: time.clock)
                    origin.answers(StubAnswer.miss.after(Gate()).ignoringCancellation())
                    return origin
                }, existing: BrokenOrigin.existing, expected: BrokenOrigin.expected, missing: BrokenOrigin.missing)
        }
        let done = Task { [checking] in await checking.value }
        let advancing = Task {
            while !Task.isCancelled {
                await patience.sleepers(atLeast: 1)
                patience.advance(by: .seconds(30))
            }
        }

        let violations = await done.value
        advancing.cancel()

        #expect(violations.map(\.sentence).contains("an operation did not end within 30.0 seconds"), "\(violations)")
    }
}
