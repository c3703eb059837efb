import Pipeline
import Testing

@testable import SourcesWatch

/// When a watched file is looked at, and what is a change; played on moments.
@Suite struct WatchStateTests {
    private static let start = Timestamp(nanoseconds: 0)

    /// A file with this content. Its time of change is the content too, unless given.
    private func file(_ content: Int, time: Int64? = nil, size: Int = 10, read: Bool = true) -> Sight {
        .file(
            FileIdentity(device: 1, inode: 1, size: size, modified: time ?? Int64(content), changed: time ?? Int64(content)),
            content: read ? content : nil)
    }

    private func at(_ milliseconds: Int) -> Timestamp { Self.start + .milliseconds(milliseconds) }

    /// A state that has seen content 1 at 0 ms.
    private func state() -> WatchState { WatchState(seeing: file(1), at: at(0)) }

    @Test func `a report is followed by a look when it has been quiet for 100 ms`() {
        var state = state()
        state.notice(at: at(500))

        #expect(state.step(at: at(500)) == .settle(until: at(600)))
        state.notice(at: at(590))
        #expect(state.step(at: at(600)) == .settle(until: at(690)))
        #expect(state.step(at: at(690)) == .look(.content))
        #expect(state.sees(file(2), at: at(691)) == true)
        #expect(state.step(at: at(691)) == .wait(until: at(2_691)))
    }

    @Test func `where it does not become quiet, the look comes 1 s after the first report`() {
        var state = state()
        for moment in stride(from: 500, through: 1_480, by: 70) { state.notice(at: at(moment)) }

        #expect(state.step(at: at(1_490)) == .settle(until: at(1_500)))
        #expect(state.step(at: at(1_500)) == .look(.content))
        #expect(state.sees(file(2), at: at(1_500)) == true)
        state.notice(at: at(1_510))
        #expect(state.step(at: at(1_510)) == .settle(until: at(1_610)))
    }

    @Test func `the same content is no change, whatever else is new`() {
        var state = state()
        state.notice(at: at(500))

        #expect(state.sees(file(1, time: 99), at: at(600)) == false)
        state.notice(at: at(700))
        #expect(state.sees(file(2, time: 99), at: at(800)) == true)
    }

    @Test func `without reports the identity is looked at every 2 s`() {
        var state = state()

        #expect(state.step(at: at(0)) == .wait(until: at(2_000)))
        #expect(state.step(at: at(2_000)) == .look(.identity))
        #expect(state.sees(file(1, read: false), at: at(2_001)) == false)
        #expect(state.step(at: at(2_001)) == .wait(until: at(4_001)))
    }

    @Test func `another identity is taken for a report, and the content is read when it has stayed for 100 ms`() {
        var state = state()

        #expect(state.sees(file(2, read: false), at: at(2_000)) == false)
        #expect(state.step(at: at(2_000)) == .settle(until: at(2_100)))
        #expect(state.step(at: at(2_100)) == .look(.content))
        #expect(state.sees(file(3), at: at(2_100)) == false, "it is being written")
        #expect(state.step(at: at(2_100)) == .settle(until: at(2_200)))
        #expect(state.sees(file(3), at: at(2_200)) == true)
    }

    @Test func `a file that is written without end is told all the same`() {
        var state = state()
        var told: [Int] = []
        var now = 2_000
        if state.sees(file(now, read: false), at: at(now)) { told.append(now) }
        while now < 6_000 {
            switch state.step(at: at(now)) {
            case .settle(let end), .wait(let end): now = Int(end.nanoseconds / 1_000_000)
            case .look(let depth):
                if state.sees(file(now, read: depth == .content), at: at(now)) { told.append(now) }
            }
        }

        // After 1 s of changes, and when the content is read once more.
        #expect(told == [3_000, 5_000])
    }

    @Test func `after a change the content is read once more, for clocks of file systems that count in seconds`() {
        var state = state()
        state.notice(at: at(100))
        #expect(state.sees(file(2, time: 50), at: at(200)) == true)

        #expect(state.step(at: at(2_200)) == .look(.content))
        #expect(state.sees(file(3, time: 50), at: at(2_200)) == true)
        #expect(state.step(at: at(4_200)) == .look(.identity))
    }

    @Test func `gone for less than 1 s is nothing`() {
        var state = state()
        state.notice(at: at(100))
        #expect(state.sees(.absent, at: at(200)) == false)

        #expect(state.step(at: at(200)) == .wait(until: at(1_200)))
        state.notice(at: at(900))
        #expect(state.step(at: at(1_000)) == .look(.content))
        #expect(state.sees(file(1, time: 9), at: at(1_000)) == false)
        #expect(state.step(at: at(1_000)) == .wait(until: at(3_000)))
    }

    @Test func `gone for 1 s is a change, once, and so is its return`() {
        var state = state()
        #expect(state.sees(.absent, at: at(2_000)) == false)

        #expect(state.step(at: at(3_000)) == .look(.content))
        #expect(state.sees(.absent, at: at(3_000)) == true)
        #expect(state.step(at: at(3_000)) == .wait(until: at(5_000)))
        #expect(state.sees(.absent, at: at(5_000)) == false)
        state.notice(at: at(6_000))
        #expect(state.sees(file(1), at: at(6_100)) == true)
    }

    @Test func `reports while it is gone do not put the moment off at which it counts as gone`() {
        var state = state()
        #expect(state.sees(.absent, at: at(2_000)) == false)
        state.notice(at: at(2_500))
        #expect(state.sees(.absent, at: at(2_600)) == false)

        #expect(state.step(at: at(2_600)) == .wait(until: at(3_000)))
        #expect(state.sees(.absent, at: at(3_000)) == true)
    }

    @Test func `an empty file is one that is being saved, for 1 s`() {
        var state = state()
        state.notice(at: at(100))
        #expect(state.sees(file(0, size: 0), at: at(200)) == false)
        state.notice(at: at(300))
        #expect(state.sees(file(2), at: at(400)) == true)

        state.notice(at: at(500))
        #expect(state.sees(file(0, size: 0), at: at(600)) == false)
        #expect(state.sees(file(0, size: 0), at: at(1_600)) == true)
        #expect(state.sees(file(0, time: 5, size: 0, read: false), at: at(3_600)) == false)
        #expect(state.step(at: at(3_600)) == .wait(until: at(5_600)))
    }

    @Test func `a file that changes while it is read is read again, and told after 1 s of that`() {
        var state = state()
        state.notice(at: at(100))
        #expect(state.sees(.changing, at: at(200)) == false)
        #expect(state.step(at: at(200)) == .settle(until: at(300)))
        #expect(state.sees(file(2), at: at(300)) == true)

        state.notice(at: at(1_000))
        #expect(state.sees(.changing, at: at(2_000)) == true)
        #expect(state.step(at: at(2_000)) == .settle(until: at(2_100)))
        #expect(state.sees(file(2), at: at(2_100)) == true, "what was loaded meanwhile may be half of it")
    }

    @Test func `what is there at the beginning is no change, also nothing`() {
        for sight in [file(1), .absent, file(0, size: 0)] {
            var state = WatchState(seeing: sight, at: at(0))
            #expect(state.sees(sight, at: at(2_000)) == false)
            #expect(state.step(at: at(2_000)) == .wait(until: at(4_000)))
        }
    }

    @Test func `a file that changes at the first look is looked at again at once`() {
        var state = WatchState(seeing: .changing, at: at(0))

        #expect(state.step(at: at(0)) == .settle(until: at(100)))
        #expect(state.sees(file(1), at: at(100)) == true)
    }
}
