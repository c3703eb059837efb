import Pipeline
import PipelineConfig
import PipelineTesting
import TestSupport

/// A scripted cache.
struct StubMiddle: MiddleCache {
    let plugin: SourcePlugin
    let fields = ""
    private let source: StubSource
    private let gate = Gate()

    init(_ time: ManualClock) {
        source = StubSource("disk", clock: time.clock)
        plugin = .stub(source)
    }

    func hold(_ entry: Entry, for key: Key) { source.hold(entry, for: key) }

    func entry(for key: Key) -> Entry? { source[key] }

    func count() -> Int { source.contents.count }

    func watch() -> @Sendable () async throws -> Bool {
        source.forgetCalls()
        return { [source] in !source.calls.isEmpty }
    }

    func breakDown() -> Fault {
        source.fail(.reads, with: Broken())
        return Fault("\(Broken())") { $0 as? Broken == Broken() }
    }

    func refuseChanges() -> Fault {
        source.fail(.writes, .removes, with: SourceError("no space left"))
        return Fault("no space left")
    }

    func holdUpChanges() {
        source.forgetCalls()
        source.delay(.writes, until: gate)
    }

    func changeWaits() async { await source.writes(atLeast: 1) }

    func takeChanges() {
        source.recover()
        gate.open()
    }
}
