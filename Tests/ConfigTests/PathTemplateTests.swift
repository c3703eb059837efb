import PipelineTesting
import PipelineYAML
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// Paths made of values: they stay in their folder, differ when the values differ, and are found again.
@Suite struct PathTemplateTests {
    static let templates = [
        ".cache/{key}.json", "{key}", "{user}/{page}.json", "{user}-{page}.json", "{user}.{page}", "{user}{page}", "{pipeline}{user}{page}",
        "{pipeline}-{user}/{page}", "a{user}b{page}c", "{user}%{page}", "{user}2F{page}", "{user}+{page}", "{key},{page}", "{key}={page}.x",
        "{user}_{page}_", "/abs/{pipeline}/{user}/{page}", "x/{user},{page}", "{page}é{user}", "{user}g{page}",
    ]

    static let oddValues = [
        "../../etc/passwd", ".", "..", "", "/", "\0", "a/b", "a\\b", "CON", "nul.txt", "~", "~root", ".hidden", "a b", "a\nb", "-rf", "%",
        "%2F",
        "%2e%2e", "%/", "%+", "+", ",", "=", ",user=x", "\u{E9}", "e\u{301}", "記憶", "🙂", "{user}", "{key}", "$HOME", "${HOME}", "*", "?",
        String(repeating: "x", count: 200), String(repeating: "x", count: 201), String(repeating: "/", count: 300),
        String(repeating: "é", count: 500), String(repeating: "x", count: 1_000), "a-b", "b", "a", "b-c", "2F", "F", "x-", "-x", "_", "a_",
        "g", "gg",
    ]

    private static func template(_ text: String, base: String = "") -> PathTemplate {
        PathTemplate(template: Template(InterpolatedText(pieces: [.literal(text, offset: 0)])), base: base)
    }

    private static func key(_ user: String, _ page: String, pipeline: String = "p") -> Key {
        Key(pipeline: pipeline, parameters: ["user": user, "page": page])
    }

    /// Each value beside each other; a long one stands beside short ones alone.
    private static func pairs(_ users: [String], _ pages: [String]) -> [(String, String)] {
        users.flatMap { user in
            pages.filter { $0.utf8.count < 20 || user.utf8.count < 20 }.map { (user, $0) }
        }
    }

    @Test(arguments: [
        (".cache/{key}.json", "x y", "1", ".cache/p,page=1,user=x%20y.json"), ("{user}/{page}", "a", "", "a/%"),
        ("{user}", "..", "", "%2E%2E"),
        ("{user}", ".a", "", "%2Ea"), ("{user}-{page}", "a-b", "c-d", "a%2Db-c-d"), ("{user}{page}", "a", "b", "a%+b"),
        ("{user}", "é", "", "%C3%A9"),
        ("{user}", "../../etc/passwd", "", "%2E%2E%2F..%2Fetc%2Fpasswd"), ("{user}", "\0", "", "%00"), ("{pipeline}.x", "", "", "p.x"),
        ("constant", "a", "b", "constant"), ("{user}.json", "~", "", "%7E.json"),
    ]) func `a value is one file name`(_ text: String, _ user: String, _ page: String, _ path: String) {
        #expect(Self.template(text).filled(for: Self.key(user, page)) == path)
    }

