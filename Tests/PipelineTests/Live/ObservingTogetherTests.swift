import PipelineJSON
import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import Pipeline
@testable import PipelineLive

/// Several observers of one key, and those that a closure receives.
@Suite(.timeLimit(.minutes(15))) struct ObservingTogetherTests {
    @Test func `observers that stood at different revisions get the changes since their own`() async throws {
        let scene = try LiveScene()
        var (early, connection) = try await scene.watching()
        var twin = Watch(scene.friends.snapshots(scene.key))
        var late = Watch(scene.friends.snapshots(scene.key))
        _ = await twin.next()
        connection.send(#"{"id":1,"n":"x"}"#)
        _ = await late.next()

        connection.send(#"{"id":2,"n":"y"}"#)

        let (first, second, third) = (try #require(await early.next()), try #require(await twin.next()), try #require(await late.next()))
        #expect(first.changes.changes.map(\.id) == ["1", "2"])
        #expect(second.changes == first.changes)
        #expect(third.changes.isReset == false && third.changes.changes.map(\.id) == ["2"])
        #expect(Set([first, second, third].map(\.revision)).count == 1)
    }

    @Test func `all that wait see a change`() async throws {
        let scene = try LiveScene()
        let (_, connection) = try await scene.watching()
        let observers = (0..<20).map { _ in
            Task { [snapshots = scene.friends.snapshots(scene.key)] in
                var watch = Watch(snapshots)
                return await watch.until(#"[{"id":1,"n":"x"},{"id":2,"n":"b"}]"#) != nil
            }
        }
        try await yieldUntil { scene.friends.lives[scene.key]?.state.withLock({ $0.audience.waiting.count }) ?? 0 >= 20 }

        connection.send(#"{"id":1,"n":"x"}"#)

        for observer in observers { #expect(await observer.value) }
    }

    @Test func `a list that two join at the same time is one for both, and holds neither up`() throws {
        let box = Mutex<SnapshotValue?>(nil)
        let count = Mutex(0)
        let made = Mutex<[[UInt8]?]>([])
        let value = SnapshotValue(
            joining: {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                // Another one asks in the middle of it.
                if number == 1 {
                    let other = box.withLock(\.self)?.entry?.payload
                    made.withLock { $0.append(other) }
                }
                return Entry([UInt8(number)], created: Timestamp(nanoseconds: 0))
            }, finding: { _ in nil })
        box.withLock { $0 = value }

        let first = value.entry?.payload

        let (others, joins) = (made.withLock(\.self), count.withLock(\.self))
        #expect(first == [2] && others == [[2]])
        #expect(value.entry?.payload == [2] && joins == 2)
        box.withLock { $0 = nil }
    }

    @Test func `the alarm for a limit that another one has replaced is not kept`() {
        let time = ManualClock()
        let clock = time.clock
        let lives = LiveKeys(among: Followers(), Commons(clock: clock, random: .seeded(1), redactor: Redactor(), observers: []))
        let live = LiveKey(Key(pipeline: "friends"), in: lives, life: 1, fedBy: [])
        live.state.withLock { _ = $0.audience.observers.updateValue(nil, forKey: 1) }
        let now = clock.now

        live.replace(Entry([1], created: now), freshUntil: now + .seconds(60))
        live.replace(Entry([2], created: now), freshUntil: now + .seconds(10))

        #expect(time.sleeperCount == 1)
        time.advance(by: .seconds(10))
        let isStale = live.state.withLock(\.expiry.isStale)
        #expect(isStale && time.sleeperCount == 0)
    }

    @Test func `a list that was cut before other changes came has the stamps of its landing`() throws {
        var merging = Merging(value: #"[{"id":1,"n":0},{"id":2,"n":0}]"#)
        let mark = merging.begin()
        let cut = CutEntry(merging.entry(#"[{"id":1,"n":5},{"id":3,"n":0}]"#), for: merging.value.policy)
        for number in 1...3 { _ = merging.send(#"{"op":"updated","friend":{"id":2,"n":\#(number)}}"#) }
        let seen = merging.value.contents

        _ = merging.value.land(cut, mark, at: merging.now)

        let changes = merging.value.contents.changes(since: seen)
        #expect(changes.changes.map(\.id).sorted() == ["1", "3"] || changes.isReset)
        #expect(merging.text == #"[{"id":1,"n":5},{"id":3,"n":0},{"id":2,"n":3}]"#)
        _ = merging.send(#"{"op":"updated","friend":{"id":3,"n":9}}"#)
        #expect(merging.value.contents.changes(since: seen) != ListChanges.none)
    }

    @Test func `a list that was cut for other rules is cut again`() throws {
        var merging = Merging()
        let entry = merging.entry(#"{"items":[{"id":1}]}"#)
        let cut = CutEntry(entry, for: .friends(list: "/items"))

        merging.value.put(cut, at: merging.now)

        #expect(merging.value.contents.element("1") == nil)
    }

    @Test func `updates alone delete nothing, and what moves is deleted and inserted`() throws {
        let by = MergePolicy.Insertion.sorted(try #require(JSONPointer("/n")), isDescending: false)
        var merging = Merging(.friends(insertion: by), value: #"[{"id":1,"n":1},{"id":2,"n":2},{"id":3,"n":3}]"#)
        let seen = merging.value.contents
        _ = merging.send(#"{"op":"updated","friend":{"id":2,"n":2,"x":0}}"#)
        #expect(merging.value.contents.changes(since: seen).changes.map(\.operation) == [.update])

        let then = merging.value.contents
        _ = merging.send(#"{"op":"updated","friend":{"id":1,"n":9}}"#)

        #expect(merging.value.contents.changes(since: then).changes.map(\.operation) == [.delete, .insert(at: 2)])
        #expect(merging.value.contents.changes(since: seen).changes.map(\.operation) == [.delete, .update, .insert(at: 2)])
    }

    @Test @MainActor func `an owner of the main actor is called there, for a key and for arguments`() async throws {
        let scene = try LiveScene(parameters: [ParameterSpec("user")])
        let screen = Screen()
        let tokens = [
            scene.friends.observe(scene.key, owner: screen) { screen, snapshot in await screen.show(snapshot) },
            try scene.friends.observe(["user": "42"], owner: screen) { screen, snapshot in await screen.show(snapshot) },
        ]
        try await yieldUntil { screen.texts.count >= 2 }

        #expect(Set(screen.texts) == [#"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#])
        #expect(throws: UsageError.self) { try scene.friends.observe(["usr": "42"], owner: screen) { _, _ in } }
        for token in tokens { token.cancel() }
    }
}

@MainActor private final class Screen {
    var texts: [String] = []

    func show(_ snapshot: Snapshot) { if let text = snapshot.text { texts.append(text) } }
}
