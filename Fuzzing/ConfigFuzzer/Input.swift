internal import Pipeline
import PipelineConfig
import PipelineJSON
import PipelineReports
internal import PipelineYAML
internal import SourcesFile
internal import SourcesMemory

/// One text, read as a configuration in every way that opens and asks nothing.
///
/// A text may be refused. What must hold of every text is required: where it does not, libFuzzer keeps the text.
struct Input {
    private let file: ConfigFile

    init(_ text: [UInt8]) {
        file = ConfigFile(text: text, name: "fuzz.yaml", folder: "conf")
    }

    private static let plugins: [SourcePlugin] = [.memory, .file, EveryField.plugin]
    private static let limits = ConfigLimits(bytes: 4096, depth: 24, nodes: 10_000)
    private static let secret = "s3cr3t-m4rk3r-v4lu3"
    private static let files = [
        "conf/token.txt": "\(secret)\n", "/token.txt": secret, "conf/lines.txt": "one\ntwo\n", "conf/empty.txt": "",
    ]
    private static let variables = [
        "SECRET": secret, "EMPTY": "", "API": "http://127.0.0.1:1", "TTL": "10m", "SOURCE": "memory", "BRACES": "{user}",
        "LINES": "a\nb: *c",
    ]
    private static let environment = ConfigEnvironment(
        variable: { variables[$0] },
        file: { path in files[path].map { .success($0) } ?? .failure(ConfigEnvironment.FileProblem("no such file")) })

    func check() {
        for level in ValidationLevel.allCases where level < .connect {
            let report = report(level)
            checkPlaces(report, level)
            checkPlan(report.plan)
            guard level == .env else { continue }
            checkPrinting(report)
            checkConfig(report)
        }
    }

    private func report(_ level: ValidationLevel) -> ConfigReport {
        let effort = Effort()
        let report = file.report(plugins: Self.plugins, environment: Self.environment, level: level, limits: Self.limits)
        effort.check(forBytes: file.text.count)
        return report
    }

    /// Places are in the text, in order, and ranges do not end before they begin.
    private func checkPlaces(_ report: ConfigReport, _ level: ValidationLevel) {
        let lines = file.lines
        var last = TextPosition(line: 1, column: 1)
        for diagnostic in report.diagnostics {
            require(diagnostic.code.level <= level, "\(diagnostic.code.rawValue) at level \(level)")
            require(last <= diagnostic.range.start, "\(diagnostic.range) after \(last)")
            last = diagnostic.range.start
            for range in [diagnostic.range] + diagnostic.related.compactMap(\.range) {
                require(Self.isInside(range, lines), "\(diagnostic.code.rawValue) at \(range)")
            }
            require(diagnostic.message.unicodeScalars.count <= 400, "a message of \(diagnostic.message.count) characters")
        }
        for range in report.secretRanges { require(Self.isInside(range, lines), "a secret at \(range)") }
    }

    /// Inside of the text or at the end of a line or of the text; a block may end where a line would begin that is not there.
    private static func isInside(_ range: TextRange, _ lines: SourceLines) -> Bool {
        [range.start, range.end].allSatisfy { position in
            1...(lines.count + 1) ~= position.line && 1...(lines[position.line].unicodeScalars.count + 2) ~= position.column
        } && range.start <= range.end
    }

    /// Every pipeline has a key, with and without its defaults, and can be asked in another order.
    private func checkPlan(_ plan: Plan) {
        for pipeline in plan.pipelines {
            let names = Dictionary(pipeline.parameters.map { ($0.name, "a/../\u{E9}\n") }) { first, _ in first }
            for arguments in [[:], names] {
                let key = Key(pipeline: pipeline.name, parameters: arguments)
                require(key.text.utf8.allSatisfy { 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "/") }, "the key \(key.text)")
            }
            _ = try? pipeline.asking(pipeline.tiers.map(\.source.name).reversed(), from: plan.sources)
        }
    }

    /// What people and programs get to read shows no secret, and is well-formed.
    private func checkPrinting(_ report: ConfigReport) {
        let printer = DiagnosticPrinter(lines: file.lines, secretRanges: report.secretRanges, hasColour: false)
        let text = report.diagnostics.map(printer.text).joined()
        let json = DiagnosticJSON.text(report.diagnostics)
        require(JSONScanner.problem(of: Array(json.utf8)) == nil, "no JSON: \(json)")
        let written = String(decoding: file.text, as: UTF8.self)
        guard !Self.shows(written) else { return }
        require(!Self.shows(text), "a secret shows: \(text)")
        require(!Self.shows(json), "a secret shows: \(json)")
    }

    /// The whole configuration, printed as YAML, is read again without an error.
    private func checkConfig(_ report: ConfigReport) {
        guard !report.diagnostics.hasErrors else { return }
        let config = EffectiveConfig(report, folder: "conf", plugins: Self.plugins, environment: Self.environment)
        let text = ConfigYAML(file: file.name).text(config)
        require(!report.secrets.contains(Self.secret) || !text.contains(Self.secret), "a secret shows: \(text)")
        let again = ConfigFile(text: Array(text.utf8), name: "again.yaml", folder: "conf")
        let syntax = again.report(plugins: Self.plugins, environment: Self.environment, level: .syntax).diagnostics
        require(!syntax.hasErrors, "\(syntax.first?.message ?? "") in \(text)")
    }

    /// Whether the beginning of the secret stands in `text`: a message may have cut the rest.
    private static func shows(_ text: String) -> Bool { text.contains("s3cr3t-m4") }
}
