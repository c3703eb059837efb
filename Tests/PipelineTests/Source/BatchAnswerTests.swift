import Pipeline
import PipelineJSON
import Testing

@Suite struct BatchAnswerTests {
    @Test func `BT-01 elements are matched by their ids, in any order, with their bytes`() throws {
        let answer = try Self.answer(
            #"{"data": [ {"id": 3, "n": 1.10} , {"id":"1"},{"n":"\u00e9","id":2} ]}"#, ids: ["1", "2", "3"], items: "/data")
        #expect(Self.words(answer) == [#"{"id":"1"}"#, #"{"n":"\u00e9","id":2}"#, #"{"id": 3, "n": 1.10}"#])
        #expect(answer.ignored == 0)
    }

    @Test func `FA-04 an id is the text of a string, or a number as it is written`() throws {
        let answer = try Self.answer(#"[{"id":42},{"id":"42.0"}]"#, ids: ["42", "42.0", "4e1"])
        #expect(Self.words(answer) == [#"{"id":42}"#, #"{"id":"42.0"}"#, "not found"])
    }

    @Test func `FA-04 an id that is no text is that of no key`() throws {
        let answer = try Self.answer(
            #"[{"id":"\ud800"},{"id":"\ud801"},{"id":"1"},{"id":"\ud83d\ude00"}]"#, ids: ["1", "\u{FFFD}", "\u{1F600}"])
        #expect(Self.words(answer) == [#"{"id":"1"}"#, "not found", #"{"id":"\ud83d\ude00"}"#])
        #expect(answer.ignored == 2)
    }

    @Test func `BT-03 what is absent is not there, or unknown`() throws {
        #expect(Self.words(try Self.answer(#"[{"id":1}]"#, ids: ["1", "2"])) == [#"{"id":1}"#, "not found"])
        let unknown = try Self.answer(#"[{"id":1}]"#, ids: ["1", "2"], missing: .unknown)
        #expect(Self.words(unknown) == [#"{"id":1}"#, "failure: the batch does not have the id"])
        #expect(Self.words(try Self.answer("[]", ids: ["1", "2"])) == ["not found", "not found"])
    }

    @Test(arguments: [
        ("BO", "bo"), ("bo", "Bo"), ("ÄÖ", "äö"), ("bo", "bo "), (" bo", "bo"), ("bo\t", "bo"), ("e\u{301}", "é"), ("42", "42.0"),
        ("042", "42"), ("42.50", "42.5"),
        ("+7", "7"), ("-07", "-7"), ("-0", "0"), ("1e3", "1000"), ("1E3", "1e3"), ("0", "0.0"), ("A-1", "a-1"),
    ])
    func `an id that an element has in another spelling is not absent`(asked: String, found: String) throws {
        for missing in BatchAnswer.Missing.allCases {
            for (asked, found) in [(asked, found), (found, asked)] {
                let element = #"{"id":\#(JSONText.string(found).text)}"#
                let answer = try Self.answer(#"[{"id":"x"},\#(element)]"#, ids: ["x", asked], missing: missing)
                #expect(Self.words(answer) == [#"{"id":"x"}"#, "failure: the batch does not have the id, but `\(found.shortened)`"])
            }
        }
    }

    @Test(arguments: [
        ("bo", "bob"), ("42", "4.2"), ("42", "420"), ("1.0.0", "1.0"), ("", "0"), ("-7", "7"), ("9007199254740993", "9007199254740992"),
        ("b o", "bo"), (".5", "5"), ("1e3", "1e4"),
    ])
    func `an id that is another one is absent`(asked: String, found: String) throws {
        let element = #"{"id":\#(JSONText.string(found).text)}"#
        let answer = try Self.answer(#"[{"id":"x"},\#(element)]"#, ids: ["x", asked])
        #expect(Self.words(answer) == [#"{"id":"x"}"#, "not found"])
    }

    @Test func `of two spellings that were asked for the one that comes back is that value alone`() throws {
        let one = try Self.answer(#"[{"id":"a"},{"id":"y"}]"#, ids: ["a", "A", "b"])
        #expect(Self.words(one) == [#"{"id":"a"}"#, "failure: the batch does not have the id, but `a`", "not found"])
        let both = try Self.answer(#"[{"id":"a"},{"id":"A"}]"#, ids: ["a", "A"])
        #expect(Self.words(both) == [#"{"id":"a"}"#, #"{"id":"A"}"#])
    }

    @Test func `BT-04 elements of which none was asked for are the answer to something else`() {
        #expect(throws: SourceError.self) { try Self.answer(#"[{"id":8},{"id":9}]"#, ids: ["1", "2"]) }
        #expect(throws: SourceError.self) { try Self.answer(#"[{"uid":1},null,[1]]"#, ids: ["1", "2"]) }
    }

    @Test(arguments: [
        (#"{"data":[]}"#, "", "the response is an object; `items` says where the list is, as `/data`"),
        ("null", "", "the response is null; `items` says where the list is, as `/data`"),
        (#""x""#, "", "the response is a text; `items` says where the list is, as `/data`"),
        (#"{"data":-1}"#, "/data", "the response has a number at `/data`, where `items` says that the list is"),
        ("[]", "/data", "the response has nothing at `/data`, where `items` says that the list is"),
        (#"[{"uid":1},{"uid":2},null,[1]]"#, "", "nothing at `/id` in any of 4 elements"),
        (#"[{"uid":1}]"#, "", "nothing at `/id` in the only element"),
        (#"[{"id":8},{"uid":9}]"#, "", "the batch has 2 elements, and none with an id that was asked for"),
    ])
    func `BT-04 an answer to something else says what it is`(text: String, items: String, reason: String) {
        let error = #expect(throws: SourceError.self) { try Self.answer(text, ids: ["1", "2"], items: items) }
        #expect(error?.reason == reason && error?.kind == .invalid)
    }

    @Test func `An id that stands twice is an error of its key alone, and others are ignored and counted`() throws {
        let text = #"[{"id":1},{"id":2,"a":1},{"id":9},{"id":2,"a":1},{"id":{}},{"id":null},{"id":true},7,{"id":2}]"#
        let answer = try Self.answer(text, ids: ["1", "2", "3"])
        #expect(Self.words(answer) == [#"{"id":1}"#, "invalid: the batch has the id twice", "not found"])
        #expect(answer.ignored == 5)
    }

    @Test(arguments: [
        #"{"data":{}}"#, #"{}"#, #"{"data":[{"id":1}"#, "", "[1", "null", #"{"data":[{"id":1}],"data":[]}"#, #"{"data":[{"id":1,"id":2}]}"#,
        "{\"data\":[" + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "]}",
    ])
    func `An answer that is cut, of another shape, nested too deep or with a name twice is no answer`(text: String) {
        let error = #expect(throws: SourceError.self) { try Self.answer(text, ids: ["1", "2"], items: "/data") }
        #expect(error?.kind == .invalid && error?.detail == text)
    }

    @Test func `100,000 elements that were not asked for leave the two that were`() throws {
        let others = (0..<100_000).map { #"{"id":"other\#($0)","deep":[[[{}]]]}"# }.joined(separator: ",")
        let answer = try Self.answer(#"[{"id":"1"},"# + others + #",{"id":"2"}]"#, ids: ["2", "1"])
        #expect(Self.words(answer) == [#"{"id":"2"}"#, #"{"id":"1"}"#])
        #expect(answer.ignored == 100_000)
    }

    @Test func `An id with any characters is the same text`() throws {
        let ids = ["../x?y", "a,b", "é\u{301}", "e\u{301}", "\"", ""]
        let elements = ids.map { #"{"id":\#(JSONText.string($0).text)}"# }
        let answer = try Self.answer("[" + elements.reversed().joined(separator: ",") + "]", ids: ids)
        #expect(Self.words(answer) == elements)
    }

    @Test func `What is known of the whole is known of each`() throws {
        let template = Entry([], created: Timestamp(nanoseconds: 5), freshUntil: Timestamp(nanoseconds: 9), contentType: "application/json")
        let answer = try Self.answer(#"[{"id":1}]"#, ids: ["1", "2"], as: template)
        for result in answer.results {
            let entry = try #require(try result.get())
            #expect(entry.created == template.created && entry.freshUntil == template.freshUntil)
        }
    }

    private static func answer(
        _ text: String, ids: [String], items: String = "", missing: BatchAnswer.Missing = .notFound, as template: Entry? = nil
    ) throws -> BatchAnswer {
        let keys = ids.map { Key(pipeline: "users", parameters: ["id": $0]) }
        return try BatchAnswer(
            Array(text.utf8), items: JSONPointer(parsing: items), id: JSONPointer(parsing: "/id"), of: "id", for: keys, missing: missing,
            as: template ?? Entry([], created: .distantPast))
    }

    private static func words(_ answer: BatchAnswer) -> [String] {
        answer.results.map { result in
            switch result {
            case .success(let entry?): entry.payload.map { String(decoding: $0, as: UTF8.self) } ?? "not found"
            case .success(nil): "none"
            case .failure(let error as SourceError): (error.kind == .invalid ? "invalid: " : "failure: ") + error.reason
            case .failure(let error): "\(error)"
            }
        }
    }
}
