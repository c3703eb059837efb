import PipelineJSON
import Testing

@testable import Pipeline
@testable import PipelineLive

/// Changes that meet a list: what stands in it afterwards, byte for byte.
@Suite struct MergingTests {
    @Test func `ME-01 an update takes the place of the item with its id`() {
        var merging = Merging(value: #"[{"id":1,"name":"a"},{"id":2,"name":"b1"}]"#)

        #expect(merging.send(#"{"op":"updated","friend":{"id":2,"name":"b2"}}"#) == .changed)

        #expect(merging.text == #"[{"id":1,"name":"a"},{"id":2,"name":"b2"}]"#)
    }

    @Test(arguments: [
        (MergePolicy.Insertion.first, #"[{"id":9},{"id":1},{"id":2}]"#, MergeEffect.changed),
        (.last, #"[{"id":1},{"id":2},{"id":9}]"#, .changed),
        (.ignore, #"[{"id":1},{"id":2}]"#, .unchanged),
        (.refresh, #"[{"id":1},{"id":2}]"#, .refresh),
    ])
    func `ME-02 an unknown id goes where the policy says`(insertion: MergePolicy.Insertion, expected: String, effect: MergeEffect) {
        var merging = Merging(.friends(insertion: insertion), value: #"[{"id":1},{"id":2}]"#)

        #expect(merging.send(#"{"op":"added","friend":{"id":9}}"#) == effect)

        #expect(merging.text == expected)
    }

    @Test func `ME-02 a delete removes the item, and one of an unknown id changes nothing`() {
        var merging = Merging(value: #"[{"id":1},{"id":2}]"#)

        #expect(merging.send(#"{"op":"removed","friend":{"id":1}}"#) == .changed)
        #expect(merging.send(#"{"op":"removed","friend":{"id":1}}"#) == .unchanged)

        #expect(merging.text == #"[{"id":2}]"#)
        #expect(merging.value.revision == 2)
    }

    @Test func `ME-06, LV-11 a change without a value and without a load is dropped`() {
        var merging = Merging()
        #expect(merging.send(#"{"op":"added","friend":{"id":1}}"#) == .dropped)
        #expect(merging.value.contents.isEmpty)

        merging.land("[]")
        merging.value.void()

        #expect(merging.send(#"{"op":"added","friend":{"id":1}}"#) == .dropped)
        #expect(merging.value.contents.isEmpty)
    }

    @Test func `a change never makes a list of a not_found`() {
        var merging = Merging()
        let mark = merging.begin()
        #expect(merging.send(#"{"op":"added","friend":{"id":1}}"#) == .kept)

        let landing = merging.value.land(.notFound(created: merging.now), mark, at: merging.now)

        #expect(landing?.entry.isNotFound == true)
        #expect(merging.send(#"{"op":"added","friend":{"id":2}}"#) == .dropped)
        #expect(merging.value.contents.entry?.isNotFound == true)
    }

    @Test func `ME-07 a merge keeps the age and the limit, and drops what the origin would compare`() {
        var merging = Merging()
        let mark = merging.begin()
        let created = merging.now
        let limit = created + .seconds(30)
        _ = merging.value.land(
            Entry(
                Array("[]".utf8), created: created, freshUntil: limit, etag: "\"1\"", lastModified: "yesterday",
                contentType: "application/json", source: "api"),
            mark, at: merging.now)
        #expect(merging.value.contents.joined()?.etag == "\"1\"")

        merging.pass(10)
        #expect(merging.send(#"{"op":"added","friend":{"id":1}}"#) == .changed)

        let entry = merging.value.contents.joined()
        #expect(entry?.created == created)
        #expect(entry?.freshUntil == limit)
        #expect(entry?.contentType == "application/json")
        #expect(entry?.source == "api")
        #expect(entry?.hasValidator == false)
    }

    @Test func `LV-05 with versions an older change never wins, and an equal one is a duplicate`() {
        var merging = Merging(.friends(version: "/v"), value: #"[{"id":1,"v":5}]"#)

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":4}}"#) == .unchanged)
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":5.0,"x":1}}"#) == .unchanged)
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":6}}"#) == .changed)

        #expect(merging.text == #"[{"id":1,"v":6}]"#)
    }

    @Test func `LV-06 what was deleted stays gone until there is a newer version`() {
        var merging = Merging(.friends(version: "/v"), value: #"[{"id":1,"v":4}]"#)

        #expect(merging.send(#"{"op":"removed","friend":{"id":1,"v":6}}"#) == .changed)
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":5}}"#) == .unchanged)
        #expect(merging.text == "[]")

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":7}}"#) == .changed)
        #expect(merging.text == #"[{"id":1,"v":7}]"#)
    }

    @Test func `LV-07 the same message twice is one revision`() {
        var merging = Merging(value: #"[{"id":1,"n":1}]"#)

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":2}}"#) == .changed)
        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":2}}"#) == .unchanged)

        #expect(merging.value.revision == 2)
    }

    @Test(arguments: [
        (#"[{"id":7}]"#, #"{"id":"7","n":1}"#, true), (#"[{"id":"7"}]"#, #"{"id":7,"n":1}"#, true),
        (#"[{"id":1e0}]"#, #"{"id":1,"n":1}"#, true), (#"[{"id":1.0}]"#, #"{"id":"1","n":1}"#, true),
        (#"[{"id":9007199254740993}]"#, #"{"id":9007199254740992,"n":1}"#, false),
        (#"[{"id":"é"}]"#, #"{"id":"e\#u{301}","n":1}"#, false), (#"[{"id":"\u00e9"}]"#, #"{"id":"é","n":1}"#, true),
        (#"[{"id":"\ud83d\ude00"}]"#, #"{"id":"😀","n":1}"#, true),
    ])
    func `LV-14 ids compare as text, and numbers by their exact value`(list: String, item: String, isSame: Bool) {
        var merging = Merging(.friends(insertion: .ignore), value: list)

        #expect(merging.send(#"{"op":"updated","friend":\#(item)}"#) == (isSame ? .changed : .unchanged))

        #expect(merging.text == (isSame ? "[\(item)]" : list))
    }

    @Test func `LV-15 an id that stands twice in the list: both are replaced, both are removed`() {
        var merging = Merging(value: #"[{"id":1},{"id":2},{"id":1,"x":1}]"#)

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":2}}"#) == .changed)
        #expect(merging.text == #"[{"id":1,"n":2},{"id":2},{"id":1,"n":2}]"#)

        #expect(merging.send(#"{"op":"removed","friend":{"id":1}}"#) == .changed)
        #expect(merging.text == #"[{"id":2}]"#)
    }

    @Test func `LV-16 elements without an id, and all bytes beside the changed ones, stay as they are`() {
        let before =
            "{ \"total\" : 3,\n \"friends\": [ null , 17,\t{\"name\":\"x\"}, {\"id\":true},\n  {\"id\":1} ,[ ] ] , \"more\":1.0e0}\n"
        var merging = Merging(.friends(list: "/friends"), value: before)

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":2}}"#) == .changed)

        #expect(merging.text == before.replacing(#"{"id":1}"#, with: #"{"id":1,"n":2}"#))
    }

    @Test func `LV-17 a patch removes a member by null, replaces an array, and keeps other bytes`() {
        var merging = Merging(value: #"[{ "id":1, "a":1 , "b":[1,2],"c":{"d":1,"e":2.50} }]"#)

        #expect(merging.send(#"{"op":"renamed","friend":{"id":1,"a":null,"b":[3],"c":{"d":null,"f":{"g":null}},"n":"x"}}"#) == .changed)

        #expect(merging.text == #"[{ "id":1 , "b":[3],"c":{"e":2.50,"f":{}},"n":"x" }]"#)
    }

    @Test func `LV-17 a patch for an unknown id inserts nothing and asks for a refresh`() {
        var merging = Merging(value: #"[{"id":1}]"#)

        #expect(merging.send(#"{"op":"renamed","friend":{"id":2,"a":1}}"#) == .refresh)

        #expect(merging.text == #"[{"id":1}]"#)
    }

    @Test func `LV-22 a value without the list's place fails the change and stays`() {
        var merging = Merging(.friends(list: "/friends"), value: #"{"people":[]}"#)

        #expect(
            merging.send(#"{"op":"added","friend":{"id":1}}"#)
                == .failed("what the value has at `/friends` is neither an array nor an object of items"))

        #expect(merging.text == #"{"people":[]}"#)
        #expect(merging.value.revision == 1)
    }

    @Test func `the members of an object keyed by id are a list`() {
        var merging = Merging(value: "{\n  \"7\": {\"id\":7},\n  \"8\": {\"id\":8}\n}")

        #expect(merging.send(#"{"op":"updated","friend":{"id":8,"n":1}}"#) == .changed)
        #expect(merging.send(#"{"op":"added","friend":{"id":"a\"b"}}"#) == .changed)
        #expect(merging.send(#"{"op":"removed","friend":{"id":7}}"#) == .changed)

        #expect(merging.text == "{\n  \"8\": {\"id\":8,\"n\":1},\n  \"a\\\"b\": {\"id\":\"a\\\"b\"}\n}")
    }

    @Test func `without pointers to an id the item is an object whose one member is named by it`() {
        var merging = Merging(.friends(id: []), value: #"{"7":1,"8":2}"#)

        #expect(merging.send(#"{"op":"updated","friend":{"8":3}}"#) == .changed)
        #expect(merging.send(#"{"op":"removed","friend":{"7":null}}"#) == .changed)
        #expect(merging.send(#"{"op":"removed","friend":{"7":null,"8":null}}"#) == nil)

        #expect(merging.text == #"{"8":3}"#)
    }

    @Test func `several pointers make one id`() {
        var merging = Merging(.friends(id: ["/a", "/b"]), value: #"[{"a":"x","b":"y/z"},{"a":"x/y","b":"z"}]"#)

        #expect(merging.send(#"{"op":"updated","friend":{"a":"x/y","b":"z","n":1}}"#) == .changed)

        #expect(merging.text == #"[{"a":"x","b":"y/z"},{"a":"x/y","b":"z","n":1}]"#)
        #expect(merging.value.contents.element("x~1y/z") == Array(#"{"a":"x/y","b":"z","n":1}"#.utf8))
    }
}
