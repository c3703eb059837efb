import Pipeline
import PipelineJSON
import PipelineLive
import Testing

@testable import PipelineSending

/// What a send does to a value: before its origin has made the change, and with it.
@Suite struct KeyEffectTests {
    private func effect(
        _ operation: SendChange.Operation, id: String? = "a", _ item: String, isTemporary: Bool = false,
        insertion: MergePolicy.Insertion = .refresh, version: JSONPointer? = nil
    ) -> KeyEffect {
        let policy = MergePolicy(id: [JSONPointer("/id") ?? .whole], version: version, insertion: insertion)
        return KeyEffect(
            key: Key(pipeline: "friends", parameters: [:]), change: SendChange(of: "friends", operation, merging: policy),
            id: id.map { ItemID($0) }, item: Array(item.utf8), isTemporary: isTemporary)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func words(_ change: Change?) -> String {
        change.map { "\($0.operation) \($0.id.text) \(text($0.item))" } ?? "nothing"
    }

    private func seen(_ effect: KeyEffect) -> String {
        switch effect.layer {
        case .change(let change)?: words(change)
        case .value(let bytes)?: "value \(text(bytes))"
        case nil: "nothing"
        }
    }

    private func entry(_ payload: String) -> Entry { Entry(Array(payload.utf8), created: Timestamp(nanoseconds: 0)) }

    @Test func `what is seen before is the item, the patch, that it is gone, or the value`() {
        #expect(seen(effect(.upsert, #"{"id":"a"}"#)) == #"upsert a {"id":"a"}"#)
        #expect(seen(effect(.patch, #"{"n":1}"#)) == #"patch a {"n":1}"#)
        #expect(seen(effect(.delete, "")) == "delete a ")
        #expect(seen(effect(.replace, id: nil, "[1]")) == "value [1]")
        #expect(seen(effect(.refresh, id: nil, "")) == "nothing")
    }

    @Test(arguments: [
        (MergePolicy.Insertion.refresh, MergePolicy.Insertion.last), (.ignore, .last), (.first, .first), (.last, .last),
        (.sorted(.whole, isDescending: true), .sorted(.whole, isDescending: true)),
    ])
    func `a new item is seen at the place of the list, and at its end where a feed would load`(
        declared: MergePolicy.Insertion, expected: MergePolicy.Insertion
    ) {
        guard case .change(let change)? = effect(.upsert, #"{"id":"a"}"#, insertion: declared).layer else { return #expect(Bool(false)) }

        #expect(change.insertion == expected)
    }

    @Test func `with the answer the item is the answer's, else what was sent`() {
        let answer = Array(#"{"id":"a","v":2}"#.utf8)

        #expect(words(effect(.upsert, #"{"id":"a"}"#).made(answer, id: nil)) == #"upsert a {"id":"a","v":2}"#)
        #expect(words(effect(.upsert, #"{"id":"a"}"#).made(nil, id: nil)) == #"upsert a {"id":"a"}"#)
        #expect(words(effect(.patch, #"{"n":1}"#).made(answer, id: nil)) == #"patch a {"id":"a","v":2}"#)
        #expect(words(effect(.patch, #"{"n":1}"#).made(nil, id: nil)) == #"patch a {"n":1}"#)
        #expect(words(effect(.delete, "").made(answer, id: nil)) == "delete a ")
        #expect(words(effect(.replace, id: nil, "[1]").made(answer, id: nil)) == "nothing")
        #expect(words(effect(.refresh, id: nil, "").made(answer, id: nil)) == "nothing")
    }

    @Test func `SD-16 a temporary id becomes the origin's, as it was written`() {
        let new = effect(.upsert, id: "~s1", #"{"n":1,"id":"~s1"}"#, isTemporary: true)

        #expect(words(new.made(nil, id: "7")) == #"upsert 7 {"n":1,"id":7}"#)
        #expect(words(new.made(nil, id: #""x""#)) == #"upsert x {"n":1,"id":"x"}"#)
        #expect(words(new.made(Array(#"{"id":8,"n":1}"#.utf8), id: "8")) == #"upsert 8 {"id":8,"n":1}"#)
        // The item of the answer names itself, also where nothing else does.
        #expect(words(new.made(Array(#"{"id":8,"n":1}"#.utf8), id: nil)) == #"upsert 8 {"id":8,"n":1}"#)
    }

    @Test func `a new item whose id nobody says is left to a load`() {
        let new = effect(.upsert, id: "~s1", #"{"id":"~s1"}"#, isTemporary: true)

        #expect(words(new.made(nil, id: nil)) == "nothing")
    }

    @Test func `the version is that of the answer`() {
        let change = effect(.upsert, #"{"id":"a"}"#, version: JSONPointer("/v")).made(Array(#"{"id":"a","v":5}"#.utf8), id: nil)

        #expect(change?.version != nil)
        #expect(effect(.upsert, #"{"id":"a"}"#, version: JSONPointer("/v")).made(nil, id: nil)?.version == nil)
    }

    @Test func `SD-20 an upsert or a patch is there when it would change nothing, a delete when the item is gone`() {
        let base = entry(#"[{"id":"a","n":1,"m":{"x":1,"y":2}},{"id":"b"}]"#)

        #expect(effect(.upsert, #"{"id":"a","n":1}"#).isThere(in: base))
        #expect(effect(.patch, #"{"m":{"y":2}}"#).isThere(in: base))
        #expect(effect(.patch, #"{"gone":null}"#).isThere(in: base))
        #expect(effect(.delete, id: "c", "").isThere(in: base))
        #expect(effect(.replace, id: nil, "[1]").isThere(in: entry("[1]")))

        #expect(!effect(.upsert, #"{"id":"a","n":2}"#).isThere(in: base))
        #expect(!effect(.upsert, id: "c", #"{"id":"c"}"#).isThere(in: base))
        #expect(!effect(.patch, #"{"m":{"y":null}}"#).isThere(in: base))
        #expect(!effect(.delete, "").isThere(in: base))
        #expect(!effect(.replace, id: nil, "[1]").isThere(in: entry("[2]")))
    }

    @Test func `without a base, or an id of its own, nothing can be found`() {
        let new = effect(.upsert, id: "~s1", #"{"id":"~s1"}"#, isTemporary: true)

        #expect(!new.isThere(in: entry(#"[{"id":"~s1"}]"#)))
        #expect(!effect(.upsert, #"{"id":"a"}"#).isThere(in: nil))
        #expect(!effect(.delete, "").isThere(in: nil))
        #expect(!effect(.refresh, id: nil, "").isThere(in: entry("[]")))
    }
}
