import Pipeline
import PipelineConfig
import Testing

/// What `--allow` and `--deny` do.
@Suite struct DiagnosticFilterTests {
    private static let diagnostics = Reading.report(
        """
        sources: { m: { type: memory }, spare: { type: memory } }
        pipelines: { p: { tiers: [m], not_found_ttl: soon } }
        """
    ).diagnostics

    private static func summary(_ diagnostics: [Diagnostic]) -> [String] {
        diagnostics.map { "\($0.severity.rawValue) \($0.code.rawValue)" }
    }

    @Test func `what is allowed is dropped, what is denied is an error, the rest stays`() throws {
        #expect(Self.summary(Self.diagnostics) == ["warning P203", "warning P304", "error P105"])

        let filter = try DiagnosticFilter(allowed: [.unusedSource], denied: [.noOrigin])

        #expect(Self.summary(filter.filtered(Self.diagnostics)) == ["error P304", "error P105"])
        #expect(try DiagnosticFilter().filtered(Self.diagnostics) == Self.diagnostics)
    }

    @Test func `an error cannot be allowed or denied, and no code both allowed and denied`() {
        #expect(throws: DiagnosticFilter.Problem.allowedError(.undefinedSource)) {
            try DiagnosticFilter(allowed: [.undefinedSource, .noOrigin])
        }
        #expect(throws: DiagnosticFilter.Problem.deniedError(.undefinedSource)) {
            try DiagnosticFilter(denied: [.undefinedSource, .noOrigin])
        }
        #expect(throws: DiagnosticFilter.Problem.contradiction(.noOrigin)) {
            try DiagnosticFilter(allowed: [.noOrigin], denied: [.noOrigin])
        }
    }
}
