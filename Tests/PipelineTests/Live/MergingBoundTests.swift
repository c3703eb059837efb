import PipelineJSON
import Testing

@testable import Pipeline
@testable import PipelineLive

/// What bounds a value into which changes are merged: its depth, its size, its elements, and what is kept beside it.
@Suite struct MergingBoundTests {
    private static func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }

    @Test(arguments: [(508, MergeEffect.changed), (509, .faulty("the result would be nested deeper than 512"))])
    func `an item that nobody could read within the value is faulty`(depth: Int, effect: MergeEffect) throws {
        // The value has two objects and an array around the item, which is an object itself.
        let before = #"{"a":{"b":[{"id":1}]}}"#
        var merging = Merging(.friends(list: "/a/b"), value: before)

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"x":\#(Self.nested(depth))}}"#) == effect)

        let text = try #require(merging.text)
        #expect(JSONScanner.problem(of: Array(text.utf8)) == nil)
        #expect((text == before) == (effect != .changed))
    }

    @Test(arguments: ["added", "updated", "renamed"])
    func `also one that a patch makes, or that is new`(word: String) throws {
        let id = word == "added" ? 2 : 1
        var merging = Merging(.friends(list: "/a/b"), value: #"{"a":{"b":[{"id":1,"x":{"y":1}}]}}"#)

        let effect = merging.send(#"{"op":"\#(word)","friend":{"id":\#(id),"x":{"y":\#(Self.nested(508))}}}"#)

        #expect(effect == .faulty("the result would be nested deeper than 512"))
        #expect(merging.value.revision == 1)
    }

    @Test func `a result over max_size is faulty, and a list does not grow without end`() {
        var merging = Merging()
        merging.value = MergedValue(.friends(), limit: Size(bytes: 1_000))
        merging.land(#"[{"id":0}]"#)
        let item = #"{"id":7,"text":"\#(String(repeating: "x", count: 20))"}"#
        var effects: [MergeEffect?] = []
        for id in 1...100 { effects.append(merging.send(#"{"op":"added","friend":\#(item.replacing("7", with: "\(id)"))}"#)) }

        #expect(effects.count { $0 == .changed } == 24)
        #expect(merging.text?.utf8.count ?? 0 <= 1_000)
        #expect(effects.last == .faulty("the result would have 1002 bytes, and no more than 1000 are allowed"))
        // What makes it smaller is merged all the same.
        #expect(merging.send(#"{"op":"removed","friend":{"id":3}}"#) == .changed)
        #expect(merging.send(#"{"op":"added","friend":{"id":3}}"#) == .changed)
        #expect(merging.value.contents.list?.size == merging.text?.utf8.count)
    }

    @Test(arguments: [
        (#"{"id":%}"#, 64), (#"{"id":"a%"}"#, 64), ("%", 8), ("1", 1), (#"{"id":%},null"#, 36), (#"{"id":1}"#, 64),
    ])
    func `an element takes at most 64 bytes with an id, and 8 without`(element: String, most: Int) throws {
        let count = 5_000
        let text = "[" + (0..<count).map { element.replacing("%", with: "\($0)") }.joined(separator: ",") + "]"

        let list = try MergedList(Array(text.utf8), .friends())

        #expect(list.count == count * (element.hasSuffix("null") ? 2 : 1))
        #expect(list.memory <= list.count * most + 4_096)
        #expect(list.joined() == Array(text.utf8))
    }

    @Test func `ids are spread over the index, so that one is found among few`() {
        var index = ItemIndex()
        for id in 0..<5_000 { index.add(ItemID("\(id)").mark.tag, .chunk(id)) }

        #expect(index.longestBucket <= 128)
    }

    @Test func `an element of a list that has only grown takes as little`() throws {
        var merging = Merging(value: "[]")
        for id in 0..<2_000 { #expect(merging.send(#"{"op":"added","friend":{"id":\#(id)}}"#) == .changed) }

        let list = try #require(merging.value.contents.list)

        #expect(list.memory <= list.count * 80)
    }

    @Test(arguments: ["1", #"{"id":1}"#])
    func `a list of too many elements is not taken apart`(element: String) throws {
        func list(_ count: Int) -> [UInt8] { Array(("[" + Array(repeating: element, count: count).joined(separator: ",") + "]").utf8) }

        #expect(try MergedList(list(500), .friends(), most: 500).count == 500)
        #expect(throws: MergedList.Refusal.self) { try MergedList(list(501), .friends(), most: 500) }
        #expect(MergedList.mostElements == 1_000_000)
    }

    @Test func `a list of over a million elements is not merged`() {
        var merging = Merging(value: "[" + String(repeating: "1,", count: 1_000_000) + "1]")

        #expect(merging.send(#"{"op":"added","friend":{"id":2}}"#) == .failed("more than 1,000,000 elements"))

        merging.land(#"[{"id":1}]"#)
        #expect(merging.send(#"{"op":"added","friend":{"id":2}}"#) == .changed)
    }

    @Test func `tombstones are bounded in number and in bytes, and beyond the list is loaded again`() {
        var merging = Merging(.friends(version: "/v"), value: "[]")
        let long = String(repeating: "x", count: 60_000)
        var effects: [MergeEffect?] = []
        for id in 0..<100 { effects.append(merging.send(#"{"op":"removed","friend":{"id":"\#(long)\#(id)","v":1}}"#)) }

        #expect(merging.value.versions.bytes.tombstones <= 4 << 20)
        #expect(effects.count { $0 == .overflowed } == 31)

        var many = Merging(.friends(version: "/v"), value: "[]")
        for id in 0..<10_000 { #expect(many.send(#"{"op":"removed","friend":{"id":\#(id),"v":1}}"#) == .unchanged) }
        #expect(many.send(#"{"op":"removed","friend":{"id":-1,"v":1}}"#) == .overflowed)
        #expect(many.value.versions.records.count == 10_000)
    }

    @Test func `what is known of other items makes no tombstone go`() {
        var merging = Merging(.friends(version: "/v"), value: "[]")
        #expect(merging.send(#"{"op":"removed","friend":{"id":"gone","v":2}}"#) == .unchanged)

        for id in 0..<10_100 { #expect(merging.send(#"{"op":"updated","friend":{"id":\#(id),"v":1}}"#) == .changed) }

        #expect(merging.send(#"{"op":"updated","friend":{"id":"gone","v":1}}"#) == .unchanged)
    }

    @Test func `texts of versions count among what waits for a load`() {
        var merging = Merging(.friends(version: "/v"))
        _ = merging.begin()
        let version = String(repeating: "v", count: 4_000)

        var effect: MergeEffect?
        for number in 0..<1_500 where effect != .overflowed {
            effect = merging.send(#"{"op":"removed","friend":{"id":\#(number),"v":"\#(version)"}}"#)
        }

        #expect(effect == .overflowed)
        #expect(merging.value.log.bytes >= 4_000 * merging.value.log.count)
        #expect(merging.value.versions.bytes.all <= 4 << 20)
    }

    @Test(arguments: [
        (#""id":"%""#, 65_537, "faulty: an id of 65537 bytes, and no more than 65536 are allowed"),
        (#""id":7,"v":"%""#, 4_097, "faulty: a version of 4097 bytes, and no more than 4096 are allowed"),
        (#""id":"%""#, 65_536, "change"), (#""id":7,"v":"%""#, 4_096, "change"),
    ])
    func `an id or a version that is too long is faulty`(members: String, length: Int, expected: String) {
        let reader = ChangeReader(FeedSpec(.stub, merging: .friends(version: "/v")))
        let text = members.replacing("%", with: String(repeating: "x", count: length))

        let meaning = reader.read(LiveMessage(Array(#"{"op":"removed","friend":{\#(text)}}"#.utf8), event: nil)).meaning

        switch meaning {
        case .faulty(let reason): #expect("faulty: \(reason)" == expected)
        case .change: #expect("change" == expected)
        default: Issue.record("\(meaning)")
        }
    }
}
