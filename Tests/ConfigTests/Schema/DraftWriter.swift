import Foundation
import Pipeline
import PipelineConfig
import PipelineTesting

/// Makes up valid configurations from the declarations of fields.
struct DraftWriter {
    var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func object(_ declarations: [FieldDeclaration], besides members: [(key: String, value: Draft)] = [], type: FieldType) -> Draft
    {
        var members = members
        var chosen = declarations.filter { field in field.isRequired || chance(40) }
        for field in declarations {
            guard let other = field.alternative, !chosen.contains(where: { $0.name == field.name || $0.name == other }) else { continue }
            let name = chance(50) ? field.name : other
            chosen += declarations.filter { $0.name == name }
        }
        while true {
            let needed = Set(chosen.compactMap(\.need?.field)).subtracting(chosen.map(\.name))
            let missing = declarations.filter { needed.contains($0.name) }
            if missing.isEmpty { break }
            chosen += missing
        }
        for field in chosen { members.append((field.name, value(of: field.type, field.bounds, rule: field.rule))) }
        return Draft(content: .mapping(members), type: type)
    }

    mutating func value(of type: FieldType, _ bounds: FieldBounds? = nil, rule: FieldRule? = nil) -> Draft {
        switch type {
        case .list(let element, let least):
            let count = Int.random(in: least...(least + 2), using: &random)
            // A name given twice is a problem of another kind.
            if case .word = element { return Draft(content: .list(names(for: element, count: count)), type: type) }
            return Draft(content: .list((0..<count).map { _ in value(of: element) }), type: type)
        case .map(let element, let keys, let least):
            let count = Int.random(in: least...(least + 2), using: &random)
            let names = Self.names(keys: keys, rule: rule).shuffled(using: &random).prefix(count)
            return Draft(content: .mapping(names.map { ($0, value(of: element)) }), type: type)
        case .object(let declarations, let oneOf):
            let given = oneOf.randomElement(using: &random)
            let fields = Self.fields(declarations, without: oneOf.filter { $0 != given })
            let member = fields.first { $0.name == given }.map { ($0.name, value(of: $0.type, $0.bounds, rule: $0.rule)) }
            return object(fields.filter { $0.name != given }, besides: member.map { [$0] } ?? [], type: type)
        case .variants(let field, let variants):
            guard let variant = variants.randomElement(using: &random) else { return scalar("{}", type) }
            let word = Draft(content: .scalar(variant.name), type: .choice(variants.map(\.name)))
            let given = variant.alternatives.randomElement(using: &random)
            let declarations = variant.declarations.filter { !variant.alternatives.contains($0.name) }
            let members = variant.declarations.filter { $0.name == given }.map { ($0.name, value(of: $0.type, $0.bounds, rule: $0.rule)) }
            return object(declarations, besides: [(field, word)] + members, type: type)
        case .either(let types):
            guard let type = types.randomElement(using: &random) else { return scalar("~", type) }
            return value(of: type, bounds)
        default:
            if chance(8), type != .nothing {
                return scalar(["${UNSET}", "\"${UNSET:?say it}\""].randomElement(using: &random) ?? "", type)
            }
            let fitting = scalars(of: type, bounds, rule).filter { Self.fits($0, rule) }
            return scalar(fitting.randomElement(using: &random) ?? "~", type)
        }
    }

    /// `declarations` without those called `names`, and without what needs one that is not there.
    private static func fields(_ declarations: [FieldDeclaration], without names: [String]) -> [FieldDeclaration] {
        let left = declarations.filter { !names.contains($0.name) }
        let lost = left.filter { field in field.need.map { need in !left.contains { $0.name == need.field } } ?? false }.map(\.name)
        return lost.isEmpty ? left : fields(left, without: lost)
    }

    /// Whether what a scalar says, its defaults in their places, is as the rule of its field wants it.
    private static func fits(_ scalar: String, _ rule: FieldRule?) -> Bool {
        guard case .text(let pattern) = rule, let regex = try? Regex(pattern) else { return true }
        let text = scalar.trimmingCharacters(in: CharacterSet(charactersIn: "\"'")).replacing(/\$\{[A-Z]+:-([^}]*)\}/) { String($0.1) }
        return text.firstMatch(of: regex) != nil
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private func scalar(_ text: String, _ type: FieldType) -> Draft { Draft(content: .scalar(text), type: type) }

    private mutating func names(for type: FieldType, count: Int) -> [Draft] {
        scalars(of: type, nil, nil).shuffled(using: &random).prefix(count).map { scalar($0, type) }
    }

    private static func names(keys: FieldWord?, rule: FieldRule?) -> [String] {
        if keys?.name == "JSON Pointer" { return ["/type", "/a~1b", "/0", "/größe"] }
        if case .keys = rule { return ["Accept", "X-Request-Id", "authorization", "a!b"] }
        return keys == nil ? ["memory", "api", "my source", "42", "true", "größe", "\"a: b\"", "\"{x}\""] : ["user", "page_2", "_x"]
    }
}

