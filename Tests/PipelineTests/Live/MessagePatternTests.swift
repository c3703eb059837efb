import PipelineJSON
import Testing

@testable import Pipeline
@testable import PipelineLive

/// Which messages have the members that `ready` and `resync` describe.
@Suite struct MessagePatternTests {
    private func pattern(_ members: [String: String]) throws -> MessagePattern {
        MessagePattern(
            Dictionary(uniqueKeysWithValues: try members.map { (try #require(JSONPointer($0.key), "\($0.key)"), $0.value) }))
    }

    private func matches(_ members: [String: String], _ message: String) throws -> Bool {
        try pattern(members).matches(Array(message.utf8))
    }

    @Test(arguments: [
        (["/type": "joined"], #"{"type":"joined"}"#), (["/type": "joined"], #" { "x": [1], "type" : "joined" } "#),
        (["/type": "joined"], #"{"type":"\u006aoined"}"#), (["/a/b": "c"], #"{"a":{"b":"c"}}"#), (["/0": "hello"], #"["hello"]"#),
        (["/1/t": "x"], #"[0,{"t":"x"}]"#), (["": "joined"], #""joined""#), (["/a~1b": "x", "/m~0n": "y"], #"{"a/b":"x","m~n":"y"}"#),
        (["/type": "joined", "/ok": "true"], #"{"type":"joined","ok":true}"#), (["/ok": "true"], #"{"ok":"true"}"#),
        (["/x": "null"], #"{"x":null}"#), (["/x": ""], #"{"x":""}"#), (["/type": "é"], "{\"type\":\"\u{E9}\"}"),
    ]) func `a message with each member matches`(members: [String: String], message: String) throws {
        #expect(try matches(members, message))
    }

    @Test(arguments: [
        (["/code": "1.50"], "{\"code\":1.5}"), (["/code": "1.5"], "{\"code\":15e-1}"), (["/code": "0"], "{\"code\":-0.0}"),
        (["/code": "9007199254740993"], "{\"code\":9007199254740993}"), (["/code": "7"], "{\"code\":\"7\"}"),
    ]) func `numbers are compared by value, and with a string by its text`(members: [String: String], message: String) throws {
        #expect(try matches(members, message))
    }

    @Test(arguments: [
        (["/type": "joined"], #"{"type":"Joined"}"#), (["/type": "joined"], #"{"type":"joined "}"#),
        (["/type": "joined"], #"{"Type":"joined"}"#),
        (["/type": "joined"], #"{"type":["joined"]}"#), (["/type": "joined"], #"{"type":{"joined":1}}"#),
        (["/type": "joined"], #"["type","joined"]"#),
        (["/type": "joined"], #""joined""#), (["/type": "joined"], "{}"), (["/a": "1", "/b": "2"], #"{"a":1}"#), (["/x": "null"], "{}"),
        (["/x": ""], "{}"), (["/x": ""], #"{"x":null}"#), (["/ok": "true"], #"{"ok":"TRUE"}"#), (["/ok": "true"], #"{"ok":1}"#),
        (["/code": "1.5"], #"{"code":1.50000000000000001}"#), (["/code": "1.5"], #"{"code":"1.50"}"#),
        (["/code": "9007199254740992"], #"{"code":9007199254740993}"#), (["/0": "x"], #"{"1":"x"}"#), (["/2": "x"], #"["x","x"]"#),
        (["/-": "x"], #"["x"]"#), (["/00": "x"], #"["x"]"#), (["/type": "\u{E9}"], "{\"type\":\"e\u{301}\"}"),
    ]) func `another value at the place, or none, does not match`(members: [String: String], message: String) throws {
        #expect(try !matches(members, message))
    }

    @Test(arguments: ["", " ", "joined", "{", #"{"type":"joined""#, #"{"type":"joined"} x"#, #"{"type":"joined",}"#, #"{type:"joined"}"#])
    func `what is not JSON does not match`(message: String) throws {
        #expect(try !matches(["/type": "joined"], message))
    }

    @Test func `bytes that are not UTF-8 do not match`() throws {
        #expect(try !pattern(["/type": "joined"]).matches(Array(#"{"type":"joined","x":""#.utf8) + [0xFF] + Array("\"}".utf8)))
    }

    @Test func `an empty pattern matches nothing`() throws {
        #expect(try !matches([:], "{}"))
        #expect(!MessagePattern([:]).matches(json: Array("{}".utf8)))
    }
}
