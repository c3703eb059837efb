import PipelineJSON
import Testing

@testable import Pipeline
@testable import PipelineLive

/// What a feed reads in a message.
@Suite struct ChangeReaderTests {
    private func feed(_ merging: MergePolicy? = .friends(version: "/v"), _ change: (inout FeedSpec) -> Void = { _ in }) -> ChangeReader {
        var spec = FeedSpec(.stub, merging: merging)
        change(&spec)
        return ChangeReader(spec)
    }

    private func message(_ text: String, event: String? = nil) -> LiveMessage { LiveMessage(Array(text.utf8), event: event) }

    /// In words: `upsert 7 {"id":7}`, `refresh`, `resync`, or why it is invalid.
    private func meaning(_ reader: ChangeReader, _ text: String, event: String? = nil) -> String {
        switch reader.read(message(text, event: event)).meaning {
        case .change(let change):
            ["\(change.operation)", change.id.text, String(decoding: change.item, as: UTF8.self)].filter { !$0.isEmpty }.joined(
                separator: " ")
        case .refresh: "refresh"
        case .resync: "resync"
        case .faulty(let reason): "faulty: \(reason)"
        case .invalid(let reason): reason
        }
    }

    @Test(arguments: [
        (#"{"op":"added","friend":{"id":7}}"#, #"upsert 7 {"id":7}"#),
        (#"{"op":"updated","friend":{ "id": "7" }}"#, #"upsert 7 { "id": "7" }"#),
        (#"{"op":"removed","friend":{"id":7,"name":"x"}}"#, "delete 7"),
        (#"{"op":"renamed","friend":{"id":7,"n":null}}"#, #"patch 7 {"id":7,"n":null}"#),
        (#"{"friend":{"id":7.0e0},"op":"\u0061dded"}"#, #"upsert 7 {"id":7.0e0}"#),
        (#"{"op":"added","friend":{"id":""}}"#, #"upsert {"id":""}"#),
        (#"{"op":"added","friend":{"id":"a","id":"b"}}"#, #"upsert b {"id":"a","id":"b"}"#),
    ]) func `a change has an operation, an id and the bytes of its item`(text: String, expected: String) {
        #expect(meaning(feed(), text) == expected)
    }

    @Test(arguments: [
        (#"{"friend":{"id":7}}"#, "no word at `/op` that says what it does"),
        (#"{"op":{"a":1},"friend":{"id":7}}"#, "no word at `/op` that says what it does"),
        (#"{"op":"Added","friend":{"id":7}}"#, "`Added` is not a declared operation"),
        (#"{"op":null,"friend":{"id":7}}"#, "`null` is not a declared operation"),
        (#"{"op":1,"friend":{"id":7}}"#, "`1` is not a declared operation"), (#"{"op":"added"}"#, "no item at `/friend`"),
        (#"{"op":"added","friend":{}}"#, "no string or number at `/id` of the item, its id"),
        (#"{"op":"added","friend":{"id":null}}"#, "no string or number at `/id` of the item, its id"),
        (#"{"op":"added","friend":{"id":true}}"#, "no string or number at `/id` of the item, its id"),
        (#"{"op":"added","friend":{"id":[7]}}"#, "no string or number at `/id` of the item, its id"),
        (#"{"op":"added","friend":[7]}"#, "no string or number at `/id` of the item, its id"),
        (#"{"op":"added","friend":7}"#, "no string or number at `/id` of the item, its id"),
        ("[]", "no word at `/op` that says what it does"),
        ("7", "no word at `/op` that says what it does"), ("", "the message is empty"),
        ("{", "not JSON: the text ends too early: expected a name in quotes at byte 1"), ("hello", "not JSON: expected a value at byte 0"),
        (#"{"op":"added","friend":{"id":7}} x"#, "not JSON: something follows the value at byte 33"),
    ]) func `what cannot be read says why`(text: String, reason: String) {
        #expect(meaning(feed(), text) == reason)
    }

    @Test func `a word of a message is shortened where it is quoted`() {
        let reason = meaning(feed(), #"{"op":"\#(String(repeating: "x", count: 10_000))","friend":{"id":7}}"#)

        #expect(reason.utf8.count < 300 && reason.hasSuffix("is not a declared operation"))
    }

    @Test(
        arguments: [
            ("added", "upsert 7"), ("message", "delete 7"), (nil, "delete 7"), ("other", "`other` is not a declared operation"),
            ("Added", "`Added` is not a declared operation"),
        ] as [(String?, String)]) func `the word may be the name of the event, which is message where there is none`(
            event: String?, expected: String
        )
    {
        let policy = MergePolicy(id: [JSONPointer("/id") ?? .whole], operations: .init(at: .event, upsert: ["added"], delete: ["message"]))

        #expect(meaning(feed(policy), #"{"id":7}"#, event: event).hasPrefix(expected))
    }

    @Test func `without operations each message is an upsert, whatever its event`() {
        let policy = MergePolicy(id: [JSONPointer("/id") ?? .whole])

        #expect(meaning(feed(policy), #" {"id":7} "#, event: "removed") == #"upsert 7 {"id":7}"#)
    }

    @Test(
        arguments: [
            (#"{"a":1,"b":2}"#, "1/2"), (#"{"a":"x/y","b":"~"}"#, "x~1y/~0"), (#"{"a":"","b":""}"#, "/"), (#"{"a":1}"#, nil),
            (#"{"a":1,"b":null}"#, nil),
        ] as [(String, String?)]) func `several pointers make one id, and each must be there`(item: String, id: String?)
    {
        let policy = MergePolicy(id: ["/a", "/b"].compactMap { JSONPointer($0) })
        let change: Change? = if case .change(let change) = feed(policy).read(message(item)).meaning { change } else { nil }

        #expect(change?.id.text == id)
    }

    @Test(arguments: [
        (#"{"7":{"v":1}}"#, #"upsert 7 {"v":1}"#), (#"{"a\/b":null}"#, "upsert a/b null"),
        ("{}", "the item is not an object of one member whose name is the id"),
        ("[1]", "the item is not an object of one member whose name is the id"),
        (#"{"a":1,"b":2}"#, "the item is not an object of one member whose name is the id"),
    ]) func `without a pointer the name of the only member is the id`(text: String, expected: String) {
        #expect(meaning(feed(MergePolicy(id: [])), text) == expected)
    }

    @Test(
        arguments: [
            ("5", "4", true), ("5", "5.0", false), ("1e1", "9.99", true), (#""b""#, #""a""#, true), (#""a""#, #""b""#, false),
            ("5", #""4""#, nil),
            ("null", "4", nil), ("5", "true", nil), ("[5]", "4", nil),
        ] as [(String, String, Bool?)]) func `a version is a number or a text of the item`(new: String, old: String, isLater: Bool?) throws
    {
        func version(_ text: String) throws -> ItemVersion? {
            let read = feed().read(message(#"{"op":"added","v":9,"friend":{"id":1,"v":\#(text)}}"#))
            guard case .change(let change) = read.meaning else { throw Missing() }
            return change.version
        }

        #expect(try version(new)?.isLater(than: version(old)) == isLater)
    }

    private struct Missing: Error {}

    @Test(
        arguments: [
            (#"{"seq":7}"#, 7), (#"{"seq":"7"}"#, 7), (#"{"seq":7.0}"#, 7), (#"{"seq":-1}"#, -1), (#"{"seq":"7e1"}"#, 70),
            (#"{"seq":7.5}"#, nil), (#"{"seq":"x"}"#, nil),
            (#"{"seq":true}"#, nil), (#"{"seq":null}"#, nil), (#"{"seq":[7]}"#, nil), (#"{"seq":9223372036854775808}"#, nil), ("{}", nil),
            ("[]", nil), ("no", nil),
        ] as [(String, Int64?)]) func `a sequence is an integer, or the text of one`(text: String, sequence: Int64?)
    {
        #expect(feed(nil) { $0.sequence = JSONPointer("/seq") }.read(message(text)).sequence == sequence)
    }

    @Test(arguments: [
        (#"{"user":42,"org":"a"}"#, true), (#"{"user":"42","org":"a"}"#, true), (#"{"user":42.0,"org":"a"}"#, true),
        (#"{"user":43,"org":"a"}"#, false),
        (#"{"user":42,"org":"A"}"#, false), (#"{"user":42}"#, false), (#"{"user":42,"org":["a"]}"#, false), ("[]", false),
    ]) func `a message is for the key whose parameters it names, as text`(text: String, concerns: Bool) {
        let reader = feed(nil) {
            $0.addressing = Dictionary(
                uniqueKeysWithValues: ["user", "org"].compactMap { name in JSONPointer("/\(name)").map { (name, $0) } })
        }

        #expect(reader.read(message(text)).concerns(Key(pipeline: "friends", parameters: ["user": "42", "org": "a"])) == concerns)
    }

    @Test func `without for it is for every key`() {
        #expect(feed().read(message("{}")).concerns(Key(pipeline: "friends", parameters: ["user": "42"])))
    }

    @Test func `resync comes before everything else in a message`() {
        let reader = feed { $0.resync = JSONPointer("/op").map { MessagePattern([$0: "reset"]) } }

        #expect(meaning(reader, #"{"op":"reset"}"#) == "resync")
        #expect(meaning(reader, #"{"op":"reset","friend":{"id":7}}"#) == "resync")
        #expect(meaning(reader, #"{"op":"added","friend":{"id":7}}"#) == #"upsert 7 {"id":7}"#)
        #expect(meaning(reader, "reset").hasPrefix("not JSON"))
    }

    @Test func `a signal, and any message of a feed that reads none, has the value loaded again`() {
        if case .refresh = feed().read(.signal).meaning {} else { Issue.record("a signal has no content") }
        #expect(meaning(feed(nil), "not JSON") == "refresh")
        #expect(meaning(feed(nil) { $0.sequence = JSONPointer("/seq") }, "{}") == "refresh")
        #expect(meaning(feed(nil) { $0.sequence = JSONPointer("/seq") }, "not JSON").hasPrefix("not JSON"))
    }

    @Test func `bytes that are not UTF-8 are not JSON`() {
        let message = LiveMessage(Array("\"".utf8) + [0xC3, 0x28] + Array("\"".utf8))
        let reason = if case .invalid(let reason) = feed().read(message).meaning { reason } else { "" }

        #expect(reason.hasPrefix("not JSON: "))
    }

    @Test func `a message nested too deep is invalid, and does no harm`() {
        let text = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)

        #expect(meaning(feed(), text) == "not JSON: nested deeper than 512 at byte 512")
    }
}
