internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineReports

struct ListCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "list", abstract: "Lists what each cache of a pipeline holds.",
        discussion: """
            Prints key, age, remaining freshness and size, also of expired copies. Payloads are not read. Memory is empty here, since it \
            ends with its process. Files of other programs beside the copies are counted in a note. Exits with 1 when a cache could not be read.
            """)

    @OptionGroup var config: ConfigOptions
    @Argument(help: "The name of the pipeline.", completion: Suggestions.pipelines) var name: String
    @Option(parsing: .unconditional, help: "The most copies to list for each cache.") var limit = 100
    @Option(help: "The output format.") var output = ListFormat.text

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit takes a number of at least 1") }
    }

    func perform() async throws {
        let pipelines = try config.pipelines(mayLack: { _ in true })
        let selected = try Usage.checking(["list"]) { try pipelines.pipeline(named: name) }
        let caches = try await selected.contents(limit: limit)
        await UnwrittenReport().shutDown(pipelines)
        let printer = ContentsPrinter(pipeline: name, limit: limit, redactor: pipelines.redactor)
        switch output {
        case .text: Console.output.show(printer.text(caches))
        case .json: Console.output.writeLine(printer.json(caches).text)
        }
        for note in ContentsPrinter.notes(caches) + printer.gaps(caches) { Console.say(note) }
        guard caches.allSatisfy({ !$0.hasFailed }) else { throw ExitStatus.no }
    }
}

extension TierContents {
    fileprivate var hasFailed: Bool {
        if case .failed = answer { true } else { false }
    }
}

/// The contents of caches, as a list for people or as JSON.
struct ContentsPrinter {
    let pipeline: String
    /// The most copies that were asked for.
    let limit: Int
    /// The redactor: a parameter may have a secret for its default, and so may a path.
    let redactor: Redactor

    func text(_ caches: [TierContents]) -> String {
        guard !caches.isEmpty else { return "the pipeline has no caches\n" }
        return caches.map(text).joined()
    }

    /// A line for each cache among whose copies other files stand.
    static func notes(_ caches: [TierContents]) -> [String] {
        caches.filter { $0.foreign > 0 }.map { cache in
            let files = cache.foreign == 1 ? "1 file of another program stands" : "\(cache.foreign) files of other programs stand"
            return "note: \(files) beside the copies of `\(cache.source)`; `list` and `clear` leave such files alone"
        }
    }

    /// A line for each cache that was not looked through.
    func gaps(_ caches: [TierContents]) -> [String] {
        caches.filter { isCutShort($0.answer) }.map { cache in
            "note: `\(cache.source)` has names that were not looked at, and perhaps copies among them; a `--limit` over \(limit) looks further"
        }
    }

    /// Indicates whether the cache gave up before it had as many copies as were asked for.
    private func isCutShort(_ answer: TierContents.Answer) -> Bool {
        guard case .copies(let copies, hasMore: true) = answer else { return false }
        return copies.count < limit
    }

    private func text(_ cache: TierContents) -> String {
        let name = cache.source.printable
        switch cache.answer {
        case .unknown: return "\(name): cannot list its keys\n"
        case .failed(let reason): return "\(name): failed: \(reason.printable)\n"
        case .copies(let copies, let hasMore) where copies.isEmpty:
            if hasMore { return "\(name): nothing so far\n" }
            return "\(name): nothing" + (cache.isInProcess ? ", its copies end with each process" : "") + "\n"
        case .copies(let copies, let hasMore):
            let number = copies.count == 1 ? "" : "\(copies.count) "
            let noun = copies.count == 1 ? "copy" : "copies"
            let count =
                isCutShort(cache.answer)
                ? "\(copies.count) \(noun) so far" : hasMore ? "the first \(number)\(noun)" : "\(copies.count) \(noun)"
            return "\(name): \(count)\n" + TextTable.text(copies.map(row), indented: "  ")
        }
    }

    private func row(_ copy: TierContents.Copy) -> [String] {
        [
            redactor.redacted(copy.listed.name).printable, "age \(TracePrinter.words(copy.age))", freshness(of: copy),
            copy.listed.entry.isNotFound ? "not_found" : copy.listed.size == 1 ? "1 byte" : "\(copy.listed.size) bytes",
        ]
    }

    private func freshness(of copy: TierContents.Copy) -> String {
        guard let freshFor = copy.freshFor else { return "no limit" }
        return freshFor > .zero ? "fresh for \(TracePrinter.words(freshFor))" : "expired \(TracePrinter.words(.zero - freshFor)) ago"
    }

    func json(_ caches: [TierContents]) -> JSONText {
        .object([("pipeline", .string(pipeline)), ("caches", .array(caches.map(json)))])
    }

    private func json(_ cache: TierContents) -> JSONText {
        let (source, foreign) = (("source", JSONText.string(cache.source)), ("foreign", JSONText.int(cache.foreign)))
        switch cache.answer {
        case .unknown: return .object([source, ("copies", .null), ("has_more", .null), foreign, ("error", .null)])
        case .failed(let reason): return .object([source, ("copies", .null), ("has_more", .null), foreign, ("error", .string(reason))])
        case .copies(let copies, let hasMore):
            return .object([source, ("copies", .array(copies.map(json))), ("has_more", .bool(hasMore)), foreign, ("error", .null)])
        }
    }

    private func json(_ copy: TierContents.Copy) -> JSONText {
        let parameters = copy.listed.key.map { key in
            JSONText.object(key.parameters.map { ($0.name, .string(redactor.redacted($0.value))) })
        }
        return .object([
            ("key", .optional(copy.listed.key.map { redactor.redacted($0.text) })), ("parameters", parameters ?? .null),
            ("place", .optional(copy.listed.place.map(redactor.redacted))),
            ("age_ms", .int(Int(copy.age.milliseconds))), ("fresh_for_ms", copy.freshFor.map { .int(Int($0.milliseconds)) } ?? .null),
            ("size", .int(copy.listed.size)), ("not_found", .bool(copy.listed.entry.isNotFound)),
        ])
    }
}
