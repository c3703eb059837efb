import PipelineJSON
import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

/// Several observers of one key, and those that a closure receives.
@Suite(.timeLimit(.minutes(1))) struct ObservingTogetherTests {
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
        while scene.friends.lives[scene.key]?.state.withLock({ $0.waiting.count }) ?? 0 < 20 { await Task.yield() }

        connection.send(#"{"id":1,"n":"x"}"#)

        for observer in observers { #expect(await observer.value) }
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
            scene.friends.observe(scene.key, on: MainActor.shared, owner: screen) { $0.show($1) },
            try scene.friends.observe(["user": "42"], on: MainActor.shared, owner: screen) { $0.show($1) },
            try scene.friends.observe(["user": "42"], owner: screen) { screen, snapshot in await screen.show(snapshot) },
        ]
        while screen.texts.count < 3 { await Task.yield() }

        #expect(Set(screen.texts) == [#"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#])
        #expect(throws: UsageError.self) { try scene.friends.observe(["usr": "42"], owner: screen) { _, _ in } }
        for token in tokens { token.cancel() }
    }
}

@MainActor private final class Screen {
    var texts: [String] = []

    func show(_ snapshot: Snapshot) { if let text = snapshot.text { texts.append(text) } }
}
