import NIOHTTP1
import Pipeline
import PipelineConfig
import PipelineSockets

/// Who sends a request, as a server may tell clients apart: hashes of its credentials, and never their text.
struct RequestIdentity: Sendable {
    /// Other ones in each process, so that nothing can be learned from a hash.
    private static let hasher = KeyHash(key: (.random(in: .min ... .max), .random(in: .min ... .max)))

    private let source: UInt64

    /// The identity of a source that asks `url` for `key`: what it is, and the values of the parameters that are credentials.
    init(_ method: String, _ url: URLTemplate, _ key: Key) {
        let secrets = key.parameters.filter { Credential.isBeside($0.name) }.map { "\($0.name)=\($0.value)" }
        source = Self.hash([method, url.description] + secrets)
    }

    /// The same with the credentials that are sent in fields and in the query.
    func with(_ headers: HTTPHeaders, _ url: HTTPURL) -> UInt64 {
        let fields = headers.filter { Credential.isBeside($0.name) }.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        let query = url.query?.split(separator: "&").filter { Credential.isBeside(String($0.prefix { $0 != "=" })) } ?? []
        return fields.isEmpty && query.isEmpty ? source : Self.hash(["\(source)"] + fields + query.map(String.init))
    }

    private static func hash(_ texts: [String]) -> UInt64 { hasher.hash(of: Array(texts.joined(separator: "\n").utf8)) }
}
