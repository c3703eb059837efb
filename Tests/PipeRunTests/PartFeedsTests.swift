import Synchronization
import Testing

@testable import PipeRunKit
@testable import Pipeline

/// What `watch` tells of the feeds of parts.
@Suite struct PartFeedsTests {
    @Test func `a state that many keys of a part share is told once, and none of the pipeline itself`() {
        let lines = Mutex<[String]>([])
        let feeds = PartFeeds(besides: "home") { line in lines.withLock { $0.append(line) } }
        func take(_ state: FeedStatus.State, of pipeline: String = "team", reason: String? = nil) {
            feeds.take(.feed(.state(FeedStatus("edits", state, reason: reason), before: .off), source: "edits", pipeline: pipeline))
        }

        take(.connecting)
        take(.connecting)
        take(.live, of: "home")
        take(.live)
        take(.live)
        take(.down, reason: "gone")
        take(.live)
        take(.off)

        #expect(lines.withLock(\.self) == ["edits: connecting", "edits: live", "edits: down (gone)", "edits: live"])
    }
}
