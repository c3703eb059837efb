import PipelineJSON
import Testing

@Suite struct JSONPathTests {
    private static let document = Array(#"{"a":[{"id":1,"t":[10,11]},{"id":2},"x"],"b":{"c":{"id":3},"d":null},"e'f":5,"☺":6}"#.utf8)

    @Test(arguments: [
        ("$", ["$"]), ("$.a", ["$['a']"]), ("$['a'][0]", ["$['a'][0]"]), (#"$["a"][-1]"#, ["$['a'][2]"]), ("$.a[-4]", []),
        ("$.a[*].id", ["$['a'][0]['id']", "$['a'][1]['id']"]), ("$.a[0:2].id", ["$['a'][0]['id']", "$['a'][1]['id']"]),
        ("$.a[::-1]", ["$['a'][0]", "$['a'][1]", "$['a'][2]"]), ("$.a[2:0:-2]", ["$['a'][2]"]), ("$.a[1:]", ["$['a'][1]", "$['a'][2]"]),
        ("$.a[:-1]", ["$['a'][0]", "$['a'][1]"]), ("$.a[::0]", []), ("$.a[2,0,0]", ["$['a'][0]", "$['a'][2]"]),
        ("$.b.*", ["$['b']['c']", "$['b']['d']"]), ("$.b[*].id", ["$['b']['c']['id']"]),
        (
            "$ [ 'b' , 'a' ] [ * ] .id",
            [
                "$['a'][0]['id']", "$['a'][1]['id']", "$['b']['c']['id']",
            ]
        ), ("$.a[0]['t'][0:9:1]", ["$['a'][0]['t'][0]", "$['a'][0]['t'][1]"]), (#"$['e\'f']"#, [#"$['e\'f']"#]), ("$.☺", ["$['☺']"]),
        (#"$["\u263A"]"#, ["$['☺']"]), ("$.a.id", []), ("$.b[0]", []), ("$.a['0']", []), ("$.none[*]", []),
        (
            "$.a[*].t[*]",
            [
                "$['a'][0]['t'][0]", "$['a'][0]['t'][1]",
            ]
        ),
    ])
    func `Names, indices, wildcards, slices and lists of them are found in the order of the text, each place once`(
        path: String, places: [String]
    ) throws {
        #expect(try Self.paths(path) == places)
    }

    @Test(arguments: [
        ("", 0), ("a", 0), (" $", 0), ("$ ", 1), ("$.", 2), ("$.1", 2), ("$.a.", 4), ("$a", 1), ("$[", 2), ("$[]", 2), ("$['a'", 5),
        ("$['a]", 5),
        ("$[01]", 2), ("$[-0]", 2), ("$[1.0]", 3), ("$[9007199254740992]", 2), ("$[a]", 2), ("$['a',]", 6), ("$[1:2:3:4]", 7),
        ("$[0 1]", 4),
        (#"$["\'"]"#, 4), (#"$['\"']"#, 4), (#"$['\x']"#, 4), (#"$['\uD800']"#, 5), (#"$['\uD800\u0041']"#, 5), (#"$['\uDC00']"#, 5),
        (#"$['\u12']"#, 7), ("$['\n']", 3), ("$..", 3), ("$...a", 3), ("$.*a", 3), ("$[?]", 3), ("$[?@.a==]", 8), ("$[?1]", 3),
        ("$[?@.*==1]", 3), ("$[?@..a==1]", 3), ("$[?length(@)]", 3), ("$[?length(@.*)<1]", 3), ("$[?count(1)<1]", 3), ("$[?nope(@)]", 3),
        ("$[?match(@.a)]", 3), ("$[?match(@,'a')==true]", 3), ("$[?(@.a]", 7), ("$[?!@.a==1]", 4), ("$[?@.a=1]", 6), ("$[?@.a&@.b]", 6),
        ("$[?True]", 3), ("$[?@.a==1.]", 10), ("$[?@.a==01]", 8), ("$[?@.a==-]", 9), ("$[?Length(@)==1]", 3), ("$[?length (@)==1]", 3),
    ])
    func `What breaks the grammar of RFC 9535 is malformed, and the error says where`(path: String, offset: Int) {
        let problem = #expect(throws: JSONPath.Problem.self) { try JSONPath(query: path) }
        #expect(problem?.isMalformed == true, "\(String(describing: problem))")
        #expect(problem?.offset == offset, "\(String(describing: problem))")
    }

    @Test(arguments: [
        ("$..a", 1), ("$.a..*", 3), ("$..[0]", 1), ("$ ..a", 2), ("$[?@.a]", 2), ("$.a[0, ?@.b == 1 ]", 7),
        ("$[?@.a == 'x' && !(@.b || $.c)]", 2),
        ("$[?length(@.a) >= 2]", 2), ("$[?count(@.*) > 1]", 2), ("$[?match(@.a, 'a.*')]", 2), ("$[?search(@.a,$.b)]", 2),
        ("$[?value(@..a) == -0]", 2), ("$[?@.a == -1.5e+3]", 2), ("$[?@[?@.b]]", 2), ("$[?@.a!=null||@.b<=true]", 2),
        ("$[?!match(@,'a')]", 2),
        (#"$[?@["a"][0] == $['b']]"#, 2),
    ])
    func `Filters and descendants are read and not supported here, which is another error, at the first of them`(path: String, offset: Int)
    {
        let problem = #expect(throws: JSONPath.Problem.self) { try JSONPath(query: path) }
        #expect(problem?.isMalformed == false, "\(String(describing: problem))")
        #expect(problem?.offset == offset)
        #expect(problem?.message.hasSuffix("not supported here") == true)
    }

    @Test func `Of a path with a filter and a mistake after it, the mistake is told`() {
        let problem = #expect(throws: JSONPath.Problem.self) { try JSONPath(query: "$[?@.a]..b[") }
        #expect(problem?.isMalformed == true && problem?.offset == 11)
    }

    @Test func `Parentheses without end are an error, not the end of the process`() {
        let deep = "$[?" + String(repeating: "(", count: 100_000)
        #expect(throws: JSONPath.Problem.self) { try JSONPath(query: deep) }
        let filters = String(repeating: "$[?@", count: 1) + String(repeating: "[?@", count: 100_000)
        #expect(throws: JSONPath.Problem.self) { try JSONPath(query: filters) }
    }

    @Test func `Many paths are found in one pass, each with its holder`() throws {
        let payload = Array(#"{"list":[{"author_id":7,"tags":[1]},{"author_id":"a\u0062","author":0}],"n":{"x":[[1,2],[3]]}}"#.utf8)
        let texts = ["$.list[*].author_id", "/list/1", "$.list[*].author", "$.n.x[*][*]", "/n", "$"]
        let found = try JSONScanner.places(of: texts.map { try JSONPath($0) }, in: payload)
        let values = found.map { $0.map { String(decoding: payload[$0.range], as: UTF8.self) } }
        #expect(values[0] == ["7", #""a\u0062""#])
        #expect(values[1] == [#"{"author_id":"a\u0062","author":0}"#])
        #expect(values[2] == ["0"])
        #expect(values[3] == ["1", "2", "3"])
        #expect(values[5] == [String(decoding: payload, as: UTF8.self)])
        let holders = found.map { $0.map { String(decoding: payload[$0.holder], as: UTF8.self) } }
        #expect(holders[0][1] == values[1][0] && holders[2][0] == values[1][0])
        #expect(holders[3] == ["[1,2]", "[1,2]", "[3]"])
        #expect(holders[4] == [String(decoding: payload, as: UTF8.self)] && holders[5] == holders[4])
        #expect(found[0].map(\.depth) == [3, 3] && found[3].map(\.depth) == [4, 4, 4] && found[5][0].depth == 0)
        #expect(found[3].map { "\(found[3].pointer(to: $0, in: payload))" } == ["/n/x/0/0", "/n/x/0/1", "/n/x/1/0"])
    }

    @Test func `Paths that take the same children find what each finds alone`() throws {
        let payload = Array(#"{"a":[{"b":{"c":1,"d":2},"e":3},{"b":{"c":4}},[5,{"b":6}]],"f":{"b":{"c":7}},"a\"":{"b":8}}"#.utf8)
        let texts = [
            "$.*", "$.a", "$.*[*]", "$.a[0:2].b", "$.a[*].b.c", "$.a[0].b.*", "$['a','f'].*.c", "$.*[-1][1].b", "$.a[::2]", "/a/0/b/c",
            "$.a[0,1].b",
            "$.*.b.c", "$.*", #"$['a"'].b"#, "$.a[*].*.d",
        ]
        let paths = try texts.map { try JSONPath($0) }
        func places(_ found: JSONPlaces) -> [String] { found.map { found.normalizedPath(of: $0, in: payload) } }
        for together in [paths, paths.reversed()] {
            let found = try JSONScanner.places(of: together, in: payload)
            for (path, found) in zip(together, found) {
                let alone = try JSONScanner.places(of: path, in: payload)
                #expect(places(found) == places(alone) && found.map(\.holder) == alone.map(\.holder), "\(path)")
                #expect(!found.isEmpty, "\(path)")
            }
        }
    }

    private static let checked = [
        String(decoding: document, as: UTF8.self),
        #" { "a" : [ { "i\u0064" : -1.5e+3 , "x" : "\\" } , { "id" : "]}\"," }, {"id":"\u00e9"} ] , "b" : { } } "#,
        #"{"b":{"c":"a long text, with \" and \\ and \u00e9 in it","d":[true,false,null,[[]]]},"a":[],"id\u0000":0,"id":{"id":[1,"2"]}}"#,
        #""\\\\""#, "-0", "[[[[]]]]", "true",
    ]

    @Test(arguments: checked, ["$", "$.a[*].id", "$.b.*", "$.b['c','d'][0]", "$.*[-1]", "/id/id/1", "$[*][*]"])
    func `In a text that was checked before, the same places are found, and in a damaged one none beyond its end`(
        text: String, path: String
    ) throws {
        let (payload, paths) = (Array(text.utf8), [try JSONPath(path)])
        let slow = try JSONScanner.places(of: paths, in: payload)[0]
        let quick = try JSONScanner.places(of: paths, in: payload, isChecked: true)[0]
        #expect(Array(quick) == Array(slow))
        #expect(quick.map { quick.normalizedPath(of: $0, in: payload) } == slow.map { slow.normalizedPath(of: $0, in: payload) })

        for index in payload.indices {
            let beginning = Array(payload[..<index])
            let replaced = #""\{}[],:1"#.utf8.map { byte -> [UInt8] in beginning + [byte] + payload[(index + 1)...] }
            for damaged in [beginning] + replaced {
                let found = (try? JSONScanner.places(of: paths, in: damaged, isChecked: true))?.first
                #expect(found?.allSatisfy { $0.range.upperBound <= damaged.count && $0.holder.upperBound <= damaged.count } ?? true)
                for place in found.map(Array.init) ?? [] { _ = JSONScalar.reference(damaged, at: place.range) }
            }
        }
    }

    @Test func `A path within a value begins there`() throws {
        let element = try #require(try JSONScanner.place(of: JSONPointer(parsing: "/a/1"), in: Self.document))
        let id = try #require(try JSONScanner.place(of: JSONPointer(parsing: "/id"), in: Self.document, at: element.range))
        #expect(String(decoding: Self.document[id.range], as: UTF8.self) == "2")
    }

    @Test func `A name that occurs twice where a wildcard goes is an error, also among many`() {
        let many = (0..<40).map { #""n\#($0)":0"# }.joined(separator: ",")
        #expect(throws: JSONScanner.Problem.self) {
            try JSONScanner.places(of: JSONPath("$.*"), in: Array(#"{"a":1,"a":2}"#.utf8))
        }
        #expect(throws: JSONScanner.Problem.self) {
            try JSONScanner.places(of: JSONPath("$.*"), in: Array((#"{"# + many + #","\u006e7":1}"#).utf8))
        }
        #expect(throws: Never.self) { try JSONScanner.places(of: JSONPath("$.*"), in: Array(("{" + many + "}").utf8)) }
    }

    @Test func `The member of another name beside a place is found with the same path`() throws {
        let path = try JSONPath("$.a[*].id")
        #expect(path.memberName == "id")
        let beside = try #require(path.sibling("t"))
        let found = try JSONScanner.places(of: beside, in: Self.document)
        #expect(found.map { found.normalizedPath(of: $0, in: Self.document) } == ["$['a'][0]['t']"])
        for text in ["$.a[*]", "/a/0", "$['a','b']", ""] { #expect(try JSONPath(text).memberName == nil) }
        #expect(try JSONPath("/author_id").memberName == "author_id")
    }

    private static func paths(_ path: String) throws -> [String] {
        let found = try JSONScanner.places(of: JSONPath(path), in: document)
        return found.map { found.normalizedPath(of: $0, in: document) }
    }

    @Test(arguments: [63, 64, 65, 100, 1_000_000]) func `A filter is not supported, however deep it nests`(depth: Int) {
        let text = "$[?" + String(repeating: "(", count: depth) + "@.a" + String(repeating: ")", count: depth) + "].id"

        #expect { try JSONPath(text) } throws: { error in
            (error as? JSONPath.Problem).map { !$0.isMalformed && $0.message == "filters (`?`) are not supported here" } ?? false
        }
    }
}
