import PipelineAnswers
import PipelineJSON
import PipelineTesting
import Testing

@Suite struct XMLTests {
    @Test(arguments: [
        ("<a/>", #""""#), ("<a></a>", #""""#), ("<a>x</a>", #""x""#), ("<a> x\n</a>", #"" x\n""#), ("<a> </a>", #"" ""#),
        ("<a><item>1</item></a>", #"{"item":["1"]}"#), ("<a><item>1</item><item>2</item></a>", #"{"item":["1","2"]}"#),
        ("<a b='1'/>", #"{"@b":"1"}"#), ("<a b='1' c='2'></a>", #"{"@b":"1","@c":"2"}"#), ("<a b='1'>x</a>", ##"{"@b":"1","#text":"x"}"##),
        ("<a b='1'> </a>", ##"{"@b":"1","#text":" "}"##), ("<a b='1'><c/></a>", #"{"@b":"1","c":[""]}"#),
        ("<a>\n <b>1</b>\n <c>2</c>\n</a>", #"{"b":["1"],"c":["2"]}"#), ("<a>x<b/>y</a>", ##"{"b":[""],"#text":"xy"}"##),
        ("<a>\n<b/> x <c/>\n</a>", ##"{"b":[""],"c":[""],"#text":"\n x \n"}"##),
        ("<a><b/><c/><b>2</b></a>", #"{"b":["","2"],"c":[""]}"#),
        ("<a><b>1</b><c/><b>2</b><c x='3'/></a>", #"{"b":["1","2"],"c":["",{"@x":"3"}]}"#),
        ("<a x=''><b/><c/><b/><d/><c/></a>", #"{"@x":"","b":["",""],"c":["",""],"d":[""]}"#),
        ("<a><b><b><b/></b></b></a>", #"{"b":[{"b":[{"b":[""]}]}]}"#),
        ("<a><b><a/><b/><a/></b><a/><b/></a>", #"{"b":[{"a":["",""],"b":[""]},""],"a":[""]}"#),
        ("<a>&lt;&gt;&amp;&apos;&quot;&#233;&#x1F600;</a>", #""<>&'\"é😀""#), ("<a b='&quot;&#10;&#9;\\'/>", #"{"@b":"\"\n\t\\"}"#),
        ("<a><![CDATA[<b>&amp;]]>]]&gt;</a>", #""<b>&amp;]]>""#), ("<a>1<!-- <b/> -->2<?php x ?>3</a>", #""123""#),
        ("<?xml version='1.0'?><!-- c --><s:a xmlns:s='u' s:b='1'><s:c/></s:a><!-- d -->\n", #"{"@xmlns:s":"u","@s:b":"1","s:c":[""]}"#),
        ("<x:a><y:b/></x:a>", #"{"y:b":[""]}"#), ("<ä ö='ü'><é>😀</é></ä>", #"{"@ö":"ü","é":["😀"]}"#),
        ("<a>1\r\n2\r3</a>", #""1\n2\n3""#), ("<a b='1\n2\t3'/>", #"{"@b":"1 2 3"}"#), ("\u{FEFF}<a/>", #""""#),
        ("<a>\u{7F}\u{85}\u{2028}</a>", "\"\u{7F}\u{85}\u{2028}\""),
    ])
    func `AP-79 an element is its text, or an object with a list for each name`(body: String, expected: String) {
        #expect(ReadAnswer(body, as: .xml) == .json(expected))
    }

    @Test(arguments: [
        ("", "line 1: no element found"), ("\n \n", "line 3: no element found"), ("x", "line 1: syntax error"),
        ("<a>", "line 1: no element found"),
        ("<a>\n<b></a>", "line 2: mismatched tag"), ("<a/>\n<b/>", "line 2: junk after document element"),
        ("<a b='1' b='2'/>", "line 1: duplicate attribute"),
        ("<a b=1/>", "line 1: not well-formed (invalid token)"), ("<a\n", "line 1: unclosed token"),
        ("<a>&#0;</a>", "line 1: reference to invalid character number"),
        ("<a>\u{0}</a>", "line 1: not well-formed (invalid token)"), ("<a>\u{1}</a>", "line 1: not well-formed (invalid token)"),
        ("<a>\u{FFFE}</a>", "line 1: not well-formed (invalid token)"),
        ("<a>\n&nbsp;</a>", "line 2: undefined entity"), ("<a b='&e;'/>", "line 1: undefined entity"),
        ("<!DOCTYPE a><a/>", "line 1: a DOCTYPE is not read"),
        ("<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC \"-//W3C\" \"http://x/\">\n<html/>", "line 2: a DOCTYPE is not read"),
        ("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", "line 1: a DOCTYPE is not read"),
        ("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", "line 1: a DOCTYPE is not read"),
        ("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>", "line 1: a DOCTYPE is not read"),
        ("<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a/>", "line 1: a DOCTYPE is not read"),
        ("<!DOCTYPE a [<!ENTITY % e SYSTEM 'http://127.0.0.1/'> %e;]><a/>", "line 1: a DOCTYPE is not read"),
    ])
    func `AP-79 what is no XML, a DOCTYPE and an unknown entity are named with their line`(body: String, expected: String) {
        #expect(ReadAnswer(body, as: .xml) == .problem(expected))
    }

    @Test func `AP-79 entities within entities are refused before any of them is read`() {
        let laughs = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined()

        #expect(ReadAnswer("<!DOCTYPE l [<!ENTITY l0 \"ha\">\(laughs)]><l>&l9;</l>", as: .xml) == .problem("line 1: a DOCTYPE is not read"))
    }

    private static func nested(_ depth: Int, _ inner: String = "") -> String {
        String(repeating: "<a>", count: depth) + inner + String(repeating: "</a>", count: depth)
    }

    @Test func `AP-79 elements are as deep as JSON can be`() throws {
        let deepest = try AnswerFormat.xml.read(Array(Self.nested(257, "x").utf8), contentType: nil, limit: 1 << 20)
        #expect(JSONScanner.problem(of: deepest) == nil)
        #expect(
            String(decoding: deepest, as: UTF8.self) == String(repeating: #"{"a":["#, count: 256) + "\"x\""
                + String(repeating: "]}", count: 256))

        let words = ReadAnswer.problem("line 1: elements nested deeper than 256")
        #expect(ReadAnswer(Self.nested(258), as: .xml) == words)
        #expect(ReadAnswer(Self.nested(256, "<a b=''/>"), as: .xml) == words)
        #expect(ReadAnswer(Self.nested(600), as: .xml) == words)
        #expect(ReadAnswer(String(repeating: "<a>", count: 1_000_000), as: .xml) == words)
    }

    @Test func `names that alternate very often make one list each`() {
        let count = 30_000
        let body = "<r>" + (0..<count).map { "<a>\($0)</a><b/><c>\($0)</c>" }.joined() + "<d/></r>"
        let numbers = (0..<count).map { "\"\($0)\"" }.joined(separator: ",")
        let empty = Array(repeating: "\"\"", count: count).joined(separator: ",")

        #expect(ReadAnswer(body, as: .xml) == .json("{\"a\":[\(numbers)],\"b\":[\(empty)],\"c\":[\(numbers)],\"d\":[\"\"]}"))
    }

    @Test func `an element of 60,000 names that come twice has a list for each`() {
        let names = (0..<60_000).map { "n\($0)" }
        let once = names.map { "<\($0)/>" }.joined()

        let expected = "{" + names.map { "\"\($0)\":[\"\",\"\"]" }.joined(separator: ",") + "}"
        #expect(ReadAnswer("<r>\(once)\(once)</r>", as: .xml) == .json(expected))
    }

    @Test func `more names than an XML text has are refused`() {
        let body = "<r>" + (0..<100_001).map { "<n\($0)/>" }.joined() + "</r>"
        let attributes = "<r>" + (0..<100_001).map { "<n a\($0)=''/>" }.joined() + "</r>"

        #expect(ReadAnswer(body, as: .xml) == .problem("line 1: more than 100000 different names"))
        #expect(ReadAnswer(attributes, as: .xml) == .problem("line 1: more than 100000 different names"))
    }

    @Test func `an attribute and a text of a megabyte are read, a tag of 20 is refused`() {
        let long = String(repeating: "x", count: 1 << 20)

        #expect(ReadAnswer("<a b='\(long)'/>", as: .xml) == .json("{\"@b\":\"\(long)\"}"))
        #expect(ReadAnswer("<a>\(long)\n\(long)</a>", as: .xml) == .json("\"\(long)\\n\(long)\""))
        let tag = "<a b='" + String(repeating: long, count: 20) + "'/>"
        #expect(ReadAnswer(tag, as: .xml, limit: 1 << 30) == .problem("line 1: a tag or comment of more than 8388608 bytes"))
    }

    @Test func `what is no element may be of any size`() {
        let comments = String(repeating: "<!-- \(String(repeating: "-x", count: 1_000)) -->\n", count: 6_000)

        #expect(ReadAnswer("\(comments)<a>\(comments)<b/>\(comments)</a>\(comments)", as: .xml) == .json("{\"b\":[\"\"]}"))
    }

    @Test func `signs that stand across the pieces that expat gets stay whole`() {
        for shift in 0..<8 {
            let text = String(repeating: " ", count: (64 << 10) - 16 + shift)
            #expect(
                ReadAnswer("<a>\(text)é😀&amp;<b c='é&lt;'/>]]&gt;\r\n</a>", as: .xml)
                    == .json("{\"b\":[{\"@c\":\"é<\"}],\"#text\":\"\(text)é😀&]]>\\n\"}"))
        }
    }
}

/// Random elements, written as XML in random ways, against a reading that has all of an element at hand.
@Suite struct XMLModelTests {
    private indirect enum Piece {
        case text(String)
        case child(Node)
    }

    private struct Node {
        let name: String
        let attributes: [(String, String)]
        let pieces: [Piece]
    }

    private struct Source {
        var random: SplitMix64

        mutating func text() -> String {
            (0..<random.below(4)).map { _ in random.pick(["x", " ", "\n", "\"", "\\", "<", "&", "é", "😀", "]]>", "\t", "'"]) }.joined()
        }

        mutating func node(depth: Int) -> Node {
            let attributes = ["b", "c:d", "é"].prefix(random.chance(70) ? 0 : random.below(4)).map { ($0, text()) }
            var pieces: [Piece] = []
            for _ in 0..<random.below(depth > 4 ? 2 : 9) {
                pieces.append(depth > 4 || random.chance(40) ? .text(random.chance(60) ? "\n  " : text()) : .child(node(depth: depth + 1)))
            }
            return Node(name: random.pick(["a", "b", "item", "x:y"]), attributes: attributes, pieces: pieces)
        }

        mutating func escaped(_ text: String) -> String {
            text.unicodeScalars.map { scalar in
                switch scalar {
                case "<": random.pick(["&lt;", "&#60;", "&#x3C;"])
                case "&": random.pick(["&amp;", "&#38;"])
                case "\"": random.pick(["&quot;", "&#34;"])
                case "'": "&apos;"
                case ">": "&gt;"
                case "\n", "\t": "&#\(scalar.value);"
                default: random.chance(20) ? "&#\(scalar.value);" : String(scalar)
                }
            }.joined()
        }

        mutating func xml(of node: Node) -> String {
            let attributes = node.attributes.map { " \($0)=\"\(escaped($1))\"" }.joined()
            let content = node.pieces.map { piece in
                switch piece {
                case .child(let child): xml(of: child)
                case .text(let text) where random.chance(10) && !text.contains("]]>"): "<![CDATA[\(text)]]>"
                case .text(let text): (random.chance(10) ? "<!-- <a> -->" : "") + escaped(text)
                }
            }.joined()
            return content.isEmpty && random.chance(50)
                ? "<\(node.name)\(attributes)/>" : "<\(node.name)\(attributes)>\(content)</\(node.name)>"
        }
    }

    private static func json(of node: Node) -> JSONText {
        let text = node.pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined()
        let children = node.pieces.compactMap { if case .child(let child) = $0 { child } else { nil } }
        if node.attributes.isEmpty, children.isEmpty { return .string(text) }
        var members: [(String, JSONText)] = node.attributes.map { ("@" + $0, .string($1)) }
        for name in children.map(\.name) where !members.contains(where: { $0.0 == name }) {
            members.append((name, .array(children.filter { $0.name == name }.map(json))))
        }
        if !text.isEmpty, children.isEmpty || text.contains(where: { !" \n\t".contains($0) }) { members.append(("#text", .string(text))) }
        return .object(members)
    }

    @Test(arguments: 1...20) func `an element is the same JSON, however its children are mixed`(seed: UInt64) {
        var source = Source(random: SplitMix64(seed: seed))
        for _ in 0..<100 {
            let node = source.node(depth: 0)
            let body = source.xml(of: node)
            #expect(ReadAnswer(body, as: .xml) == .json(Self.json(of: node).text), "\(body)")
        }
    }
}
