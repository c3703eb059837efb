package import Pipeline

/// An origin of which tests want to know what a read comes to.
package protocol TestedOrigin: Source {}

extension TestedOrigin {
    /// What a read of `key` fails with, in words; the payload when it does not.
    package func failure(_ key: Key = Key(pipeline: "friends")) async -> String {
        do {
            let entry = try await read(key)
            return "no failure but \(entry?.payload.map { String(decoding: $0.prefix(100), as: UTF8.self) } ?? "not found")"
        } catch {
            return "\(error)"
        }
    }

    /// The payload of `key` as text; nil when there is none.
    package func text(_ key: Key = Key(pipeline: "friends")) async throws -> String? {
        try await read(key)?.text
    }
}
