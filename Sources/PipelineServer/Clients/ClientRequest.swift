internal import NIOHTTP1
internal import Pipeline
import PipelineSockets

/// The head of a request that can be answered.
struct ClientRequest: Equatable, Sendable {
    /// Why a head is refused.
    struct Problem: Error, Equatable {
        let status: HTTPResponseStatus
        let message: String

        /// The time for a head was over before it had come.
        static let headTimeout = Problem(status: .requestTimeout, message: "the head of the request did not come in time")
    }

    let method: HTTPMethod
    /// Path and query as the client wrote them: `/friends?user=42`.
    let target: String
    let headers: HTTPHeaders
    /// Whether the client knows HTTP/1.1, and so answers whose length is not said before.
    let isChunkable: Bool
    /// Whether further requests may follow on the connection.
    let keepsAlive: Bool
    /// Whether the client has to be told that the connection stays open.
    let namesKeepAlive: Bool

    /// Throws what makes the head one that must not be answered (RFC 9112, sections 3.2 and 6.1).
    ///
    /// - Parameter hosts: the names that this server answers for.
    init(_ head: HTTPRequestHead, hosts: HostRule) throws(Problem) {
        let isOld = head.version.major < 1 || head.version == .http1_0
        let whole = AbsoluteTarget(head.uri)
        var headers = head.headers.trimmed
        let fields = headers[canonicalForm: "host"].map(String.init)
        try Self.check(fields, authority: whole?.authority, isRequired: !isOld, hosts: hosts)
        if let coding = Self.unknownCoding(in: headers) {
            throw Problem(status: .badRequest, message: "the transfer coding `\(coding.shortened)` is not known; `chunked` is")
        }
        method = head.method
        target = whole?.target ?? head.uri
        if let whole { headers.replaceOrAdd(name: "Host", value: whole.authority) }
        self.headers = headers
        isChunkable = !isOld
        let connection = headers[canonicalForm: "connection"].map { $0.lowercased() }
        // What follows a change of protocol is not HTTP/1.1.
        let stays = head.method != .CONNECT && !headers.contains(name: "upgrade")
        keepsAlive = stays && !connection.contains("close") && (!isOld || connection.contains("keep-alive"))
        namesKeepAlive = isOld && keepsAlive
    }

    /// - Parameter authority: of a target that is a whole URL. It counts in the place of the field, which must be in order all the same.
    private static func check(
        _ hosts: [String], authority: String?, isRequired: Bool, hosts rule: HostRule
    ) throws(Problem) {
        guard hosts.count <= 1 else { throw Problem(status: .badRequest, message: "the request has several `Host` fields") }
        if hosts.isEmpty, isRequired { throw Problem(status: .badRequest, message: "the request has no `Host` field") }
        let field = try hosts.first.map(name)
        guard let name = try authority.map(name) ?? field else { return }
        guard rule.allows(name) else {
            throw Problem(
                status: .misdirectedRequest,
                message: "this server does not answer for `\(name.shortened)`; `--allow-host \(name.shortened)` lets it")
        }
    }

    private static func name(_ host: String) throws(Problem) -> String {
        guard let name = HostRule.name(in: host) else {
            throw Problem(status: .badRequest, message: "`\(host.shortened)` is not a host")
        }
        return name
    }

    private static func unknownCoding(in headers: HTTPHeaders) -> String? {
        let codings = headers[canonicalForm: "transfer-encoding"].map(String.init)
        return codings.first { $0.lowercased() != "chunked" } ?? codings.dropFirst().first
    }
}

extension ClientRequest.Problem {
    /// So many bytes tell what a client speaks.
    static let openingLength = 6

    /// What came is no request of HTTP/1.1.
    ///
    /// - Parameters:
    ///   - reason: what the parser says.
    ///   - opening: the first bytes of the connection.
    init(unreadable reason: String, opening: [UInt8]) {
        let words =
            // A record of the type handshake (RFC 8446, section 5.1), and the connection preface of RFC 9113, section 3.4.
            if opening.starts(with: [0x16, 0x03]) {
                "a TLS handshake: this port speaks plain HTTP"
            } else if opening.starts(with: "PRI * ".utf8) {
                "HTTP/2 with prior knowledge: this server speaks HTTP/1.1"
            } else {
                "not HTTP/1.1: \(reason)"
            }
        self.init(status: .badRequest, message: "this is " + words)
    }
}