    @Test(arguments: templates) func `no value leaves its folder, and no name is too long`(_ text: String) {
        let template = Self.template(text, base: "conf")
        var bad: [String] = []

        for (user, page) in Self.pairs(Self.oddValues, Self.oddValues) {
            let path = template.filled(for: Self.key(user, page))
            let names = path.split(separator: "/", omittingEmptySubsequences: false)

            let isInFolder = path.utf8.starts(with: (template.folder + "/").utf8)
            let isSound = names.dropFirst(path.hasPrefix("/") ? 1 : 0)
                .allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 255 }
            let isPlain = path.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
            if !(isInFolder && isSound && isPlain) { bad.append("\(user.shortened) \(page.shortened) \(path.shortened)") }
        }
        #expect(bad == [])
    }

    @Test(arguments: templates) func `different values give different paths`(_ text: String) {
        let template = Self.template(text)
        let needsUser = text.contains("{user}") || text.contains("{key}")
        let needsPage = text.contains("{page}") || text.contains("{key}")
        var random = SplitMix64(seed: 7)
        var values = Self.oddValues
        for _ in 0..<60 {
            let length = Int.random(in: 0...6, using: &random)
            values.append(
                (0..<length).map { _ in ["a", "F", "2", "-", ".", "%", "/", "+", "_", ",", "="].randomElement(using: &random) ?? "" }
                    .joined())
        }
        var seen: [String: (user: String.UTF8View, page: String.UTF8View)] = [:]
        var bad: [String] = []

        for (user, page) in Self.pairs(needsUser ? values : [""], needsPage ? values : [""]) {
            // Comparing strings is comparing bytes only for ASCII, which paths here are up to the template's own text.
            let path = template.filled(for: Self.key(user, page))
            if let first = seen[path], !(first.user.elementsEqual(user.utf8) && first.page.elementsEqual(page.utf8)) {
                bad.append(path.shortened)
            } else {
                seen[path] = (user.utf8, page.utf8)
            }
        }
        #expect(bad == [])
        #expect(seen.count > 100)
    }

    @Test(arguments: templates, ["", "conf", "/etc/conf", "/"]) func `a path is found again`(_ text: String, _ base: String) {
        let template = Self.template(text, base: base)
        var bad: [String] = []

        for (index, user) in Self.oddValues.enumerated() {
            for page in [Self.oddValues[(index * 7 + base.count) % Self.oddValues.count], "", "a-b", "%"] {
                let path = template.filled(for: Self.key(user, page))
                if !template.matches(path, pipeline: "p") { bad.append(path.shortened) }
            }
        }
        #expect(bad == [])
    }

    @Test(arguments: templates.filter { $0.contains("{key}") || $0.contains("{pipeline}") })
    func `a path of one pipeline is none of another`(_ text: String) {
        let template = Self.template(text, base: "conf")
        var bad: [String] = []
        let pipelines = ["p", "p-q", "q", "pp", "p.json", "p,user=a", "p%+", "p=1", "", "%", "-", "p/", "p\u{E9}", "pe\u{301}", "pé"]

        for (one, other) in pipelines.flatMap({ one in pipelines.map { (one, $0) } }) where !one.utf8.elementsEqual(other.utf8) {
            for user in Self.oddValues {
                let path = template.filled(for: Self.key(user, "b-q", pipeline: one))
                if template.matches(path, pipeline: other) { bad.append("\(path.shortened) of \(one) for \(other)") }
            }
        }
        #expect(bad == [])
    }

    @Test(arguments: ["conf/x", "conf/x/p.json", "x/p.json", "conf/p.jsonx", "conf/p,user=a/b.json", "conf/.json", "conf/p%/.json", ""])
    func `other files are not the template's`(_ path: String) {
        #expect(!Self.template("{key}.json", base: "conf").matches(path, pipeline: "p"))
    }

    @Test(arguments: [
        (".cache/{key}.json", "conf", "conf/.cache"), ("{key}", "", "."), ("{key}", "conf", "conf"), ("/abs/{key}", "conf", "/abs"),
        ("/{key}", "conf", "/"),
        ("a/b{user}/c", "", "a"), ("x.json", "conf", "conf"), ("../up/{key}", "conf", "conf/../up"),
    ]) func `the folder is what stands before the first parameter`(_ text: String, _ base: String, _ folder: String) {
        #expect(Self.template(text, base: base).folder == folder)
    }

    @Test func `a value of a variable in a path is the path's own text`() throws {
        let text = InterpolatedText(pieces: [.value("/data/{user}", name: "DIR"), .literal("/{user}", offset: 6)])
        let template = PathTemplate(template: Template(text), base: "conf")

        #expect(template.filled(for: Self.key("a/b", "")) == "/data/{user}/a%2Fb")
        #expect(template.matches("/data/{user}/a%2Fb", pipeline: "p"))
    }
}
