import PipelineJSON
import Testing

@testable import Pipeline
@testable import PipelineLive

/// Lists that land while changes come.
@Suite struct LandingTests {
    @Test func `LV-01, ME-03, LV-24 a change during a load whose list predates it is in the landed value, as one revision`() {
        var merging = Merging()
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":2}}"#) == .kept)
        #expect(merging.send(#"{"op":"added","friend":{"id":2}}"#) == .kept)
        #expect(merging.value.revision == 0)

        let landing = merging.land(#"[{"id":1,"n":1}]"#, mark)

        #expect(merging.text == #"[{"id":1,"n":2},{"id":2}]"#)
        #expect(landing?.entry == merging.value.contents.joined())
        #expect(merging.value.revision == 1)
    }

    @Test func `a list that changes nothing is kept as it came, with its validators`() {
        var merging = Merging(value: #"[{"id":1}]"#)
        let mark = merging.begin()
        let entry = Entry(Array(#"[ {"id":2} ]"#.utf8), created: merging.now, etag: "\"2\"")

        let landing = merging.value.land(entry, mark, at: merging.now)

        #expect(landing?.entry == entry)
        #expect(merging.value.contents.joined() == entry)
    }

    @Test func `LV-02 with versions a replayed older change never shows`() {
        var merging = Merging(.friends(version: "/v"))
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":1}}"#) == .kept)

        merging.land(#"[{"id":1,"v":2}]"#, mark)
        #expect(merging.text == #"[{"id":1,"v":2}]"#)

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":2}}"#) == .unchanged)
        #expect(merging.value.revision == 1)
    }

    @Test func `LV-02 without versions the order of arrival decides, and ends right`() {
        var merging = Merging()
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":1}}"#) == .kept)
        merging.land(#"[{"id":1,"n":2}]"#, mark)

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":2}}"#) == .changed)

        #expect(merging.text == #"[{"id":1,"n":2}]"#)
    }

    @Test(arguments: [nil, "/v"])
    func `LV-03 a delete during a load holds although the list still has the item`(version: String?) {
        var merging = Merging(.friends(version: version), value: #"[{"id":1,"v":1}]"#)
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"removed","friend":{"id":1,"v":2}}"#) == .changed)

        merging.land(#"[{"id":1,"v":1}]"#, mark)

        #expect(merging.text == "[]")
    }

    @Test func `LV-08 each attempt begins anew`() {
        var merging = Merging()
        let first = merging.begin()
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":1}}"#) == .kept)
        merging.value.endAsking(first, at: merging.now)
        let second = merging.begin()

        merging.land(#"[{"id":1,"n":2}]"#, second)

        #expect(merging.text == #"[{"id":1,"n":2}]"#)
    }

    @Test func `a load that began before the one that landed last lands nowhere`() {
        var merging = Merging()
        let first = merging.begin()
        let second = merging.begin()
        merging.land("[2]", second)

        #expect(merging.land("[1]", first) == nil)
        #expect(merging.land("[2]", second) == nil)

        #expect(merging.text == "[2]")
        #expect(!merging.value.isLoading)
    }

    @Test func `LV-10 what was removed during a load takes the load and its changes with it`() {
        var merging = Merging(value: "[]")
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"added","friend":{"id":1}}"#) == .changed)

        merging.value.void()

        #expect(merging.value.contents.isEmpty)
        #expect(merging.land("[]", mark) == nil)
        #expect(merging.value.contents.isEmpty)
        #expect(merging.value.revision == 3)
    }

    @Test func `LV-12 a value that is put during a load stays, and later changes come on top`() {
        var merging = Merging(value: #"[{"id":1,"n":1}]"#)
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":2}}"#) == .changed)

        merging.value.put(merging.entry(#"[{"id":1,"n":3}]"#), at: merging.now)
        #expect(merging.text == #"[{"id":1,"n":3}]"#)
        #expect(merging.send(#"{"op":"added","friend":{"id":2}}"#) == .changed)
        #expect(merging.land(#"[{"id":1,"n":1}]"#, mark) == nil)

        #expect(merging.text == #"[{"id":1,"n":3},{"id":2}]"#)
    }

    @Test func `a copy of a cache is a base for what came meanwhile, and the list of the load for all of it`() {
        var merging = Merging()
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"added","friend":{"id":2}}"#) == .kept)

        #expect(merging.value.adopt(merging.entry(#"[{"id":1}]"#))?.entry.payload == Array(#"[{"id":1},{"id":2}]"#.utf8))
        #expect(merging.value.adopt(merging.entry("[]")) == nil)
        #expect(merging.send(#"{"op":"added","friend":{"id":3}}"#) == .changed)
        merging.land(#"[{"id":4}]"#, mark)

        #expect(merging.text == #"[{"id":4},{"id":2},{"id":3}]"#)
    }

    @Test func `a listed item that is older than the log's loses for as long as the log holds it`() {
        var merging = Merging(.friends(version: "/v"), value: #"[{"id":1,"v":1},{"id":2,"v":1}]"#)
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":3}}"#) == .changed)
        #expect(merging.send(#"{"op":"removed","friend":{"id":2,"v":3}}"#) == .changed)

        // A replica that is behind: the load began after both changes.
        merging.pass(59)
        merging.land(#"[{"id":1,"v":2},{"id":2,"v":2}]"#)
        #expect(merging.text == #"[{"id":1,"v":3}]"#)
        merging.pass(2)
        merging.land(#"[{"id":1,"v":2},{"id":2,"v":2}]"#)
        #expect(merging.text == #"[{"id":1,"v":3}]"#)

        merging.land(#"[{"id":1,"v":2},{"id":2,"v":2}]"#)
        #expect(merging.text == #"[{"id":1,"v":2},{"id":2,"v":2}]"#)
    }

    @Test func `a tombstone outlives its minute until a load that began after it has landed`() {
        var merging = Merging(.friends(version: "/v"), value: #"[{"id":1,"v":1}]"#)
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"removed","friend":{"id":1,"v":3}}"#) == .changed)
        merging.pass(3_600)
        merging.land("[]", mark)

        #expect(merging.send(#"{"op":"added","friend":{"id":1,"v":2}}"#) == .unchanged)
        merging.land("[]")

        #expect(merging.send(#"{"op":"added","friend":{"id":1,"v":2}}"#) == .changed)
    }

    @Test func `an item that a landed list lacks does not come back by a late message of an earlier version`() {
        var merging = Merging(.friends(version: "/v"), value: #"[{"id":1,"v":5}]"#)
        merging.land("[]")

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":4}}"#) == .unchanged)
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":6}}"#) == .changed)
    }

    @Test func `a delete that no value was there for still holds against an older message`() {
        var merging = Merging(.friends(version: "/v"))
        #expect(merging.send(#"{"op":"removed","friend":{"id":1,"v":2}}"#) == .dropped)
        merging.land("[]")

        #expect(merging.send(#"{"op":"added","friend":{"id":1,"v":1}}"#) == .unchanged)
    }

    @Test func `a change that came twice is not replayed onto a list that lacks its item`() {
        var merging = Merging(.friends(version: "/v"))
        merging.land("[]")
        #expect(merging.send(#"{"op":"added","friend":{"id":1,"v":1}}"#) == .changed)
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"added","friend":{"id":1,"v":1}}"#) == .unchanged)

        merging.land("[]", mark)

        #expect(merging.text == "[]")
    }

    @Test func `no more than 10,000 tombstones are kept, the oldest go first`() {
        var merging = Merging(.friends(version: "/v"), value: "[]")
        for id in 0...10_000 { _ = merging.send(#"{"op":"removed","friend":{"id":\#(id),"v":2}}"#) }

        #expect(merging.send(#"{"op":"added","friend":{"id":1,"v":1}}"#) == .unchanged)
        #expect(merging.send(#"{"op":"added","friend":{"id":0,"v":1}}"#) == .changed)
    }

    @Test func `an overlap replays what came before the load began`() {
        var merging = Merging(overlap: .seconds(5), value: #"[{"id":1,"n":1}]"#)
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":2}}"#) == .changed)
        merging.pass(5)
        merging.land(#"[{"id":1,"n":1}]"#)
        #expect(merging.text == #"[{"id":1,"n":2}]"#)

        merging.pass(0.001)
        merging.land(#"[{"id":1,"n":1}]"#)
        #expect(merging.text == #"[{"id":1,"n":1}]"#)
    }

    @Test func `LV-35 the 10,001st change under a load drops the log, and the load lands nowhere beside a value`() {
        var merging = Merging(value: "[]")
        let hung = merging.begin()
        for id in 0..<10_000 { #expect(merging.send(#"{"op":"added","friend":{"id":\#(id)}}"#) == .changed) }

        #expect(merging.send(#"{"op":"removed","friend":{"id":0}}"#) == .overflowed)
        #expect(merging.send(#"{"op":"removed","friend":{"id":1}}"#) == .changed)
        #expect(merging.value.log.count == 0)
        let sync = merging.begin()
        #expect(merging.send(#"{"op":"added","friend":{"id":"new"}}"#) == .changed)

        #expect(merging.land("[]", hung) == nil)
        #expect(merging.value.contents.list?.count == 9_999)
        merging.land(#"[{"id":2}]"#, sync)
        #expect(merging.text == #"[{"id":2},{"id":"new"}]"#)
    }

    @Test func `LV-35 a load that missed changes lands where there is no value`() {
        var merging = Merging()
        let hung = merging.begin()
        for id in 0..<10_000 { #expect(merging.send(#"{"op":"added","friend":{"id":\#(id)}}"#) == .kept) }
        #expect(merging.send(#"{"op":"added","friend":{"id":0}}"#) == .overflowed)

        merging.land(#"[{"id":1}]"#, hung)

        #expect(merging.text == #"[{"id":1}]"#)
    }

    @Test func `no more than 64 MiB of changes wait for a load`() {
        var merging = Merging(.friends(insertion: .ignore))
        _ = merging.begin()
        let item = [UInt8](repeating: UInt8(ascii: "7"), count: 1 << 20)
        let effects = (0..<64).map { merging.value.apply(Change(.upsert, ItemID("\($0)"), item), at: merging.now) }

        #expect(effects == Array(repeating: .kept, count: 63) + [.overflowed])
    }

    @Test func `a list that lacks an id as well asks for another refresh`() {
        var merging = Merging(.friends(insertion: .refresh), value: "[]")
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"added","friend":{"id":1}}"#) == .refresh)
        #expect(merging.land("[]", mark)?.needsRefresh == true)

        #expect(merging.land(#"[{"id":1}]"#)?.needsRefresh == false)
    }

    @Test func `a landed list equal to what is there is no revision`() {
        var merging = Merging(value: #"[{"id":1},{"id":2}]"#)
        #expect(merging.send(#"{"op":"removed","friend":{"id":1}}"#) == .changed)

        let landing = merging.land(#"[{"id":2}]"#)

        #expect(landing != nil)
        #expect(merging.value.revision == 2)
    }

    @Test func `a landed value without the list's place says so once for the changes that waited`() {
        var merging = Merging(.friends(list: "/friends"))
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"added","friend":{"id":1}}"#) == .kept)

        let landing = merging.land("{}", mark)

        #expect(landing?.failure == "what the value has at `/friends` is neither an array nor an object of items")
        #expect(merging.text == "{}")
    }
}
