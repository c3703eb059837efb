import Pipeline

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
