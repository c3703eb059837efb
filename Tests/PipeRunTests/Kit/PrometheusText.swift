/// An exposition in Prometheus' text format 0.0.4, read as strictly as its definition allows.
struct PrometheusText {
    /// Why a text is none.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    struct Series: Hashable {
        let name: String
        let labels: [String: String]
    }

    /// The type of each family.
    private(set) var types: [String: String] = [:]
    private(set) var help: [String: String] = [:]
    /// The samples in the order of the text.
    private(set) var order: [Series] = []
    private(set) var values: [Series: Double] = [:]

    init(_ text: String) throws {
        var family: String?
        var ended: Set<String> = []
        guard text.isEmpty || text.utf8.last == UInt8(ascii: "\n") else { throw Problem(description: "the last line does not end") }
        // By scalars: a carriage return before a line feed is part of the line.
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) {
            if let comment = try Self.comment(line) {
                if comment.name != family {
                    guard ended.insert(comment.name).inserted else { throw Problem(description: "\(comment.name) is in two places") }
                    family = comment.name
                }
                guard (comment.isType ? types : help).index(forKey: comment.name) == nil else {
                    throw Problem(description: "a second \(line)")
                }
                if comment.isType { types[comment.name] = comment.text } else { help[comment.name] = comment.text }
            } else {
                let (series, value) = try Self.sample(line)
                guard let family, let type = types[family] else { throw Problem(description: "no type before \(line)") }
                let names = type == "histogram" ? ["_bucket", "_sum", "_count"].map { family + $0 } : [family]
                guard names.contains(series.name) else { throw Problem(description: "\(series.name) is not of \(family)") }
                guard values.updateValue(value, forKey: series) == nil else { throw Problem(description: "a second \(line)") }
                guard type != "counter" || (value >= 0 && value == value.rounded()) else {
                    throw Problem(description: "not counted: \(line)")
                }
                order.append(series)
            }
        }
        for (name, type) in types where type == "histogram" { try checkBuckets(of: name) }
    }

    /// The value of a sample; nil when there is none with these labels and no others.
    subscript(name: String, labels: [String: String]) -> Double? { values[Series(name: name, labels: labels)] }

    /// The value for a tier.
    subscript(name: String, pipeline: String, source: String) -> Double? { self[name, ["pipeline": pipeline, "source": source]] }

    private func checkBuckets(of name: String) throws {
        for count in order where count.name == name + "_count" {
            let buckets = order.filter { bucket in
                bucket.name == name + "_bucket" && bucket.labels.filter { $0.key != "le" } == count.labels
            }
            let bounds = buckets.compactMap { $0.labels["le"].flatMap(Self.number) }
            let counts = buckets.compactMap { values[$0] }
            guard bounds.count == buckets.count, bounds == bounds.sorted(), bounds.last == .infinity, counts == counts.sorted(),
                counts.last == values[count], values[Series(name: name + "_sum", labels: count.labels)] != nil
            else { throw Problem(description: "the buckets of \(count) do not add up: \(bounds) \(counts)") }
        }
    }

    private static func comment(_ line: String) throws -> (isType: Bool, name: String, text: String)? {
        guard line.hasPrefix("#") else { return nil }
        guard let match = line.wholeMatch(of: /# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)/.matchingSemantics(.unicodeScalar)) else {
            throw Problem(description: "neither help nor type: \(line)")
        }
        let isType = match.1 == "TYPE"
        guard !isType || ["counter", "gauge", "histogram", "summary", "untyped"].contains(match.3) else {
            throw Problem(description: "no type: \(line)")
        }
        return (isType, String(match.2), String(match.3))
    }

    private static func sample(_ line: String) throws -> (Series, Double) {
        let problem = Problem(description: "no sample: \(line)")
        var rest = line.unicodeScalars[...]
        func word(_ isIn: (Unicode.Scalar) -> Bool) -> String {
            let word = rest.prefix(while: isIn)
            rest = rest[word.endIndex...]
            return String(word)
        }
        func isName(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_")
        }
        let name = word { isName($0) || $0 == ":" }
        guard !name.isEmpty else { throw problem }
        var labels: [String: String] = [:]
        if rest.first == "{" {
            repeat {
                rest.removeFirst()
                let label = word(isName)
                guard !label.isEmpty, rest.popFirst() == "=", rest.popFirst() == "\"" else { throw problem }
                var value = String.UnicodeScalarView()
                while let scalar = rest.popFirst(), scalar != "\"" {
                    guard scalar == "\\" else {
                        value.append(scalar)
                        continue
                    }
                    switch rest.popFirst() {
                    case "\\": value.append("\\")
                    case "\"": value.append("\"")
                    case "n": value.append("\n")
                    default: throw problem
                    }
                }
                guard labels.updateValue(String(value), forKey: label) == nil else { throw problem }
            } while rest.first == ","
            guard rest.popFirst() == "}" else { throw problem }
        }
        guard rest.popFirst() == " ", let value = number(String(rest)) else { throw problem }
        return (Series(name: name, labels: labels), value)
    }

    private static func number(_ text: String) -> Double? {
        text == "+Inf" ? .infinity : text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/).flatMap { _ in Double(text) }
    }
}
