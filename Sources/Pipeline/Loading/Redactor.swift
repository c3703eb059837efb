/// Masks the secrets of a configuration in texts that people get to read.
public struct Redactor: Sendable {
    private let secrets: [String]

    /// A redactor of `secrets`; longer ones are masked first, so that a secret within another leaves nothing of it.
    public init(_ secrets: some Collection<String> = []) {
        self.secrets = secrets.filter { !$0.isEmpty }.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    /// `text` with every secret replaced by `***`.
    public func redacted(_ text: String) -> String {
        secrets.reduce(text) { $0.replacing($1) }
    }
}

extension String {
    fileprivate func replacing(_ secret: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.range(of: secret) {
            result += rest[..<range.lowerBound] + "***"
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
