import Pipeline
import PipelineScenarios

/// Runs `body` in virtual time, as fast as the machine computes; nil when it waits for something that never comes.
func inVirtualTime<Value: Sendable>(_ body: @escaping @Sendable (PipelineClock) async -> Value) async -> Value? {
    await JobLoop.run { loop in
        let time = SimulatedClock(loop)
        let clock = time.makeClock()
        let task = loop.start { await body(clock) }
        loop.drain()
        while task.result == nil, time.wakeNext() {}
        return task.result
    }
}
