package import PipelineConfig

/// One thing that can happen at a place of a configuration: `disk expired`, `stale_if_error within`.
package struct CoveragePoint: Sendable, Hashable {
    /// What names the point within an order of a pipeline.
    package struct ID: Sendable, Hashable {
        /// What it happens to: `disk`, `disk write`, `disk debounce`, `stale_if_error`, `write_back api → disk`.
        package let element: String
        /// What happens: `hit`, `scheduled`, `flushed`, `within`.
        package let branch: String

        package init(_ element: String, _ branch: String) {
            (self.element, self.branch) = (element, branch)
        }
    }

    package let id: ID
    /// Where the configuration says so; the pipeline where no line does.
    package let range: TextRange
    /// How many runs reached it.
    package var reached = 0
    /// How many runs had an expectation that depended on it.
    package var asserted = 0

    package init(_ id: ID, at range: TextRange) {
        (self.id, self.range) = (id, range)
    }
}

extension CoveragePoint.ID {
    static func write(_ cache: String, _ branch: String) -> Self { Self("\(cache) write", branch) }
    static func policy(_ field: String, of source: String, _ branch: String) -> Self { Self("\(source) \(field)", branch) }
    static func edge(from source: String, to cache: String) -> Self { Self("write_back \(source) → \(cache)", "written") }
}
