internal import ArgumentParser
internal import Dispatch
internal import Logging
internal import Pipeline
internal import PipelineConfig
internal import PipelineServer
internal import PipelineYAML
private import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The configuration that `serve` runs. It can be read again at any time: the pipelines of the file as it is then take over.
actor FollowedConfig {
    /// The pipelines that requests are answered with.
    nonisolated let served: ServedPipelines
    private let path: String
    private let swapped: Set<String>
    /// Which of its sends clients may ask for.
    private let allowance: SendAllowance
    private var running: RunningConfig
    /// The last reading, good or bad.
    private var reading: Reading
    /// Counts the readings: what an earlier one comes to is dropped.
    private var number = 0
    /// The number of readings under way, and whether there is to be another one when one of them has ended.
    private var atWork = 0
    private var isAskedAgain = false
    private let secrets: FollowedSecrets
    private let pipelineMetrics: PipelineMetrics
    private let metrics: ReloadMetrics
    private let logger: Logger?
    private let manager: ServiceManager
    private var hasEnded = false
    private let clock = PipelineClock.system

    /// A file as it was read, with the variables and files that it names at that moment.
    private struct Reading {
        let file: ConfigFile
        let record = EnvironmentRecord()

        /// Understands the text that was read.
        ///
        /// - Parameters:
        ///   - swapped: the sources that others take the place of, which may lack a variable or a file.
        ///   - allowance: which sends clients may ask for.
        func understood(by plugins: [SourcePlugin], swapped: Set<String>, allowing allowance: SendAllowance) -> Understood {
            let environment = record.of(.process)
            let report = file.report(plugins: plugins, environment: environment).allowingLacks(of: swapped.contains)
            let sends = Result { () throws(SendAllowance.Problem) in try allowance.sends(of: report.plan, reading: environment) }
            guard !report.diagnostics.hasErrors else { return Understood(report: report, effective: nil, sends: sends) }
            return Understood(
                report: report, effective: EffectiveConfig(report, folder: file.folder, plugins: plugins, environment: environment),
                sends: sends)
        }

        /// Returns what was understood. With errors in it, prints them and exits with 2.
        func checked(_ understood: Understood) throws -> (ConfigReport, EffectiveConfig) {
            try ConfigOptions.check(understood.report, of: file)
            guard let effective = understood.effective else { throw ExitStatus.badConfiguration }
            return (understood.report, effective)
        }
    }

    private struct Understood: Sendable {
        let report: ConfigReport
        /// The configuration that holds; nil if there are errors.
        let effective: EffectiveConfig?
        /// The sends that clients may ask for.
        let sends: Result<ServedSends, SendAllowance.Problem>
    }

    /// The result of `work`, which computes for as long as a file is large: on a thread of its own, so that it holds up nothing, and
    /// nothing waits for it that is told to stop.
    static func apart<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        let done = Race<Value>()
        DispatchQueue(label: "pipe-run.configuration").async { done.finish(Result { try work() }) }
        return try await done.value()
    }

    /// Reads the file at `path`. With errors in it, prints them and exits with 2.
    ///
    /// - Parameters:
    ///   - swaps: sources that others take the place of, also when it is read again.
    ///   - allowance: which of its sends clients may ask for. Exits with 64 for one that it does not have, and for a token that cannot be read.
    ///   - observer: receives the events besides metrics and log.
    init(
        _ path: String, swapping swaps: SourceSwaps = .none, allowing allowance: SendAllowance = SendAllowance(),
        observing observer: PipelineEvent.Observer? = nil,
        metrics factory: PrometheusRegistry, logger: Logger?, manager: ServiceManager
    ) throws {
        reading = Reading(file: try ConfigPaths.file(at: path))
        let understood = reading.understood(by: Program.plugins, swapped: swaps.replaced, allowing: allowance)
        let (report, effective) = try reading.checked(understood)
        let sends = try Self.sends(of: understood, allowing: allowance)
        let secrets = FollowedSecrets(report, sends)
        self.secrets = secrets
        pipelineMetrics = PipelineMetrics(plan: report.plan, factory: factory)
        metrics = ReloadMetrics(factory: factory)
        let observers =
            [pipelineMetrics.observer, logger.map { PipelineLog($0, masking: secrets.redactor).observer } ?? OutboxWarning.observer]
            + (observer.map { [$0] } ?? [])
        do {
            running = try SwapOptions.checking {
                try RunningConfig(report, effective, redactor: secrets.redactor, swapping: swaps, observers: observers)
            }
        } catch let error as ExitCode {
            throw error
        } catch {
            Console.say(error, masking: report.redactor)
            throw ExitStatus.badConfiguration
        }
        served = ServedPipelines(running.pipelines, sends: sends)
        self.path = path
        swapped = swaps.replaced
        self.allowance = allowance
        self.logger = logger
        self.manager = manager
    }

    /// The sends that clients may ask for from the start. Exits with 64 if the options do not fit the file.
    private static func sends(of understood: Understood, allowing allowance: SendAllowance) throws -> ServedSends {
        do {
            try allowance.check(understood.report.plan)
            return try understood.sends.get()
        } catch {
            throw Usage.failure(error.message, help: error.help)
        }
    }

    /// The number of readings under way at a time: a good file need not wait for a large one before it.
    private static let mostAtWork = 2

    /// Reads the file again, and returns when that is done, or a later reading has begun. A configuration that cannot be used is reported on
    /// standard error, and the one before goes on.
    func reload() async {
        guard !hasEnded else { return }
        manager.beginReload()
        await read()
        manager.endReload()
    }

    private func read() async {
        guard path != "-" else {
            return fail("standard input cannot be read again")
        }
        guard atWork < Self.mostAtWork else { return isAskedAgain = true }
        let reading = Reading(file: ConfigFile(path: path))
        self.reading = reading
        number += 1
        let own = number
        atWork += 1
        let understood = try? await Self.apart { [plugins = Program.plugins, swapped, allowance] in
            reading.understood(by: plugins, swapped: swapped, allowing: allowance)
        }
        atWork -= 1
        if let understood, own == number, !hasEnded { follow(reading, understood) }
        guard isAskedAgain, !Task.isCancelled else { return }
        isAskedAgain = false
        await read()
    }

    private func follow(_ reading: Reading, _ understood: Understood) {
        do {
            let (report, effective) = try reading.checked(understood)
            let sends = try understood.sends.get()
            // Before a pipeline can report anything.
            secrets.add(report, sends)
            running = try running.succeeded(by: report, effective)
            pipelineMetrics.show(report.plan)
            served.replace(by: running.pipelines, sends: sends)
            running.pipelines.startListening()
            pipelineMetrics.showOnly(report.plan)
            metrics.note(clock.wall())
            manager.note(nil)
            if let logger { logger.notice("reload", metadata: ["outcome": "success"]) } else { Console.error.writeLine("reloaded \(path)") }
        } catch is ExitCode {
            fail("the configuration has errors", first: understood.report.diagnostics.first { $0.severity == .error })
        } catch {
            fail(secrets.redactor.redacted((error as? UsageError)?.message ?? "\(error)"))
        }
    }

    /// The pipelines to shut down: none takes over from them any more.
    func end() -> Pipelines {
        hasEnded = true
        return running.pipelines
    }

    /// - Parameter first: the first error of the file.
    private func fail(_ reason: String, first: Diagnostic? = nil) {
        metrics.note(nil)
        manager.note(secrets.redactor.redacted("not reloaded: \(first.map { "\(path): \($0.message)" } ?? reason)"))
        logger?.warning("reload", metadata: ["outcome": "failed", "reason": .string(reason.printable)])
        Console.say("not reloaded: \(reason)", help: "the configuration before stays in use")
    }
}