extension DraftWriter {
    private mutating func scalars(of type: FieldType, _ bounds: FieldBounds?, _ rule: FieldRule?) -> [String] {
        switch type {
        case .string where rule != nil:
            return ["memory", "42", "true", "\"a: b\"", "some words.db", "/a/b", "a $$ b", "../größe", "\"0644\"", "\"600\""]
        case .string: return ["memory", "42", "true", "1.5", "\"a: b\"", "''", "some words", "\"42\"", "no", "a $$ b", "\"$${x}\""]
        case .template, .secret:
            return ["{user}", "x-{key}", "{", "42", "'{ \"user\": \"{user}\" }'"].map { $0.hasPrefix("{") ? "\"\($0)\"" : $0 }
        case .path: return [".cache/disk.json", "\"{key}\"", "\"/abs/{pipeline}/{user}.json\"", "42", "\"a}\"", "'größe und mehr'"]
        case .url:
            return [
                "http://127.0.0.1:8787/friends", "\"https://example.org/{user}?page={page}#top\"", "\"http://{host}:80{port}/\"",
                "\"HTTP://user:pässwörd@[::1]:8080/\"", "https://example.org:/", "http://a:65535", "\"${BASE:-http://a}/{user}\"",
                "redis://localhost", "\"REDISS://user:p%40ss:@[::1]:6380/2\"", "redis://:@h:/", "\"${CACHE:-redis://a}/15\"",
            ]
        case .query:
            return [
                "SELECT * FROM friends WHERE id = :user", "\"select '{}' -- ${UNSET}\"",
                "\"/* all */ WITH f AS (SELECT 1) SELECT * FROM f;\"",
                "VALUES (:user, :key)", "'PRAGMA table_info(friends)'",
            ]
        case .bool: return ["true", "false", "yes", "Off", "TRUE", "\"${UNSET}\""]
        case .int:
            let (lower, upper) = (Int(bounds?.lower ?? "") ?? -3, Int(bounds?.upper ?? "") ?? 4_000)
            return [
                "\(lower)", "\(upper)", "\(Int.random(in: lower...upper, using: &random))",
                lower <= 0x1F && upper >= 0x1F ? "0x1F" : "\(upper)",
            ]
        case .duration:
            let zero = bounds?.lower == nil ? ["0", "0s", "\"0\"", "00", "5µs"] : []
            let short = bounds?.lower == "1s" ? [] : ["250ms"]
            return zero + short + ["30s", "1h30m", "2d", "1.5s", "\"10m\"", "1d2h3m4s5ms6us7ns", "0m1s", "${TTL:-10m}"]
        case .size:
            let zero = bounds?.lower == nil ? ["0", "0KB"] : []
            return zero + ["1024", "64MiB", "512KB", "\"1.5gb\"", "7b", "\"100\""]
        case .ratio:
            guard let bounds else { return ["0.5", "3", "-1.5", "250%"] }
            return ["0.5", "80%", "\"0.25\"", "0.1", "12.5%"] + (bounds.areExcluded ? [] : ["0", "1", "100%", "0%", "1.0", "\"1\""])
        case .choice(let words): return words.filter { $0.wholeMatch(of: /[0-9.]+/) == nil } + words.map { "\"\($0)\"" }
        case .word(let word) where word.name == "path": return ["cache.db", "42", "1.5", "true", "\"/abs/größe .db\"", "a}b/c"]
        case .word(let word) where word.name == "percentile": return ["p50", "\"p95\"", "p99"]
        case .word(let word) where word.name == "rate": return ["50/s", "600/m", "\"1 / d\"", "007/h"]
        case .word(let word) where word.name == "JSON Pointer":
            return ["/id", "\"\"", "/", "/a~0b/~1", "\"/friend/id\"", "/größe mit raum", "//"]
        case .word(let word) where word.name == "JSON Pointer or JSONPath": return ["/id", "\"\"", "$", "\"$[*].id\"", "\"$.a[0,1]['b']\""]
        case .word(let word) where word.name == "header name": return ["Idempotency-Key", "\"X-Request-Id\"", "id"]
        case .word(let word) where word.name == "path of links": return ["author", "comments.author", "\"a b.größe\""]
        case .word(let word): return word.numbers == nil ? ["user", "page_2", "_x", "true"] : ["200", "2xx", "\"404\"", "200-299", "5XX"]
        case .nothing: return ["~", "null", "NULL"]
        case .any: return ["~", "42", "words", "[1, { a: b }]", "{ a: [] }"]
        case .list, .map, .object, .variants, .either: return []
        }
    }
}
