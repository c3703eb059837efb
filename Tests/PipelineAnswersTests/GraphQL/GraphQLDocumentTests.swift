import PipelineAnswers
import PipelineJSON
import PipelineTesting
import Testing

@Suite struct GraphQLDocumentTests {
    private func problems(_ text: String, operation: String? = nil, setting cursor: String? = nil) -> [String] {
        do throws(GraphQLDocument.Problem) {
            return try GraphQLDocument(parsing: text).problems(operation: operation, setting: cursor).map(\.description)
        } catch {
            return ["syntax " + error.description]
        }
    }

    static let search = """
        # { mutation }
        query Search($text: String!, $n: Int = 20, $after: String, $ids: [ID!]! = ["a"] @x(y: 1)) @cached(for: "1 \\"}h") {
          found: search(query: $text, first: $n, after: $after, filter: {
              ids: $ids, kind: [A, B], note: \"""a "}" \\\""" b\""", x: -1.5e+3, y: null }) {
            ...Page @include(if: true)
            ... on Repository { name, owner { ... { login } } }
            pageInfo { endCursor hasNextPage }
          }
        }
        fragment Page on SearchConnection @y { nodes { id ...Node } }
        fragment Node on Node { on fragment query(fragment: query) { type } }
        """

    @Test func `a query says its variables, and what of them must have a value`() throws {
        let document = try GraphQLDocument(parsing: Self.search)

        let operation = try #require(document.operations.first)
        #expect(document.operations.count == 1 && operation.kind == .query && operation.name == "Search")
        #expect(operation.variables.map(\.name) == ["text", "n", "after", "ids"])
        #expect(operation.variables.map(\.type) == ["String!", "Int", "String", "[ID!]!"])
        #expect(operation.variables.map(\.hasDefault) == [false, true, false, true])
        #expect(operation.variables.map(\.isNonNull) == [true, false, false, true])
        #expect(operation.variables.map(\.isRequired) == [true, false, false, false])
        #expect(document.variables(usedBy: operation) == ["text", "n", "after", "ids"])
        #expect(document.problems(operation: nil, setting: "after").isEmpty && document.problems(operation: "Search").isEmpty)
    }

