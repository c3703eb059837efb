public import Pipeline
import Synchronization

/// Checks any source against the contract of `Source` and `WritableSource`.
///
/// The result is what the source does wrong, so that every test framework can ask for none:
///
/// ```swift
/// let violations = await SourceConformance.ofCache(capabilities: SourcePlugin.redis.capabilities, clock: .system) {
///     try await RedisSource(url: server.freshDatabase())
/// }
/// #expect(violations.isEmpty)
/// ```
public enum SourceConformance {
    /// The faults of a cache; empty if it keeps the contract. A `SharedSource` that shares flights is asked for leases, too.
    ///
    /// - Parameters:
    ///   - capabilities: the capabilities of its plugin. One that it does not claim is not checked.
    ///   - clock: the clock the source was made with. Only the times in the entries are taken from it.
    ///   - patience: the real time after which a check is given up and reported. A source on a manual clock must not sleep on it.
    ///   - make: gives a source that holds nothing, another one each time, with room for 64 keys and for 4 MiB. It is
    ///     closed after its check.
    public static func ofCache(
        capabilities: Set<Capability>, clock: PipelineClock, patience: Duration = .seconds(30),
        make: () async throws -> any WritableSource
    ) async -> [Violation] {
        await ofCache(
            capabilities: capabilities, clock: clock, patience: Patience(clock: .system, limit: patience), make: make)
    }

    package static func ofCache(
        capabilities: Set<Capability>, clock: PipelineClock, patience: Patience, make: () async throws -> any WritableSource
    ) async -> [Violation] {
        var checks =
            CacheSubject.valueChecks + CacheSubject.keyChecks + CacheSubject.concurrencyChecks
            + CacheSubject.clearingChecks + CacheSubject.leaseChecks
            + CacheSubject.renewalChecks(keepsMetadata: capabilities.contains(.keepsMetadata))
        if capabilities.contains(.listsKeys) { checks += CacheSubject.listingChecks }
        if capabilities.contains(.keepsMetadata) { checks += CacheSubject.metadataChecks }
        if capabilities.isSuperset(of: [.listsKeys, .keepsMetadata]) { checks += CacheSubject.listedMetadataChecks }
        if capabilities.contains(.keepsNotFound) {
            checks += CacheSubject.notFoundChecks(keepsMetadata: capabilities.contains(.keepsMetadata))
        }
        return await run(checks, patience: patience) {
            CacheSubject(source: try await make(), clock: clock)
        }
    }

    /// The faults of an origin; empty if it keeps the contract.
    ///
    /// Cancellation during a wait can be checked only where the origin waits: let the server behind it be slow for one more test.
    ///
    /// - Parameters:
    ///   - patience: the real time after which a check is given up and reported.
    ///   - make: gives an origin, another one each time. It is closed after its check.
    ///   - existing: a key that it has a value for. Where it has parameters, the origin must depend on at least one of them:
    ///     odd values for all of them at once must not give the same value.
    ///   - expected: the payload of that value.
    ///   - missing: a key that it has no value for.
    public static func ofOrigin(
        patience: Duration = .seconds(30), make: () async throws -> any Source, existing: Key, expected: [UInt8], missing: Key
    ) async -> [Violation] {
        await ofOrigin(
            patience: Patience(clock: .system, limit: patience), make: make, existing: existing, expected: expected,
            missing: missing)
    }

    package static func ofOrigin(
        patience: Patience, make: () async throws -> any Source, existing: Key, expected: [UInt8], missing: Key
    ) async -> [Violation] {
        await run(OriginSubject.checks + OriginSubject.revalidationChecks, patience: patience) {
            OriginSubject(source: try await make(), existing: existing, expected: expected, missing: missing)
        }
    }

    private static func run<Subject: ConformanceSubject>(
        _ checks: [ConformanceCheck<Subject>], patience: Patience, make: () async throws -> Subject
    ) async -> [Violation] {
        var violations: [Violation] = []
        for check in checks {
            let findings = Findings()
            do {
                let subject = try await make()
                // Ends with its check, or is left behind, cancelled, when the source hangs.
                let task = Task { try await check.body(subject, findings) }
                switch await patience.result(of: task) {
                case .success: await subject.close()
                case .failure(let error):
                    findings.note("an operation failed with: \(error)")
                    await subject.close()
                case nil:
                    findings.note("an operation did not end within \(patience.limit)")
                }
            } catch {
                findings.note("the source could not be made: \(error)")
            }
            violations += findings.sentences.map { Violation(name: check.name, sentence: $0) }
        }
        return violations
    }
}

extension SourceConformance {
    /// One thing that a source does against the contract.
    public struct Violation: Sendable, Hashable {
        /// The part of the contract: `miss is nil`.
        public let name: String
        /// The fault of the source in words, lower case, without a full stop.
        public let sentence: String
    }
}

extension SourceConformance.Violation: CustomStringConvertible {
    /// `NAME: SENTENCE`.
    public var description: String { "\(name): \(sentence)" }
}

/// The time a check may take.
package struct Patience: Sendable {
    let clock: PipelineClock
    let limit: Duration

    package init(clock: PipelineClock, limit: Duration) {
        self.clock = clock
        self.limit = limit
    }

    /// The result of `task`; nil if the time is over first: the task is then cancelled and left behind.
    ///
    /// A task measures the time, not an alarm of the clock: where all threads are busy, both tasks come late, and only a task that never ends
    /// counts as slow.
    func result(of task: Task<Void, any Error>) async -> Result<Void, any Error>? {
        let race = Race<Result<Void, any Error>?>()
        // The first ends with the task, the second is cancelled below.
        Task { race.finish(.success(await task.result)) }
        let timer = Task {
            try await clock.sleep(for: limit)
            race.finish(.success(nil))
        }
        defer { timer.cancel() }
        let result = try? await race.value()
        if result == nil { task.cancel() }
        return result ?? nil
    }
}

/// One part of the contract, tried on a source of its own.
struct ConformanceCheck<Subject: ConformanceSubject>: Sendable {
    let name: String
    /// Notes what is wrong. An error that it throws is a violation, too: the source failed where it had to work.
    let body: @Sendable (Subject, Findings) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (Subject, Findings) async throws -> Void) {
        self.name = name
        self.body = body
    }
}

/// A source and what its checks need to know.
protocol ConformanceSubject: Sendable {
    /// Lets go of what the source holds open.
    func close() async
}

/// The sentences of one check; tasks that run at the same time may add to it.
final class Findings: Sendable {
    private let noted = Mutex<[String]>([])

    var sentences: [String] { noted.withLock { $0 } }

    func note(_ sentence: String) {
        noted.withLock { $0.append(sentence) }
    }

    func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) {
        if !condition { note(sentence()) }
    }
}
