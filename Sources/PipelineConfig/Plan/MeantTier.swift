/// The tier that was meant by a text with more than a name in it: `memory ttl 30s`, `memory (30s)`, `memory api`.
struct MeantTier {
    /// The source that is named first.
    let source: String
    private let sources: [String]
    private let fields: [(name: String, value: String?)]

    private static let longest = 200

    /// Nil where `text` does not begin with the name of a source, or has something else in it that is not understood.
    ///
    /// - Parameter isKey: whether the last word is a field whose value stands elsewhere.
    init?(_ text: String, sources known: [String], isKey: Bool = false) {
        guard text.utf8.count <= Self.longest else { return nil }
        var words = text.split { $0.isWhitespace || ",=:;()[]|\"'".contains($0) }.map(String.init)[...]
        words = words.filter { word in !word.allSatisfy { "->→&+".contains($0) } }[...]
        guard let source = words.popFirst(), known.contains(source), source != text else { return nil }
        var (sources, fields) = ([source], [(name: String, value: String?)]())
        while let word = words.popFirst() {
            if TierConfig.policyNames.contains(word) {
                fields.append((word, words.popFirst()))
            } else if known.contains(word), fields.isEmpty {
                sources.append(word)
            } else if (try? Quantity.duration(word)) != nil, fields.isEmpty {
                fields.append(("ttl", word))
            } else {
                return nil
            }
        }
        guard isKey ? fields.last?.value == nil && !fields.isEmpty && sources.count == 1 : fields.allSatisfy({ $0.value != nil }) else {
            return nil
        }
        guard fields.isEmpty || sources.count == 1 else { return nil }
        (self.source, self.sources, self.fields) = (source, sources, fields)
    }

    /// The sources that are named.
    var names: [String] { sources }

    /// As it is written: `{ source: memory, ttl: 30s }`, or names with a comma between.
    func written(lastValue: String = "…") -> String {
        guard !fields.isEmpty else { return sources.map(\.inFlow).joined(separator: ", ") }
        return "{ " + (["source: \(source.inFlow)"] + fields.map { "\($0.name): \($0.value?.inFlow ?? lastValue)" }).joined(separator: ", ")
            + " }"
    }
}
