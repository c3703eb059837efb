public import Pipeline

/// Looks for the sources of a configuration: each is made, asked, and let go of.
struct SourceChecker: Sendable {
    let report: ConfigReport
    let clock: PipelineClock
    private let redactor: SecretMask

    init(_ report: ConfigReport, clock: PipelineClock) {
        self.report = report
        self.clock = clock
        redactor = report.secretMask
    }

    /// So many are asked at the same time: each may take a connection.
    private static let mostAtOnce = 64

    /// The checks of all sources that are sound, in the order of the file.
    func checks() async -> [SourceCheck] {
        let sources = report.plan.sources.filter(\.isSound)
        var checks = [SourceCheck?](repeating: nil, count: sources.count)
        await withTaskGroup(of: (Int, SourceCheck).self) { group in
            for (index, source) in sources.enumerated() {
                if index >= Self.mostAtOnce, let (done, check) = await group.next() { checks[done] = check }
                group.addTask { (index, await check(source)) }
            }
            for await (done, check) in group { checks[done] = check }
        }
        return checks.compactMap(\.self)
    }

    private func check(_ source: SourceConfig) async -> SourceCheck {
        let limit = limit(of: source)
        let begin = clock.now
        do {
            let late = SourceError("no answer within \(limit.written ?? "")", kind: .timeout)
            let (reachability, duration) = try await clock.race(until: begin + limit, late: { throw late }) { [clock] in
                try await Self.reachability(of: source, since: begin, clock: clock)
            }
            return check(source, reachability.outcome(redactor), duration)
        } catch {
            let reason = redactor.redacted("\(error)")
            let isRefused = (error as? SourceError)?.kind == .refused
            return check(
                source, isRefused ? .refused(reason) : .cannotConnect(reason), clock.now.duration(since: begin),
                help: (error as? SourceError)?.help)
        }
    }

    /// The time of the tier that gives it least.
    private func limit(of source: SourceConfig) -> Duration {
        report.plan.pipelines.flatMap(\.tiers).filter { $0.source.name.utf8.elementsEqual(source.name.utf8) }
            .map(\.policy.timeLimit).min() ?? TierPolicy.defaultTimeout
    }

    private static func reachability(
        of config: SourceConfig, since begin: Timestamp, clock: PipelineClock
    ) async throws -> (Reachability, Duration) {
        guard let source = try config.making?(SourceContext(name: config.name, clock: clock)).source else {
            return (.untried("it cannot be made"), .zero)
        }
        let result = await Result { try await source.check() }
        let duration = clock.now.duration(since: begin)
        await source.close()
        let reachability = try result.get()
        guard reachability != .unknown else { return (.untried("sources of the type \(config.type ?? "") do not tell"), .zero) }
        return (reachability, duration)
    }
}

extension SourceChecker {
    private func check(
        _ source: SourceConfig, _ outcome: SourceCheck.Outcome, _ duration: Duration, help: String? = nil
    ) -> SourceCheck {
        SourceCheck(
            source: source.name, outcome: outcome, duration: duration, diagnostic: diagnostic(of: source, outcome, help: help))
    }

    /// - Parameter advice: the advice of the source itself.
    private func diagnostic(of source: SourceConfig, _ outcome: SourceCheck.Outcome, help advice: String?) -> Diagnostic? {
        var address = source.address
        let (code, message, help): (DiagnosticCode, String, String)
        switch outcome {
        case .reachable, .limited, .untried: return nil
        case .cannotConnect(let reason):
            code = .cannotConnect
            message = "cannot connect to the source `\(source.name.shortened)`: \(reason)"
            help = advice ?? "make it reachable" + (address.map { ", or correct `\($0.field)`" } ?? "")
        case .refused(let reason):
            code = .connectionRefused
            message = "the source `\(source.name.shortened)` refuses: \(reason)"
            // What is asked for is refused, and not who asks.
            address = source.query ?? address
            help =
                advice ?? source.query.map { "correct `\($0.field)`" } ?? "correct the credentials or certificates that it is given"
        }
        let related = address?.related ?? source.place.uses.reversed().map { Diagnostic.Related.use(at: $0) }
        return Diagnostic(
            code, message, file: report.file, range: address?.range ?? source.range, help: help, related: related
        ).redacted(redactor.redactedInQuotes, strictly: redactor.redacted)
    }
}

extension Reachability {
    fileprivate func outcome(_ redactor: SecretMask) -> SourceCheck.Outcome {
        switch self {
        case .reachable: .reachable
        case .limited(let reason): .limited(redactor.redacted(reason))
        case .untried(let reason): .untried(reason)
        case .unknown: .untried("it cannot tell")
        }
    }
}

extension ConfigReport {
    /// Looks for every source whose fields are sound, all at once, each within the shortest time limit that it has in the file.
    ///
    /// Sources are opened for reading, and nothing is written or created; one that cannot tell is untried.
    public func checkSources(clock: PipelineClock = .system) async -> [SourceCheck] {
        await SourceChecker(self, clock: clock).checks()
    }
}

/// The result of looking for one source of a configuration.
public struct SourceCheck: Sendable {
    /// The outcome of the look.
    ///
    /// New cases may come: switch with a `default`.
    public enum Outcome: Sendable, Hashable {
        /// The source answered, or it is at hand.
        case reachable
        /// The source answered and can be used, but something that is not essential fails, for this reason.
        case limited(String)
        /// Nothing could be tried, for this reason.
        case untried(String)
        /// The source could not be reached, for this reason.
        case cannotConnect(String)
        /// The source was reached and refused, for this reason.
        case refused(String)
    }

    /// The name of the source.
    public let source: String
    /// The outcome of the look; reasons are without secrets.
    public let outcome: Outcome
    /// The time it took to find out.
    public let duration: Duration
    /// The problem at its place in the file; nil when there is none.
    public let diagnostic: Diagnostic?
}
