internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig

struct PutCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "put",
        abstract: "Stores the payload on standard input in the caches of a pipeline.",
        discussion: """
            The payload is stored like an origin's answer, with the ttl, debounce and write order of the file. A payload larger than the \
            pipeline's `max_size` is refused.
            """)

    @OptionGroup var config: ConfigOptions
    @OptionGroup var pipeline: PipelineArguments

    func perform() async throws {
        let pipelines = try config.pipelines(mayLack: { _ in true })
        let (selected, key) = try Usage.checking(pipeline.call("put", config)) {
            let selected = try pipelines.pipeline(named: pipeline.name)
            return (selected, try selected.key(pipeline.arguments()))
        }
        // One byte too many is enough to know that it is too large, however much more there is.
        let payload = try StandardInput.read(limit: min(selected.spec.policy.maxSize.bytes, .max - 1) + 1)
        let unwritten = UnwrittenReport()
        let ending = await Interruption.watching {
            let outcome = try await selected.put(payload, for: key)
            try await unwritten.flush(pipelines)
            unwritten.note(outcome.writes)
            return PutPrinter.print(unwritten.final(outcome.writes))
        }
        await unwritten.shutDown(pipelines)
        switch ending {
        case .finished(let status): if let status { throw status }
        case .interrupted(let status): throw status
        }
    }
}

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