// Looking for changes.
extension FollowedConfig {
    /// The time between two looks for a change of a file.
    private static let look = Duration.seconds(1)
    /// The time for which a file that changed must stay as it is before it is read.
    private static let quiet = Duration.milliseconds(100)

    /// Reads the configuration again whenever its file has another content, or one of the files that `${file:…}` names in it. Ends when the
    /// task is cancelled.
    nonisolated func followChanges() async {
        var known: [FileIdentity?] = []
        var wasMissing = false
        await withDiscardingTaskGroup { group in
            while (try? await clock.sleep(for: Self.look)) != nil {
                let paths = await paths
                guard FileIdentity.of(paths) != known, let identities = await quietIdentities(of: paths) else { continue }
                // A file that is being replaced is gone for a moment.
                let isMissing = identities.contains(nil)
                defer { wasMissing = isMissing }
                if isMissing, !wasMissing { continue }
                known = identities
                if await isOutdated { group.addTask { await self.reload() } }
            }
            group.cancelAll()
        }
    }

    /// The files that count.
    private var paths: [String] { [path] + reading.record.files }

    /// Indicates whether the files have changed since the last reading.
    private var isOutdated: Bool {
        let file = ConfigFile(path: path)
        return file.text != reading.file.text || file.isReadable != reading.file.isReadable || reading.record.isOutdated(in: .process)
    }

