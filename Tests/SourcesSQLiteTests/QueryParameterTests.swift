import GRDB
import GRDBSQLite
import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import SourcesSQLite

/// How the values of parameters reach a query.
@Suite struct QueryParameterTests {
    let friends: Friends

    init() throws { friends = try Friends() }

    @Test(arguments: ["1' OR '1'='1", "1; DROP TABLE friends", "\"", "--", "%", "1 OR 1", "{user}", ":user", "é", "e\u{301}", ""])
    func `a value is a value and nothing else`(value: String) async throws {
        try friends.run("INSERT INTO friends (id, name) VALUES (9, '\(value.replacing("'", with: "''"))')")

        #expect(try await friends.text("SELECT id FROM friends WHERE name = :user", ["user": value]) == #"[{"id":9}]"#)
        #expect(try await friends.text("SELECT id FROM friends WHERE id = :user", ["user": value]) == "[]")
    }

    @Test func `a value equals an integer where SQLite converts it: beside a column of that type, and not beside an expression`()
        async throws
    {
        let columns = "SELECT id FROM friends WHERE "

        #expect(try await friends.text(columns + "id = :user", ["user": "2"]) == #"[{"id":2}]"#)
        #expect(try await friends.text(columns + "id IN (:user, :other)", ["user": "2", "other": "3"]) == #"[{"id":2},{"id":3}]"#)
        #expect(try await friends.text(columns + "id > :user ORDER BY id", ["user": "1"]) == #"[{"id":2},{"id":3}]"#)
        #expect(try await friends.text(columns + "id = :user", ["user": "2.0"]) == #"[{"id":2}]"#)
        #expect(try await friends.text(columns + "code = :user", ["user": "02"]) == #"[{"id":2}]"#)
        #expect(try await friends.text(columns + "code = :user", ["user": "2"]) == "[]")
        #expect(try await friends.text(columns + "id + 0 = :user", ["user": "2"]) == "[]")
        #expect(try await friends.text(columns + "id + 0 = CAST(:user AS INTEGER)", ["user": "2"]) == #"[{"id":2}]"#)
        #expect(try await friends.text("SELECT id FROM friends ORDER BY id LIMIT :count", ["count": "1"]) == #"[{"id":1}]"#)
        #expect(try await friends.text("SELECT typeof(:user) AS t", ["user": "2"]) == #"[{"t":"text"}]"#)
    }

    @Test func `one parameter stands in several places, and key and pipeline have their values`() async throws {
        let text = try await friends.text(
            "SELECT :user || :other || :user AS u, :pipeline AS p, :key AS k", ["user": "a", "other": "b"], rows: .one)

        #expect(text == #"{"u":"aba","p":"friends","k":"friends,other=b,user=a"}"#)
    }

    @Test func `a value with a NUL character is refused: SQLite would read another one`() async throws {
        #expect(
            await friends.failure("SELECT * FROM friends WHERE name = :user", ["user": "Ada\0x"])
                == "the value of `user` has a NUL character in it")
    }

    @Test(arguments: 0..<8) func `in any text, SQLite finds the same parameters`(part: Int) throws {
        let words = [
            "'", "''", "\"", "`", "[", "]", "--", "\n", "/*", "*/", ":user", ":a1", ":", "::x", "$", "a", "x'00'", "1", "1e5", ",", "+",
            "(", ")",
            "{user}", ";", " ", " AS b", "é", "\\", "${", "-", "/",
        ]
        var random = SplitMix64(seed: UInt64(part) + 7)
        let database = try DatabaseQueue()
        var found = 0
        for _ in 0..<2_000 {
            let sql = "SELECT 1, :key, " + (0..<random.below(12)).map { _ in random.pick(words) }.joined() + (random.chance(50) ? "1" : "")
            var pieces = [InterpolatedText.Piece.literal(sql, offset: 0)]
            let offset = sql.unicodeScalars.count
            if random.chance(30) { pieces.append(.literal("/* $ */ :x", offset: offset + 1)) }
            if random.chance(30) { pieces += [.value("v", name: "V"), .literal(sql, offset: offset + 20)] }
            let scanner = SQLScanner(InterpolatedText(pieces: pieces))
            guard scanner.problems.allSatisfy(\.isHarmless) else { continue }
            let names = database.inDatabase { db -> [String]? in
                guard let statement = try? db.makeStatement(sql: scanner.text) else { return nil }
                return (0..<sqlite3_bind_parameter_count(statement.sqliteStatement)).map {
                    sqlite3_bind_parameter_name(statement.sqliteStatement, $0 + 1).map { String(cString: $0) } ?? "?"
                }
            }
            guard let names else { continue }
            found += 1
            let ours = SQLQuery(scanner)
            #expect(Set(names) == Set(ours.parameters.map { ":" + $0 } + ours.values.keys.map { "@" + $0 }), "\(scanner.text)")
        }
        #expect(found > 100)
    }

    @Test(arguments: [
        ("SELECT ':a', \":b\", `:c`, [:d], ':e '':f' /* :g */ -- :h\n, :user", ["user"]),
        ("SELECT a:user, :user_2, :größe", ["user", "user_2"]),
        ("SELECT x'00', a->>'$.b', 1e5, :key", ["key"]),
        ("SELECT :user, :user /* open :no", ["user", "user"]), ("SELECT 'open :no", []), ("SELECT a$b, : c", []),
    ]) func `parameters are found where SQLite finds them`(sql: String, expected: [String]) {
        #expect(SQLScanner(InterpolatedText(pieces: [.literal(sql, offset: 0)])).uses.map(\.name) == expected)
    }
}
