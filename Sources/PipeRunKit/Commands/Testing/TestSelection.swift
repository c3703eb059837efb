internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineScenarios
internal import PipelineYAML

/// The tests of a file that run, and their orders.
struct TestSelection {
    /// Tests that stand at one of these lines; every test where there is none.
    var lines: [Int] = []
    var pattern: NamePattern?
    var tags: [String] = []
    /// The name of an order, or sources with commas.
    var order: String?
    /// The tests that failed last; nil for all.
    var failed: FailedTests?

    /// The runs of `suite` that are meant.
    func runs(of suite: ScenarioSuite) throws -> [ScenarioRun] {
        let starts = Set(lines.compactMap(suite.start))
        return try ordered(suite.runs, of: suite).filter { run in
            let test = run.scenario
            if !lines.isEmpty, !starts.contains(test.range.start.line) { return false }
            if let pattern, !pattern.matches(test.name.value) { return false }
            if !tags.isEmpty, !test.tags.contains(where: tags.contains) { return false }
            // Names are kept as they are shown, with secrets masked.
            return failed?.contains(suite.report?.redactor.redacted(run.title) ?? run.title, of: suite.file.name) ?? true
        }
    }

    /// The reason why no test of these suites is meant, if one option alone rules out all; nil if none does.
    func reason(in suites: [(suite: ScenarioSuite, lines: [Int])]) -> String? {
        for (suite, lines) in suites {
            if let line = lines.first(where: { suite.start(at: $0) == nil }) { return "no test stands at line \(line)" }
        }
        let runs = suites.flatMap { $0.suite.runs }
        if let pattern, !runs.contains(where: { pattern.matches($0.scenario.name.value) }) {
            return "no test has a name that matches `\(pattern.text.shortened)`"
        }
        if !tags.isEmpty, !runs.contains(where: { $0.scenario.tags.contains(where: tags.contains) }) {
            return "no test has the tag \(tags.map { "`\($0.shortened)`" }.joined(separator: " or "))"
        }
        return nil
    }

    /// The sources that `order` names. Exits with 64 where the configuration of `suite` has no such source.
    private static func sources(in order: String, of suite: ScenarioSuite) throws -> [String] {
        let names = try SourceOrder.names(in: order)
        for (index, name) in names.enumerated() {
            guard suite.sourceNames.contains(name) else {
                // One word may be meant for the name of an order.
                let known = (names.count == 1 ? suite.orderNames : []) + suite.sourceNames
                throw Usage.failure(
                    names.count == 1
                        ? "unknown order `\(name.shortened)`: neither an order of `\(suite.file.name)` nor a source"
                        : "unknown source `\(name.shortened)` in the order",
                    help: NearestName.help(for: name, among: known, noun: names.count == 1 ? "orders and sources" : "sources"))
            }
            guard !names[..<index].contains(name) else {
                throw Usage.failure("the order names `\(name.shortened)` twice", help: nil)
            }
        }
        return names
    }

    /// Each test in the order that is asked for, in place of its own.
    private func ordered(_ runs: [ScenarioRun], of suite: ScenarioSuite) throws -> [ScenarioRun] {
        guard let order else { return runs }
        let meant = try suite.order(named: order) ?? ScenarioOrder(name: nil, sources: Self.sources(in: order, of: suite))
        var seen: Set<String> = []
        return runs.filter { seen.insert($0.scenario.name.value).inserted }.filter { run in
            // One of the orders that a test names, where it names any.
            meant.name.map { name in run.scenario.orders.isEmpty || run.scenario.orders.contains { $0.value == name } } ?? true
        }.map { ScenarioRun(scenario: $0.scenario, order: meant) }
    }
}

extension ScenarioRun {
    /// `NAME [ORDER]`.
    var title: String { order.map { "\(scenario.name.value) [\($0.title)]" } ?? scenario.name.value }
}

extension ScenarioSuite {
    /// The line in which the test at `line` begins; nil if none stands there.
    fileprivate func start(at line: Int) -> Int? {
        guard line <= file.lines.count else { return nil }
        return document?.tests.map(\.range.start.line).last { $0 <= line }
    }
}

/// A regular expression for names, as it is written on the command line.
struct NamePattern {
    let text: String
    private let regex: Regex<AnyRegexOutput>

    @Sendable static func read(_ text: String) throws -> NamePattern {
        do { return NamePattern(text: text, regex: try Regex(text)) } catch { throw ValidationError("`\(text)` is no regular expression") }
    }

    func matches(_ name: String) -> Bool { name.firstMatch(of: regex) != nil }
}

/// The least share of all that is enough: `80%`. Exact: 40 of 41 is less than 100 %.
struct LeastShare: ExpressibleByArgument {
    private let numerator: Int
    private let denominator: Int

    init?(argument: String) {
        guard argument.hasSuffix("%") else { return nil }
        let parts = argument.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard parts[0].count <= 3, decimals.count <= 6, let numerator = Int(parts[0] + decimals) else { return nil }
        (self.numerator, denominator) = (numerator, (0..<decimals.count).reduce(100) { product, _ in product * 10 })
        guard numerator <= denominator else { return nil }
    }

    /// Indicates whether `count` of `all` is enough.
    func isMet(by count: Int, of all: Int) -> Bool { count * denominator >= all * numerator }
}
