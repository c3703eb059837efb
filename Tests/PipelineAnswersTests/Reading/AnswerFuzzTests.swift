import PipelineAnswers
import PipelineJSON
import PipelineTesting
import Testing

/// Texts with random damage.
struct DamagedText {
    var random: SplitMix64
    let signs: [String]

    /// `text` with some of its characters taken out, doubled, or with `signs` in their place.
    mutating func damaged(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<random.below(4) {
            let place = random.below(scalars.count + 1)
            let end = min(scalars.count, place + random.below(6))
            switch random.below(5) {
            case 0: scalars.removeSubrange(place..<end)
            case 1: scalars.insert(contentsOf: Array(scalars[place..<end]), at: random.below(scalars.count + 1))
            case 2: scalars.insert(contentsOf: Array(random.pick(signs).unicodeScalars), at: place)
            case 3: scalars.removeSubrange(place..<(random.chance(10) ? scalars.count : min(place + 1, scalars.count)))
            default: scalars.replaceSubrange(place..<min(place + 1, scalars.count), with: random.pick(signs).unicodeScalars)
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// Damaged bodies are JSON or a problem, and end nothing.
@Suite struct AnswerFuzzTests {
    static let samples: [AnswerFormat: [String]] = [
        .ndjson: ["{\"a\":[1,2.5e3,\"x\\u00e9\"]}\r\n\n[null,true,{}]\n\"😀\"\n-0\n", "1\n2\n3"],
        .csv: ["a,b,c\r\n1,\"two, \"\"three\"\"\",\r\n\"x\r\ny\",é,😀\n", "id\n1\n2\n\n3", "\"a\"\"b\",c\n,\n"],
        .xml: [
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <feed xmlns:a="u">
             <item id="1">x &amp; y</item>
             <a:b/>
             <item>é<![CDATA[<]]></item>
            </feed>
            """,
            "<r><a/><b/><a>1</a><b c='2'>t<d/>u</b><!-- c --><a/></r>", "<!DOCTYPE r [<!ENTITY e 'x'>]><r>&e;</r>",
        ],
    ]
    static let signs = [
        "\"", ",", "\n", "\r", "\r\n", "<", ">", "/", "&", "&lt;", ";", "'", "=", "<a>", "</a>", "<b/>", "]]>", "<![CDATA[", "<!--", "-->",
        "<?", "{", "}", "[", "]",
        ":", "\\", "\u{0}", "\u{1}", "\u{7F}", "é", "😀", "\u{FEFF}", "\u{2028}", "0", "x", " ", "<!DOCTYPE", "&#xD800;", "&#0;",
    ]
    private static let types = [
        "a/b", "a/b; charset=utf-16", "a/b; charset=\"windows-1252\"", "a/b; charset=latin1", "a/b; charset=utf-16le;",
        "a/b;charset",
    ]

    @Test(arguments: [AnswerFormat.ndjson, .csv, .xml], 1...6) func `a damaged body is JSON within its limit, or a problem`(
        format: AnswerFormat, seed: UInt64
    ) throws {
        var damage = DamagedText(random: SplitMix64(seed: seed), signs: Self.signs)
        var counts = (read: 0, refused: 0)
        for _ in 0..<1_000 {
            var body = Array(damage.damaged(damage.random.pick(try #require(Self.samples[format]))).utf8)
            if damage.random.chance(20), !body.isEmpty { body[damage.random.below(body.count)] = UInt8(damage.random.below(256)) }
            let limit = damage.random.chance(10) ? damage.random.below(200) : 1 << 20
            let contentType = damage.random.chance(70) ? nil : damage.random.pick(Self.types)
            do throws(AnswerFormat.Problem) {
                let json = try format.read(body, contentType: contentType, limit: limit)
                let problem = JSONScanner.problem(of: json)
                #expect(
                    problem == nil && json.count <= limit,
                    "seed \(seed): \(body) as \(contentType ?? "") gives \(String(decoding: json, as: UTF8.self))")
                counts.read += 1
            } catch {
                #expect(!error.message.isEmpty)
                counts.refused += 1
            }
        }
        #expect(counts.read > 50 && counts.refused > 50, "\(counts)")
    }
}
