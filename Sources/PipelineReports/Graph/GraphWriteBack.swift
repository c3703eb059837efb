internal import Pipeline
internal import PipelineConfig

/// Where the answers of one tier go: a dashed edge.
package struct GraphWriteBack: Hashable {
    /// The tier that answers, as an index.
    var from: Int
    /// The cache that is written.
    var to: Int
    /// How long the copy stays fresh there.
    var ttl: String?
    /// The quiet time before it is written.
    var debounce: String?
    /// What a change does to it.
    var change: GraphChange?

    init(from: Int, to: Int, policy: TierPolicy) {
        self.init(from: from, to: to, ttl: policy.ttl?.written, debounce: policy.debounce?.written)
    }

    init(from: Int, to: Int, ttl: String? = nil, debounce: String? = nil) {
        self.from = from
        self.to = to
        self.ttl = ttl
        self.debounce = debounce
    }

    /// `ttl 30s`, `debounce 2s`.
    var words: [String] {
        [ttl.map { "ttl \($0)" }, debounce.map { "debounce \($0)" }].compactMap { $0 }
    }

    /// `write-back, ttl 30s, debounce 2s`.
    var label: String { (["write-back"] + words).joined(separator: ", ") }
}
