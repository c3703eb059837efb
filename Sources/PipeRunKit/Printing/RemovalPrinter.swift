internal import Pipeline
internal import PipelineConfig

/// Says what each cache did.
enum RemovalPrinter {
    /// Prints a line for each cache; throws the exit code 1 when one could not be reached.
    ///
    /// - Parameter without: the caches that had nothing to forget.
    static func print(_ report: RemovalReport, done: String, without: Set<String> = []) throws {
        for line in report.lines {
            let words = line.failure.map { "failed: \($0)" } ?? (without.contains(line.source) ? "had no copy" : done)
            Console.output.writeLine("\(line.source): \(words)".printable)
        }
        if report.lines.isEmpty { Console.say("the pipeline has no caches") }
        guard report.isComplete else { throw ExitStatus.no }
    }
}
