internal import Pipeline

/// Says what each cache did.
enum RemovalPrinter {
    /// Prints a line for each cache; throws the exit code 1 when one could not be reached.
    static func print(_ report: RemovalReport, done: String) throws {
        for line in report.lines {
            Console.output.writeLine(("\(line.source): " + (line.failure.map { "failed: \($0)" } ?? done)).printable)
        }
        if report.lines.isEmpty { Console.say("the pipeline has no caches") }
        guard report.isComplete else { throw ExitStatus.no }
    }
}
