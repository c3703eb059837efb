import PipelineJSON
import PipelineLive
import Testing

@testable import Pipeline

/// What an observer is told that had an older revision.
@Suite struct ListChangesTests {
    /// The changes as lines.
    private static func lines(_ changes: ListChanges) -> [String] {
        if changes.isReset { return ["reset"] }
        func text(_ bytes: [UInt8]?) -> String { bytes.map { String(decoding: $0, as: UTF8.self) } ?? "-" }
        return changes.changes.map { change in
            switch change.operation {
            case .delete: "delete \(change.id) \(text(change.old))"
            case .update: "update \(change.id) \(text(change.old)) \(text(change.item))"
            case .insert(let at): "insert \(change.id) at \(at) \(text(change.item))"
            }
        }
    }

    @Test func `LV-39 changes are composed for the observer: deletes, then updates, then inserts`() {
        var merging = Merging(.friends(insertion: .first), value: #"[{"id":1},{"id":2},{"id":3}]"#)
        let before = merging.value.contents
        for text in [
            #"{"op":"added","friend":{"id":4}}"#, #"{"op":"updated","friend":{"id":2,"n":1}}"#, #"{"op":"removed","friend":{"id":1}}"#,
            #"{"op":"added","friend":{"id":5}}"#, #"{"op":"updated","friend":{"id":2,"n":2}}"#, #"{"op":"removed","friend":{"id":5}}"#,
            #"{"op":"updated","friend":{"id":4,"n":3}}"#, #"{"op":"updated","friend":{"id":3,"n":1}}"#,
            #"{"op":"updated","friend":{"id":3}}"#,
        ] {
            #expect(merging.send(text) == .changed)
        }

        #expect(
            Self.lines(merging.value.contents.changes(since: before)) == [
                #"delete 1 {"id":1}"#, #"update 2 {"id":2} {"id":2,"n":2}"#, #"insert 4 at 0 {"id":4,"n":3}"#,
            ])
        #expect(merging.value.contents.changes(since: merging.value.contents) == .none)
        #expect(merging.value.contents.changes(since: nil) == .reset)
    }

    @Test func `an item that moves is deleted and inserted`() {
        var merging = Merging(
            .friends(insertion: .sorted(JSONPointer("/n") ?? .whole, isDescending: false)),
            value: #"[{"id":1,"n":1},{"id":2,"n":2}]"#)
        let before = merging.value.contents

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":3}}"#) == .changed)

        #expect(
            Self.lines(merging.value.contents.changes(since: before)) == [
                #"delete 1 {"id":1,"n":1}"#, #"insert 1 at 1 {"id":1,"n":3}"#,
            ])
    }

    @Test func `a landed list is told by what differs, also its order`() {
        var merging = Merging(value: #"[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]"#)
        let before = merging.value.contents

        merging.land(#"[{"id":1},{"id":6},{"id":2},{"id":3},{"id":5,"n":1},{"id":7}]"#)

        #expect(
            Self.lines(merging.value.contents.changes(since: before)) == [
                #"delete 4 {"id":4}"#, #"delete 6 {"id":6}"#, #"update 5 {"id":5} {"id":5,"n":1}"#, #"insert 6 at 1 {"id":6}"#,
            ])
    }

    @Test(arguments: [
        (#"[{"id":1,"n":1},{"id":2,"n":1},{"id":3}]"#, true), (#"[{"id":1,"n":1},{"id":2},{"id":3}]"#, false),
        (#"[{"id":1},{"id":1},{"id":2},{"id":3}]"#, true), (#"[{"id":1},{"id":2},{"id":3},null]"#, true),
        (#"[{"id":1}, {"id":2},{"id":3}]"#, true), (#"{}"#, true), ("7", true),
    ])
    func `a landed value that replaces more than half, or differs beside the items, is a reset`(list: String, isReset: Bool) {
        var merging = Merging(value: #"[{"id":1},{"id":2},{"id":3}]"#)
        let before = merging.value.contents

        merging.land(list)

        #expect(merging.value.revision == 2)
        #expect(merging.value.contents.changes(since: before).isReset == isReset)
    }

    @Test func `over 1,000 changes are a reset`() {
        var merging = Merging(value: "[]")
        let before = merging.value.contents
        for id in 0..<1_000 { #expect(merging.send(#"{"op":"added","friend":{"id":\#(id)}}"#) == .changed) }

        #expect(merging.value.contents.changes(since: before).changes.count == 1_000)
        #expect(merging.send(#"{"op":"added","friend":{"id":-1}}"#) == .changed)
        #expect(merging.value.contents.changes(since: before) == .reset)
    }

    @Test func `contents that were taken stay as they are`() {
        var merging = Merging(value: #"[{"id":1}]"#)
        let before = merging.value.contents

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":1}}"#) == .changed)

        #expect(before.joined()?.payload == Array(#"[{"id":1}]"#.utf8))
        #expect(before.element("1") == Array(#"{"id":1}"#.utf8))
        #expect(merging.value.contents.element("1") == Array(#"{"id":1,"n":1}"#.utf8))
        #expect(merging.value.contents.element("2") == nil)
    }
}
