import Pipeline
import PipelineConfig
import PipelineTesting

extension Draft {
    /// Values of every kind; most are wrong where most of them may come to stand. Left out is what the schema cannot tell apart, see
    /// `SchemaLimitTests`: numbers in odd spellings, `"yes"` in quotes, text beside a variable that has a value.
    private static let values = [
        "~", "null", "true", "no", "Off", "\"true\"", "5", "-1", "1.5", "0", "100000", "99", "\"5\"", "\"-5\"", "-2.5", "30s", "\"30s\"",
        "soon", "5 m", "1m1h", "1m1m", "-5s", "1.s", "s", "5ss", "64MiB", "64 MiB", "5XB", "1.5GB", "1.5B", "80%", "0.5", "120%", "1%",
        "100%", "-3%",
        "\"%\"", "none", "auto", "[]", "[a]", "[1, ~]", "{}", "{a: b}", "{user: ~}", "\"\"", "\".cache/{key}.json\"", "\"http://h/{user}\"",
        "ftp://h/x", "http://", "\"http://:80/\"", "http://h:99999/", "http://h:0/", "http://h:x/", "http://a:1:2/", "\"http://a b/\"",
        "http://größe/", "\"http://{user}@h/\"", "\"http://h/{open\"", "\"http://h/{a b}\"", "\"http://[::1/\"", "//h/x", "\"{open\"",
        "\"{}\"",
        "dir/", "/", "2xx", "6xx", "20", "600", "404", "200-", "299-200x", "GET", "get", "json", "next", "NEXT", "${UNSET}", "\"$${X}\"",
        "$$",
        "x$y", "key", "pipeline", "a-b", "\"a b\"", "1_000", "memory", "redis", "größe", "/id", "id", "/~2", "event", "{by: /name}",
    ]

    /// Damages one piece; mostly the file is wrong afterwards.
    mutating func damage(with random: inout SplitMix64) {
        change(at: Int.random(in: 0..<count, using: &random)) { piece in
            guard case .mapping(var members) = piece.content, Int.random(in: 0..<4, using: &random) > 0 else {
                piece.content = .scalar(Self.values.randomElement(using: &random) ?? "~")
                return
            }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: members.insert((piece.strangeKey(with: &random), Draft(content: .scalar("1"), type: .int)), at: 0)
            case 1: if !members.isEmpty { members.remove(at: Int.random(in: 0..<members.count, using: &random)) }
            default:
                guard let index = members.indices.randomElement(using: &random) else { return }
                members[index].value.content = .scalar(Self.values.randomElement(using: &random) ?? "~")
            }
            piece.content = .mapping(members)
        }
    }

    private func strangeKey(with random: inout SplitMix64) -> String {
        ["ttll", "\"a b\"", "\"${X}\"", "Größe", "max_entrys", "key", "\"\"", "urls"].randomElement(using: &random) ?? "x"
    }
}
