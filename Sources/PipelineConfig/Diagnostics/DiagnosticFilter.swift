/// Which warnings and notes are left out, and which count as errors.
public struct DiagnosticFilter: Sendable {
    /// Why a filter cannot be made.
    ///
    /// New cases may come: switch with a `default`.
    public enum Problem: Error, Hashable {
        /// An error cannot be allowed.
        case allowedError(DiagnosticCode)
        /// An error is one already, and cannot be denied.
        case deniedError(DiagnosticCode)
        /// A code is allowed and denied.
        case contradiction(DiagnosticCode)
    }

    private let allowed: Set<DiagnosticCode>
    private let denied: Set<DiagnosticCode>

    /// A filter that drops the warnings and notes `allowed`, and makes errors of those `denied`.
    public init(allowed: Set<DiagnosticCode> = [], denied: Set<DiagnosticCode> = []) throws(Problem) {
        if let code = allowed.filter({ $0.severity == .error }).min(by: { $0.rawValue < $1.rawValue }) { throw .allowedError(code) }
        if let code = denied.filter({ $0.severity == .error }).min(by: { $0.rawValue < $1.rawValue }) { throw .deniedError(code) }
        if let code = allowed.intersection(denied).min(by: { $0.rawValue < $1.rawValue }) { throw .contradiction(code) }
        self.allowed = allowed
        self.denied = denied
    }

    /// What is left of `diagnostics`, in the same order.
    public func filtered(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.compactMap { diagnostic in
            if allowed.contains(diagnostic.code), diagnostic.severity != .error { return nil }
            return denied.contains(diagnostic.code) ? diagnostic.asError : diagnostic
        }
    }
}
