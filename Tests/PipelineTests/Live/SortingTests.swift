import PipelineJSON
import Testing

@testable import Pipeline
@testable import PipelineLive

/// Lists that are sorted by a member.
@Suite struct SortingTests {
    private static func merging(_ list: String, isDescending: Bool = false) -> Merging {
        Merging(.friends(insertion: .sorted(JSONPointer("/n") ?? .whole, isDescending: isDescending)), value: list)
    }

    @Test(arguments: [
        (false, "2", "1,2,9,3"), (false, "0", "9,1,2,3"), (false, "7", "1,2,3,9"), (false, "1e0", "1,9,2,3"),
        (true, "2", "3,2,9,1"), (true, "0", "3,2,1,9"), (false, "null", "1,2,3,9"), (true, "[]", "3,2,1,9"), (false, "\"a\"", "1,2,3,9"),
    ])
    func `LV-19 an item is inserted behind those with an equal key`(isDescending: Bool, key: String, expected: String) {
        let ids = isDescending ? [3, 2, 1] : [1, 2, 3]
        var merging = Self.merging("[" + ids.map { #"{"id":\#($0),"n":\#($0)}"# }.joined(separator: ",") + "]", isDescending: isDescending)

        #expect(merging.send(#"{"op":"added","friend":{"id":9,"n":\#(key)}}"#) == .changed)

        #expect(merging.ids == expected)
    }

    @Test func `LV-19 an item whose key changes moves, and equal names keep their order`() {
        var merging = Self.merging(#"[{"id":1,"n":"a"},{"id":2,"n":"b"},{"id":3,"n":"b"},{"id":4,"n":"c"}]"#)

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":"b"}}"#) == .changed)
        #expect(merging.ids == "2,3,1,4")

        #expect(merging.send(#"{"op":"updated","friend":{"id":2,"n":"b","x":1}}"#) == .changed)
        #expect(merging.ids == "2,3,1,4")

        #expect(merging.send(#"{"op":"renamed","friend":{"id":4,"n":"a"}}"#) == .changed)
        #expect(merging.ids == "4,2,3,1")
    }

    @Test func `an item whose new key belongs where it stands does not move`() {
        var merging = Self.merging(#"[{"id":1,"n":1},{"id":2,"n":4},{"id":3,"n":9}]"#)
        let before = merging.value.contents

        #expect(merging.send(#"{"op":"updated","friend":{"id":2,"n":5}}"#) == .changed)

        #expect(merging.value.contents.changes(since: before).changes.map(\.operation) == [.update])
    }

    @Test func `a long list stays sorted under random inserts, updates and deletes`() {
        var numbers = RandomGenerator.seeded(1)
        var merging = Self.merging("[]")
        var expected: [Int: Int] = [:]
        for _ in 0..<5_000 {
            let (id, key) = (Int.random(in: 0..<500, using: &numbers), Int.random(in: 0..<1_000_000, using: &numbers))
            if key % 5 == 0 {
                _ = merging.send(#"{"op":"removed","friend":{"id":\#(id)}}"#)
                expected[id] = nil
            } else {
                _ = merging.send(#"{"op":"updated","friend":{"id":\#(id),"n":\#(key)}}"#)
                expected[id] = key
            }
        }

        #expect(merging.ids == expected.sorted { $0.value < $1.value }.map { "\($0.key)" }.joined(separator: ","))
    }
}

extension Merging {
    /// The ids in order.
    var ids: String { value.contents.list?.elements.compactMap { $0.id?.text }.joined(separator: ",") ?? "" }
}
