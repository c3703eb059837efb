@testable public import Pipeline
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

extension HTTPSource {
    /// What a read of `key` fails with, in words; the payload when it does not.
    func failure(_ key: Key = Key(pipeline: "friends")) async -> String {
        do {
            let entry = try await read(key)
            return "no failure but \(entry?.payload.map { String(decoding: $0.prefix(100), as: UTF8.self) } ?? "not found")"
        } catch {
            return "\(error)"
        }
    }

    /// The payload of `key` as text; nil when there is none.
    func text(_ key: Key = Key(pipeline: "friends")) async throws -> String? {
        try await read(key)?.payload.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Key {
    /// A key with the parameter `user`.
    static func user(_ value: String) -> Key { Key(pipeline: "friends", parameters: ["user": value]) }
}