    /// The identities of the files when they have stayed so for a moment; nil if they go on changing.
    private nonisolated func quietIdentities(of paths: [String]) async -> [FileIdentity?]? {
        var before = FileIdentity.of(paths)
        for _ in 0..<10 {
            guard (try? await clock.sleep(for: Self.quiet)) != nil else { return nil }
            let now = FileIdentity.of(paths)
            if now == before { return now }
            before = now
        }
        return nil
    }
}

/// Masks the secrets of a configuration that is read again: those that hold now, and those of before, which fetches under way may still
/// report.
struct FollowedSecrets {
    /// The number of configurations that are remembered.
    private static let most = 4

    private final class Masks: Sendable {
        let all: Mutex<[(secrets: Set<String>, redactor: Redactor)]>

        init(_ report: ConfigReport, _ sends: ServedSends) {
            all = Mutex([FollowedSecrets.mask(report, sends)])
        }
    }

    private let masks: Masks
    /// Masks the secrets of now and of before, wherever it was handed to.
    let redactor: Redactor

    /// - Parameter sends: the sends that clients may ask for, whose token is a secret.
    init(_ report: ConfigReport, _ sends: ServedSends) {
        let masks = Masks(report, sends)
        self.masks = masks
        redactor = Redactor { text in masks.all.withLock { $0 }.reduce(text) { $1.redactor.redacted($0) } }
        Self.hide(sends)
    }

    /// Masks the secrets of `report` and `sends`, too.
    func add(_ report: ConfigReport, _ sends: ServedSends) {
        let mask = Self.mask(report, sends)
        let isHidden = masks.all.withLock { masks in
            defer { masks = Array(masks.filter { $0.secrets != mask.secrets }.suffix(Self.most - 1)) + [mask] }
            return masks.contains { $0.secrets.isSuperset(of: sends.secrets) }
        }
        if !isHidden { Self.hide(sends) }
    }

    /// Masks the token on standard error, too, as the secrets of a report are where it is checked.
    private static func hide(_ sends: ServedSends) {
        if !sends.secrets.isEmpty { Console.mask(by: sends.redactor) }
    }

    private static func mask(_ report: ConfigReport, _ sends: ServedSends) -> (secrets: Set<String>, redactor: Redactor) {
        let (ofReport, ofSends) = (report.redactor, sends.redactor)
        return (report.secrets.union(sends.secrets), Redactor { ofSends.redacted(ofReport.redacted($0)) })
    }
}

/// The identity of the file at a path, and the moment when it changed last: another identity means that its content may be another.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: [Int]

    /// Follows links. Nil if there is no file.
    private init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        seconds = [modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec]
    }

    /// The files at `paths`; nil for each that there is not.
    static func of(_ paths: [String]) -> [FileIdentity?] { paths.map(FileIdentity.init) }
}