    @Test(arguments: [
        "{ a }", "{a}", "query { a }", "query Q { a }", "{ a(x: \"\\u00e9\\u{1F600}\\n\") }", "{ a(x: \"\"\"\"\"\") }", "{ a(x: \"\") }",
        "\u{FEFF}{ a }",
        "{ a(x: {}) b(y: []) c(z: [[{u: [1 2]}]]) }", "query($a: [[Int!]]) { b(c: $a) }", "{ a } # end", "query query { query }",
        "{ ... { a } ...F }\nfragment F on T { b }",
        "{ a @skip(if: false) @b }", "{ a(x: 0) b(x: -0.0E-1) c(x: ENUM) d(x: true) }", "{,a,,b,}",
    ])
    func `a query is a query however it is written`(text: String) { #expect(problems(text) == []) }

    @Test(arguments: [

        ("fragment F on T { a }", "1:22: no operation: expected a query"),
        ("mutation { a }", "1:1: a mutation is not fetched: expected a query"),
        ("subscription S { a }", "1:1: a subscription is not fetched: expected a query"),
        ("# query { a }\r\nfragment F on T { a }\r\n  mutation M { ...F }", "3:3: a mutation is not fetched: expected a query"),
        ("query A { a } query B { b }", "1:15: 2 operations, and `operation` names none: expected `A` or `B`"),
        ("{ a } { b }", "1:7: 2 operations, and `operation` names none: none has a name"),
        ("{ a(b: $c) }", "1:8: `$c` is used and not declared"), ("{ ...F }", "1:6: no fragment is called `F`"),
        (
            "query($a: Int) { b @c(d: [$a, {e: $f}]) ...G }\nfragment G on T { h(i: $j) }",
            "1:35: `$f` is used and not declared|2:24: `$j` is used and not declared"
        ),
    ])
    func `AP-75 what cannot be fetched is said with its place`(text: String, expected: String) {
        #expect(problems(text).joined(separator: "|") == expected)
    }

    @Test(arguments: [
        ("A", ""), ("B", "1:15: a mutation is not fetched: expected a query"),
        ("C", "1:1: no operation is called `C`: known operations: `A`, `B`"),
    ])
    func `of several operations the one that is named counts`(name: String, expected: String) {
        #expect(problems("query A { a } mutation B { b(c: 1) }", operation: name).joined() == expected)
    }

    @Test func `of many operations the nearest is named, or the first eight`() {
        let text = (1...9).map { "query Search\($0) { a }" }.joined()

        let nearest = problems("query Search { a } query Other { b }", operation: "Serach")
        #expect(nearest == ["1:1: no operation is called `Serach`: did you mean `Search`?"])
        #expect(problems(text).joined().hasSuffix(": expected " + (1...8).map { "`Search\($0)`" }.joined(separator: " or ") + " or …"))
        #expect(problems("{ a }", operation: "Search") == ["1:1: no operation is called `Search`: none has a name"])
    }

    @Test(arguments: [
        ("query($after: String) { a(after: $after) }", ""),
        ("query($after: String) { ...F } fragment F on T { ...G } fragment G on T { a(after: $after) ...F }", ""),
        ("query($n: Int) { a(n: $n) }", "1:1: `$after` is not declared, and no page could be asked for"),
        (
            "\n query($after: String) { a } fragment F on T { b(after: $after) }",
            "2:2: `$after` is declared and not used, and each page would be the first"
        ),
        ("{ a(after: $after) }", "1:12: `$after` is used and not declared|1:1: `$after` is not declared, and no page could be asked for"),
        (
            "query($after: String) { a(b: \"$after\", c: \"\"\"$after\"\"\") } # $after",
            "1:1: `$after` is declared and not used, and each page would be the first"
        ),
    ])
    func `AP-75 a variable of a cursor is declared and used`(text: String, expected: String) {
        #expect(problems(text, setting: "after").joined(separator: "|") == expected)
    }

    @Test(arguments: [
        ("", "1:1: expected a query or a fragment, found the end"), ("# none\n", "2:1: expected a query or a fragment, found the end"),
        ("{", "1:2: expected a field, found the end"), ("{ }", "1:3: expected a field, found `}`"),
        ("}", "1:1: expected a query or a fragment, found `}`"),
        ("type T { a: Int }", "1:1: expected a query or a fragment, found `type`"), ("query Q", "1:8: expected `{`, found the end"),
        ("\"d\" query { a }", "1:1: expected a query or a fragment, found a string"),
        ("{ a(b 1) }", "1:7: expected `:`, found `1`"), ("{ a() }", "1:5: expected a name, found `)`"),
        ("{ a(b: ) }", "1:8: expected a value, found `)`"), ("{ a(b: 1 }", "1:10: expected a name, found `}`"),
        ("query($a Int) { b }", "1:10: expected `:`, found `Int`"), ("query() { b }", "1:7: expected `$`, found `)`"),
        ("query($a: [Int) { b }", "1:15: expected `]`, found `)`"), ("query($a: 1) { b }", "1:11: expected a type, found `1`"),
        ("query($a: Int = $b) { c }", "1:17: a default cannot have a variable"),
        ("query($a: Int, $a: Int) { b }", "1:16: `$a` is declared twice"),
        ("query A { a } query A { b }", "1:15: two operations are called `A`"),
        ("{ ...F } fragment F on T { a } fragment F on T { b }", "1:41: two fragments are called `F`"),
        ("fragment on on T { a }", "1:10: expected the name of a fragment, found `on`"),
        ("fragment F { a }", "1:12: expected `on`, found `{`"), ("{ ... on { a } }", "1:10: expected a type, found `{`"),
        ("{ a: }", "1:6: expected a field, found `}`"), ("{ a(b: \"c) }", "1:8: a string that does not end"),
        ("{\n a(b: \"c\n\") }", "2:7: a string that does not end on its line"),
        ("{ a(b: \"\\q\") }", "1:9: an unknown escape in a string"), ("{ a(b: \"\\u12g4\") }", "1:9: expected four hexadecimal digits"),
        ("{ a(b: \"\\u{}\") }", "1:9: expected four hexadecimal digits"),
        ("{ a(b: \"\\", "1:9: a string that does not end"),
        ("{ a(b: \"\"\"c\"\") }", "1:8: a block string that does not end"),
        ("{ a(b: 01) }", "1:9: unexpected `1` after a number"), ("{ a(b: 1.) }", "1:10: expected a digit"),
        ("{ a(b: 1e) }", "1:10: expected a digit"), ("{ a(b: -) }", "1:9: expected a digit"),
        ("{ a(b: 1x) }", "1:9: unexpected `x` after a number"),
        ("{ a .. b }", "1:5: expected `...`"), ("{ é }", "1:3: unexpected character `é`"),
        ("{ \"é😀\" }", "1:3: expected a field, found a string"), ("# é😀\r{ a ? }", "2:5: unexpected character `?`"),
        ("{ a\u{0} }", "1:4: unexpected character"),
        ("{ a(b: /c/) }", "1:8: unexpected character `/`"), ("é", "1:1: unexpected character `é`"),
    ])
    func `an error of syntax is said with line and column`(text: String, expected: String) {
        #expect(problems(text) == ["syntax " + expected])
    }

    @Test func `what is nested very deep is refused`() {
        func nested(_ open: String, _ inner: String, _ close: String, _ count: Int) -> String {
            String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        }
        #expect(problems(nested("{a", "", "}", 200)) == [])
        #expect(problems(nested("{a", "", "}", 201)) == ["syntax 1:401: nested deeper than 200"])
        #expect(problems(nested("{a", "", "}", 100_000)) == ["syntax 1:401: nested deeper than 200"])
        #expect(problems("{ a(b: " + nested("[", "1", "]", 199) + ") }") == [])
        #expect(problems("{ a(b: " + nested("[", "1", "]", 100_000) + ") }") == ["syntax 1:208: nested deeper than 200"])
        #expect(problems("{ a(b: " + nested("{c:", "1", "}", 100_000) + ") }").count == 1)
        #expect(problems("query($a: " + nested("[", "Int", "]", 100_000) + ") { b }") == ["syntax 1:211: nested deeper than 200"])
    }

    @Test(arguments: 1...4) func `a damaged text is read or refused, and its place is in it`(seed: UInt64) {
        var damage = DamagedText(random: SplitMix64(seed: seed), signs: Self.signs)
        var refused = 0
        for _ in 0..<1_000 {
            let text = damage.damaged(Self.search)
            let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").split(
                separator: "\n", omittingEmptySubsequences: false)
            do throws(GraphQLDocument.Problem) {
                _ = try GraphQLDocument(parsing: text).problems(operation: damage.random.chance(50) ? "Search" : nil, setting: "after")
            } catch {
                refused += 1
                let line = (1...lines.count).contains(error.line) ? lines[error.line - 1].unicodeScalars.count : -1
                #expect(!error.message.isEmpty && (1...(line + 1)).contains(error.column), "seed \(seed): \(error) of \(text)")
            }
        }
        #expect((100..<1_000).contains(refused), "\(refused)")
    }

