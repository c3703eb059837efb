import PipelineJSON
import Testing

/// RFC 7396, on bytes.
@Suite struct JSONMergePatchTests {
    private func patched(_ target: String, _ patch: String) -> String {
        String(decoding: JSONMergePatch.apply(Array(patch.utf8), to: Array(target.utf8)), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"), (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#), ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]) func `the examples of appendix A`(target: String, patch: String, result: String) {
        #expect(patched(target, patch) == result)
    }

    @Test(arguments: [
        // An empty patch changes nothing, and makes an object of what is none.
        (#"{ "a" : 1 }"#, "{}", #"{ "a" : 1 }"#), ("{}", "{ }", "{}"), ("7", "{}", "{}"), ("[1]", #"{"a":{}}"#, #"{"a":{}}"#),
        // An object in the place of what is none, without its nulls.
        (#"{"a":1}"#, #"{"a":{"b":null,"c":2}}"#, #"{"a":{"c":2}}"#), (#"{"a":null}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#),
        // Nulls inside of arrays are values.
        (#"{"a":1}"#, #"{"a":[null,{"b":null}]}"#, #"{"a":[null,{"b":null}]}"#), (#"{"a":1}"#, #"{"b":null}"#, #"{"a":1}"#),
        // Values that look like the others.
        (#"{"a":1}"#, #"{"a":"null"}"#, #"{"a":"null"}"#), (#"{"a":1}"#, #"{"a":false}"#, #"{"a":false}"#),
        (#"{"":1}"#, #"{"":null}"#, "{}"),
    ]) func `corners`(target: String, patch: String, result: String) {
        #expect(patched(target, patch) == result)
    }

    @Test func `what is not named keeps its bytes, and its place`() {
        #expect(
            patched("{ \"a\": 1.00,\n  \"b\" : \"\\u00e4\", \"c\":3 }", #"{"c":4,"d":5}"#)
                == "{ \"a\": 1.00,\n  \"b\" : \"\\u00e4\", \"c\":4,\"d\":5 }")
        #expect(patched(#"{"a":1, "b":2, "c":3}"#, #"{"a":null}"#) == #"{ "b":2, "c":3}"#)
        #expect(patched(#"{"a":1, "b":2, "c":3}"#, #"{"b":null}"#) == #"{"a":1, "c":3}"#)
        #expect(patched(#"{"a":1, "b":2}"#, #"{"b":null}"#) == #"{"a":1}"#)
    }

    @Test(arguments: [
        (#"{"\u0061":1}"#, #"{"a":2}"#, #"{"\u0061":2}"#), (#"{"a":1}"#, #"{"\u0061":null}"#, "{}"),
        // Composed and decomposed are two names.
        ("{\"\u{E9}\":1}", "{\"e\u{301}\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
    ]) func `names are equal by their characters, however they are escaped`(target: String, patch: String, result: String) {
        #expect(Array(patched(target, patch).utf8) == Array(result.utf8))
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, #"{"a":3}"#, #"{"a":3}"#), (#"{"a":1,"a":2}"#, #"{"a":null}"#, "{}"),
        (#"{"a":1}"#, #"{"a":2,"a":null}"#, "{}"), (#"{"b":0}"#, #"{"a":1,"a":2}"#, #"{"b":0,"a":2}"#),
        (#"{"a":1,"a":{"b":1}}"#, #"{"a":{"c":2}}"#, #"{"a":{"b":1,"c":2}}"#),
        (#"{"a":1,"a":2}"#, #"{"b":3}"#, #"{"a":1,"a":2,"b":3}"#),
    ]) func `of a name that stands twice the last one counts`(target: String, patch: String, result: String) {
        #expect(patched(target, patch) == result)
    }

    @Test func `a patch as deep as JSON may be is applied`() {
        let depth = JSONScanner.maximumDepth
        func nested(_ value: String) -> String {
            String(repeating: #"{"a":"#, count: depth) + value + String(repeating: "}", count: depth)
        }

        #expect(patched(nested("1"), nested("2")) == nested("2"))
        #expect(patched("0", nested("2")) == nested("2"))
    }
}
