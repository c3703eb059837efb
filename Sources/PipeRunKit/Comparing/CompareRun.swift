internal import ArgumentParser
internal import Pipeline
internal import PipelineReports
internal import PipelineSimulation

/// The runs of one `compare` command, and what they leave behind.
struct CompareRun {
    let variants: ComparedVariants
    /// The variants, and last the first one once more.
    let subjects: [Comparison.Subject]
    let comparison: Comparison
    let calls: OriginCalls
    /// The caches of the runs; nil if the caches of the files are used.
    let caches: TemporaryCaches?

    /// Runs, and removes every copy, however the runs end. Returns the findings of the complete blocks, nil without one; the reason why
    /// blocks are missing; and the exit code, nil if the run ends well.
    func run(runs: Int, limit: Int, seed: UInt64) async -> (ComparisonFindings?, ComparisonReport.Stop?, ExitCode?) {
        let log = BlockLog()
        let line = StatusLine()
        let labels = variants.labels
        let ending = await Interruption.watching { [comparison, labels] in
            do {
                if let (variant, reason) = try await comparison.firstFailure() {
                    line.erase()
                    Console.say(
                        "`\(labels[variant].name)` answers nothing: \(reason)",
                        help: "`pipe-run validate --level connect` checks the sources")
                    return ExitStatus.no
                }
                try await comparison.run(into: log) { progress in
                    let name = progress.subject < labels.count ? labels[progress.subject].name : "\(labels[0].name) against itself"
                    line.show("block \(progress.block + 1) of \(runs): \(name)")
                }
            } catch is OriginLimitReached {
                return nil
            }
            return nil
        }
        line.erase()
        await removeCopies()
        let blocks = log.blocks
        var stop: ComparisonReport.Stop?
        var status: ExitCode?
        switch ending {
        case .finished(let code):
            status = code
            if calls.isExhausted, blocks.count < runs { stop = .originCalls(limit) }
        case .interrupted(let code): (status, stop) = (code, .interrupted)
        }
        guard blocks.isEmpty else { return (ComparisonFindings(labels, blocks: blocks, seed: seed), stop, status) }
        sayNoBlock(stop)
        return (nil, stop, status ?? ExitStatus.no)
    }

    private func sayNoBlock(_ stop: ComparisonReport.Stop?) {
        switch stop {
        case .originCalls(let limit):
            Console.say(
                "no block is whole: the origins were asked \(limit) times before",
                help: "raise `--max-origin-calls`, or make `--duration` or `--rate` smaller")
        case .interrupted: Console.say("no block is whole")
        case nil: break
        }
    }

    private func removeCopies() async {
        for subject in subjects {
            for source in await subject.end(removingCopies: caches != nil) {
                Console.say("copies are left in `\(source)`, under keys that begin with `\(caches?.prefix ?? "")`")
            }
        }
        if let failure = caches?.remove() { Console.say(failure) }
    }
}
