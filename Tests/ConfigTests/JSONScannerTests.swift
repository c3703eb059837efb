import Foundation
import Pipeline
import PipelineJSON
import PipelineTesting
import Testing

/// RFC 8259, byte by byte.
@Suite struct JSONScannerTests {
    @Test(arguments: [
        "0", "-0", "1", "-1", "10", "0.5", "-0.0", "1e5", "1E5", "1e+5", "1e-5", "1.5e300", "123456789012345678901234567890", "\"\"",
        "\"a\"", "null", "true", "false", "[]",
        "{}", "[ ]", "{ }", " 1 ", "\t\r\n 1\n", "[1,2]", "[1 , 2]", "[[],[]]", "{\"a\":1}", "{\"a\":{\"b\":[{}]}}", "{\"a\":1,\"a\":2}",
        "{\"\":0}", #""\"\\\/\b\f\n\r\t""#,
        #""\u0041\uD83D\uDE00""#, #""\uD800""#, "\"\u{7F}\"", "\"é🙂\u{2028}\"", "[null, true, \"x\", 1.0, {}]",
    ]) func `valid texts`(_ text: String) throws {
        #expect(JSONScanner.problem(of: Array(text.utf8)) == nil)
        // Foundation agrees, but for half a surrogate pair, which the grammar has and Unicode has not.
        if !text.contains(#""\uD800""#) {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) }
        }
    }

    @Test(arguments: [
        ("", 0), (" ", 1), ("01", 1), ("-", 1), ("+1", 0), ("1.", 2), (".5", 0), ("1e", 2), ("1e+", 3), ("0x1", 1), ("NaN", 0),
        ("Infinity", 0), ("-a", 1), ("nul", 0),
        ("nulll", 4), ("True", 0), ("[", 1), ("]", 0), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("{", 1), ("}", 0),
        ("{\"a\"", 4), ("{\"a\":", 5),
        ("{\"a\":1", 6), ("{\"a\":1,", 7), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{1:1}", 1), ("{'a':1}", 1), ("{\"a\" 1}", 5), ("[}", 1),
        ("{]", 1), ("[1}", 2), ("\"", 1),
        ("\"a", 2), ("\"\\\"", 3), ("\"\\x\"", 2), ("\"\\u12\"", 5), ("\"\\u12G4\"", 5), ("\"\n\"", 1), ("\"\t\"", 1), ("\"\0\"", 1),
        ("1 1", 2), ("[] []", 3), ("// x\n1", 0), ("'a'", 0),
        ("\u{FEFF}1", 0), ("1\0", 1), ("[1]x", 3), ("\u{A0}1", 0),
    ]) func `invalid texts, and where`(_ text: String, _ offset: Int) {
        #expect(JSONScanner.problem(of: Array(text.utf8))?.offset == offset)
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xE0, 0x80, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
            [0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0x22, 0x80, 0x22], [0x22, 0xF0, 0x9F, 0x99],
        ] as [[UInt8]]) func `strings that are no UTF-8`(_ bytes: [UInt8])
    {
        #expect(JSONScanner.problem(of: bytes)?.offset == 1)
    }

    @Test(arguments: ["[", "{\"a\":"]) func `depth is bounded`(_ opening: String) {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: opening, count: depth) + "1" + String(repeating: opening == "[" ? "]" : "}", count: depth)).utf8)
        }

        #expect(JSONScanner.problem(of: nested(JSONScanner.maximumDepth)) == nil)
        #expect(JSONScanner.problem(of: nested(JSONScanner.maximumDepth + 1))?.message == "nested deeper than 512")
        #expect(JSONScanner.problem(of: nested(1_000_000))?.message == "nested deeper than 512")
    }

    @Test(
        arguments: [
            ("[]", []), ("[ ]", []), ("[1]", ["1"]), (" [ 1 , \"a,]\" , {\"b\": [2, 3]} ] ", ["1", "\"a,]\"", "{\"b\": [2, 3]}"]),
            ("[[],{}]", ["[]", "{}"]), ("[null,\n-1e5]", ["null", "-1e5"]),
            ("[\"é\", \"\\\"\"]", ["\"é\"", "\"\\\"\""]),
        ] as [(String, [String])]) func `the elements of an array, and nothing around them`(_ text: String, _ elements: [String]) throws
    {
        let bytes = Array(text.utf8)

        let ranges = try #require(try JSONScanner.elements(of: bytes))

        #expect(ranges.map { String(decoding: bytes[$0], as: UTF8.self) } == elements)
    }

    @Test func `replacing one element leaves every other byte`() throws {
        let text = "\u{20}[ 1 ,\t\"a\" ,\r\n{ \"b\" : [ 2 ] } ]\n"
        let bytes = Array(text.utf8)
        let ranges = try #require(try JSONScanner.elements(of: bytes))

        for range in ranges {
            var changed = bytes
            changed.replaceSubrange(range, with: Array("\"new\"".utf8))

            #expect(Array(changed[..<range.lowerBound]) == Array(bytes[..<range.lowerBound]))
            #expect(changed.suffix(bytes.count - range.upperBound) == bytes.suffix(bytes.count - range.upperBound))
            #expect(JSONScanner.problem(of: changed) == nil)
            #expect(try JSONScanner.elements(of: changed)?.count == ranges.count)
        }
    }

    @Test(arguments: ["{}", "1", "\"[]\"", "null", ""]) func `what is no array has no elements`(_ text: String) throws {
        #expect(try JSONScanner.elements(of: Array(text.utf8)) == nil)
    }

    @Test(arguments: ["[", "[1", "[1,]", "[1]x", "[1}", "[01]", "[\"]"]) func `a broken array is a problem`(_ text: String) {
        #expect(throws: JSONScanner.Problem.self) { try JSONScanner.elements(of: Array(text.utf8)) }
    }

    @Test(arguments: [
        (" { \"a b\" : [ 1 ,\n2 ] }\n", "{\"a b\":[1,2]}"), ("\" \\\" \"", "\" \\\" \""), ("1", "1"), ("", ""),
        ("[\"\\\\\" , \" \"]", "[\"\\\\\",\" \"]"),
    ]) func `compacted texts keep their strings`(_ text: String, _ expected: String) {
        #expect(String(decoding: JSONScanner.compacted(Array(text.utf8)), as: UTF8.self) == expected)
    }

    @Test func `random bytes are scanned to an answer that Foundation shares`() throws {
        var random = SplitMix64(seed: 3)
        let alphabet = Array("[]{},:\"\\ 01.-eEtrufalsn\n".utf8)
        var valid = 0
        var bad: [String] = []

        for _ in 0..<50_000 {
            let text = (0..<Int.random(in: 0...7, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            let problem = JSONScanner.problem(of: text)
            let isFoundationContent = (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil

            if (problem == nil) != isFoundationContent || problem.map({ $0.offset > text.count }) == true {
                bad.append(String(decoding: text, as: UTF8.self))
            }
            valid += problem == nil ? 1 : 0
        }
        #expect(bad == [])
        #expect(valid > 500)
    }
}
