import Pipeline
import PipelineConfig
import Synchronization

/// A source whose check does what a test says.
final class CheckedSource: CheckableSource, ConnectableSource {
    typealias Check = @Sendable (_ name: String) async throws -> Reachability

    private let name: String
    private let body: Check
    private let onClose: @Sendable () -> Void

    init(_ name: String, _ body: @escaping Check, onClose: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
        self.onClose = onClose
    }

    func read(_ key: Key) async throws -> Entry? { nil }
    func connect() async throws {}
    func close() async { onClose() }
    func check() async throws -> Reachability { try await body(name) }
}

extension SourcePlugin {
    /// The plugin `checked`: sources with a URL and a password, whose checks do `body`.
    static func checked(onClose: @escaping @Sendable () -> Void = {}, _ body: @escaping CheckedSource.Check) -> SourcePlugin {
        SourcePlugin(
            "checked", summary: "Does what a test says.", fields: Field<URLTemplate>("url", "Where it is."),
            Field("password", default: SecretTemplate?.none, "What it asks for.")
        ) { context, _, _ in
            CheckedSource(context.name, body, onClose: onClose)
        }
    }
}
