import Pipeline
import Testing

@testable import PipelineSending

@Suite struct TemporaryIDTests {
    private func found(_ payload: String, in arguments: [String: String] = [:]) -> Set<String> {
        TemporaryID.all(in: arguments, Array(payload.utf8))
    }

    private func replaced(_ temporary: String, in payload: String, by id: String) -> String {
        String(decoding: TemporaryID(temporary).replaced(in: Array(payload.utf8), by: id), as: UTF8.self)
    }

    @Test(
        arguments: [
            (#""~a""#, ["~a"]),
            (#"{"id":"~a","ids":["~b",{"x": "~c" }]}"#, ["~a", "~b", "~c"]),
            (#"["~a","~a"]"#, ["~a"]),
            (#"{"~a":1,"~b" : 2}"#, []),
            (#"{"~a":"~b"}"#, ["~b"]),
            (#"["a~b","~","x ~c"," ~d",""]"#, []),
            (#"["\"~a","\\","~b"]"#, ["~b"]),
            (#"["~a\"b","~\u00e9","~a\\"]"#, [#"~a"b"#, "~é", #"~a\"#]),
            (#"{"text":"he said: \"~a\""}"#, []),
            ("[1, true, null]", []),
            ("", []),
        ] as [(String, Set<String>)])
    func `a temporary id is a whole string that begins with a tilde, and no name of a member`(payload: String, ids: Set<String>) {
        #expect(found(payload) == ids)
    }

    @Test func `an argument is one as a whole`() {
        #expect(found("", in: ["a": "~x", "b": "~", "c": "y~x", "d": "", "e": "~x y"]) == ["~x", "~x y"])
        #expect(found(#"["~z"]"#, in: ["a": "~x"]) == ["~x", "~z"])
    }

    @Test(
        arguments: [
            (#"{"id":"~a","n":1}"#, "7", #"{"id":7,"n":1}"#),
            (#"{"id":"~a","n":1}"#, #""x""#, #"{"id":"x","n":1}"#),
            (#"["~a", "~b" ,"~a"]"#, "7", #"[7, "~b" ,7]"#),
            (#""~a""#, "7", "7"),
            (#"{"~a":"~a"}"#, "7", #"{"~a":7}"#),
            (#"["~ab","b~a","~"]"#, "7", #"["~ab","b~a","~"]"#),
            (#"["\u007e","~\u0061","\\~a"]"#, "7", #"["\u007e",7,"\\~a"]"#),
            (#"{"t":"\"~a\""}"#, "7", #"{"t":"\"~a\""}"#),
            (#"{"é":"~a"}  "#, #""ü""#, #"{"é":"ü"}  "#),
        ] as [(String, String, String)])
    func `the origin's id stands where it stood, and nothing else changes`(payload: String, id: String, result: String) {
        #expect(replaced("~a", in: payload, by: id) == result)
    }

    @Test func `SD-16 a row has the origin's id as text in its arguments, and as it was written in its payload`() {
        for (id, text) in [("7", "7"), (#""7""#, "7"), (#""a\"b""#, #"a"b"#), (#""\u00e9""#, "é")] {
            var row = SendRow(
                id: "s", name: "edit", arguments: ["a": "~x", "b": "~xy"], payload: Array(#"["~x","~xy"]"#.utf8), owner: "",
                taken: Timestamp(nanoseconds: 0))

            row.replace("~x", by: id, in: .json)

            #expect(row.arguments == ["a": text, "b": "~xy"])
            #expect(String(decoding: row.payload, as: UTF8.self) == #"[\#(id),"~xy"]"#)
        }
    }

    @Test(arguments: [PayloadFormat.text, .bytes])
    func `SD-16 a payload that is no JSON stays as it is`(format: PayloadFormat) {
        var row = SendRow(
            id: "s", name: "edit", arguments: ["a": "~x"], payload: Array(#"he said "~x""#.utf8), owner: "",
            taken: Timestamp(nanoseconds: 0))

        row.replace("~x", by: "7", in: format)

        #expect(row.arguments == ["a": "7"])
        #expect(String(decoding: row.payload, as: UTF8.self) == #"he said "~x""#)
    }

    @Test func `a send's own temporary id is its id behind a tilde`() {
        let row = SendRow(id: "s 1", name: "edit", arguments: [:], payload: [], owner: "", taken: Timestamp(nanoseconds: 0))

        #expect(row.temporaryID == "~s 1")
    }
}