    static let signs = [
        "{", "}", "(", ")", "[", "]", "$", "$a", "!", ":", "=", "@", "...", "... on", "\"", "\"\"\"", "\\", "\\u", "#", "\n", "\r", ",",
        "0", "-", "1.5", "e", ".", "|", "&",
        "query", "mutation", "fragment", "on", "é", "😀", "\u{0}", "\u{FEFF}", " ",
    ]
}

/// Damaged and sound texts, read here and by graphql-core: the same operations with the same variables, and the same refusals.
@Suite(.enabled(if: PythonPeer.has("graphql.language.print_string"), "no graphql-core 3 for python3"))
struct GraphQLPeerTests {
    private static let program = """
        from graphql.language import parse, print_ast
        from graphql.error import GraphQLSyntaxError
        class Refused(Exception): pass
        def read(text):
            try:
                document = parse(text)
            except (GraphQLSyntaxError, IndexError):
                # Its lexer reads beyond a text that ends within an escape.
                raise Refused
            kinds = {definition.kind for definition in document.definitions}
            if kinds - {"operation_definition", "fragment_definition"}: raise Refused
            operations, names = [], []
            for definition in document.definitions:
                names.append((definition.kind, definition.name and definition.name.value))
                if definition.kind != "operation_definition": continue
                variables = [[v.variable.name.value, print_ast(v.type), v.default_value is not None] for v in definition.variable_definitions]
                if len({v[0] for v in variables}) < len(variables): raise Refused
                operations.append([definition.operation.value, definition.name and definition.name.value, variables])
            named = [name for name in names if name[1]]
            if len(set(named)) < len(named): raise Refused
            return operations
        """

    private static func ours(_ text: String) -> String? {
        guard let document = try? GraphQLDocument(parsing: text) else { return nil }
        let operations = document.operations.map { operation in
            JSONText.array([
                .string(operation.kind.rawValue), .optional(operation.name),
                .array(operation.variables.map { .array([.string($0.name), .string($0.type), .bool($0.hasDefault)]) }),
            ])
        }
        return JSONText.array(operations).text
    }

    @Test(arguments: 1...2) func `a text is read as graphql-core reads it`(seed: UInt64) throws {
        var damage = DamagedText(random: SplitMix64(seed: seed), signs: GraphQLDocumentTests.signs.filter { !$0.contains("\u{FEFF}") })
        let texts = [
            GraphQLDocumentTests.search, "query A($a: [Int!] = [1], $b: T) { c(d: $a) }\nsubscription B { e }",
            "{ a(b: {c: \"\\u0041\"}) ...F }",
        ]
        let cases = (0..<2_000).map { _ in
            let text = damage.damaged(damage.random.pick(texts))
            return (text, Self.ours(text))
        }

        let differences = try PythonPeer.differences(Self.program, cases)
        #expect(differences == [])
        #expect(cases.count { $0.1 != nil } > 100 && cases.count { $0.1 == nil } > 100)
    }
}
