import PipelineTesting
import Synchronization
import Testing

@testable import PipeRunKit
@testable import Pipeline

/// The line that shows how much of a download has come.
@Suite struct ProgressLineTests {
    private final class Written: Sendable {
        private let text = Mutex("")
        var all: String { text.withLock { $0 } }
        func add(_ more: String) { text.withLock { $0 += more } }
    }

    private let time = ManualClock()
    private let written = Written()

    private func line() -> ProgressLine { ProgressLine(clock: time.clock) { [written] in written.add($0) } }

    @Test func `a download of a second shows nothing`() {
        let line = line()

        line.show(LoadProgress(source: "api", received: 10, total: 100))
        time.advance(by: .milliseconds(999))
        line.show(LoadProgress(source: "api", received: 100, total: 100))
        line.erase()

        #expect(written.all == "")
    }

    @Test func `a longer one shows what has come, of what, and how fast, and the line goes at the end`() {
        let line = line()

        line.show(LoadProgress(source: "api", received: 500_000, total: 45_600_000))
        time.advance(by: .seconds(2))
        line.show(LoadProgress(source: "api", received: 12_300_000, total: 45_600_000))
        time.advance(by: .seconds(2))
        line.show(LoadProgress(source: "api", received: 900, total: nil))
        line.erase()
        line.show(LoadProgress(source: "api", received: 45_600_000, total: 45_600_000))

        let first = "api: 12.3MB of 45.6MB, 5.9MB/s"
        let second = "api: 900B, 0B/s"
        let blank = String(repeating: " ", count: first.count - second.count)
        #expect(written.all == "\r\(first)\r\(second)\(blank)\r\(String(repeating: " ", count: first.count))\r")
    }

    @Test func `no control code and no long name gets to the terminal`() {
        let line = line()
        let name = "\u{1B}[31m" + String(repeating: "x", count: 200)

        line.show(LoadProgress(source: name, received: 0, total: nil))
        time.advance(by: .seconds(1))
        line.show(LoadProgress(source: name, received: 1, total: nil))

        #expect(!written.all.contains("\u{1B}"))
        #expect(written.all.count <= 80)
    }
}
