import PipelineSimulation
import Testing

struct TraceTests {
    @Test func `a request takes 24 bytes`() {
        #expect(MemoryLayout<TraceRequest>.stride == 24)
    }

    @Test func `a trace without requests lasts no time`() {
        #expect(Trace(keys: [], requests: []).duration == .zero)
    }
}
