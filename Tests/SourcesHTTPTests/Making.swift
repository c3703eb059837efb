import Pipeline
@testable public import PipelineConfig

@testable import SourcesHTTP

extension URLTemplate {
    /// The template as a file would have it.
    static func written(_ text: String) throws -> URLTemplate {
        try parse(InterpolatedText(pieces: [.literal(text, offset: 0)]))
    }
}

extension TextTemplate: ExpressibleByStringLiteral {
    /// The template as a file would have it.
    public init(stringLiteral text: String) {
        self.init(template: Template(InterpolatedText(pieces: [.literal(text, offset: 0)]), isLenient: true))
    }
}

extension SecretTemplate: ExpressibleByStringLiteral {
    /// The template as a file would have it.
    public init(stringLiteral text: String) {
        self.init(template: Template(InterpolatedText(pieces: [.literal(text, offset: 0)]), isLenient: true))
    }
}

/// Runs `body` with a source for `url`, which is closed afterwards.
func withSource(
    _ url: String, clock: PipelineClock = .system, _ change: (inout HTTPSettings) -> Void = { _ in },
    _ body: (HTTPSource) async throws -> Void
) async throws {
    var settings = HTTPSettings(url: try .written(url))
    change(&settings)
    let source = HTTPSource(settings, clock: clock)
    do {
        try await body(source)
    } catch {
        await source.close()
        throw error
    }
    await source.close()
}

/// The same with connections that are kept for a minute, however slow the machine is: for a test that counts on the use of one.
func withKeptConnections(
    _ url: String, _ change: (inout HTTPSettings) -> Void = { _ in }, _ body: (HTTPSource) async throws -> Void
) async throws {
    try await withSource(
        url,
        {
            $0.idleLimit = .seconds(60)
            change(&$0)
        }, body)
}

extension HTTPSource: TestedOrigin {}
