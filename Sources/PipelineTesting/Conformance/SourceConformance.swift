public import Pipeline

/// Checks any source against the contract of ``Source`` and ``WritableSource``.
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
    /// What a cache does wrong; empty when it keeps the contract. A ``SharedSource`` that shares flights is asked for leases, too.
    ///
    /// - Parameters:
    ///   - capabilities: those of its plugin. What it does not claim is not checked.
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

    /// What an origin does wrong; empty when it keeps the contract.
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
