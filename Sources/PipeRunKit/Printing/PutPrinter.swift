internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig

/// Says what each cache did.
enum PutPrinter {
    /// Prints a line for each cache; gives the exit code 1 when one could not be written, and when there is none.
    static func print(_ records: [WriteRecord]) -> ExitCode? {
        for record in records { Console.output.writeLine("\(record)".printable) }
        guard !records.isEmpty else {
            Console.say("nothing is stored: the pipeline has no caches to write to")
            return ExitStatus.no
        }
        return records.contains { $0.outcome == .failed } ? ExitStatus.no : nil
    }
}
