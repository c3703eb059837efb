internal import NIOHTTP1
internal import Pipeline
import PipelineSockets
private import Synchronization

/// The head of a request that can be answered, and its body if that is read.
struct ClientRequest: Equatable, Sendable {
    /// The reason why a head is refused.
    struct Problem: Error, Equatable {
        let status: HTTPResponseStatus
        let message: String

        /// The problem of a head that had not come when the time for it was over.
        static let headTimeout = Problem(status: .requestTimeout, message: "the head of the request did not come in time")

        /// The problem of a body that had not come when the time for it was over.
        static let bodyTimeout = Problem(status: .requestTimeout, message: "the body of the request did not come in time")
    }

    let method: HTTPMethod
    /// Path and query as the client wrote them: `/friends?user=42`.
    let target: String
    let headers: HTTPHeaders
    /// Indicates whether the client knows HTTP/1.1, and so answers whose length is not said before.
    let isChunkable: Bool
    /// Indicates whether further requests may follow on the connection.
    let keepsAlive: Bool
    /// Indicates whether the client has to be told that the connection stays open.
    let namesKeepAlive: Bool
    /// Indicates whether the client wants to be told to go on before it sends the body (RFC 9110, section 10.1.1).
    let expectsContinue: Bool
    /// The body; nil for one that is not read, and is dropped as it comes.
    var body: RequestBody?

    /// The length of the body, as far as it is said; nil if it comes in chunks.
    var length: Int? { headers.statedLength }

    /// Indicates whether the request is to change something.
    var isWrite: Bool {
        switch method {
        case .POST, .PUT, .PATCH, .DELETE: true
        default: false
        }
    }

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
        // RFC 9112, section 6.1: what comes after it cannot be told from it.
        if isOld, headers.contains(name: "transfer-encoding") {
            throw Problem(status: .badRequest, message: "a request of HTTP/1.0 has no transfer coding")
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
        expectsContinue = !isOld && headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// - Parameter authority: the authority of a target that is an absolute URL. It counts in the place of the field, which must be in
    ///   order all the same.
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

extension HTTPHeaders {
    /// The length of the body; nil if it comes in chunks.
    var statedLength: Int? {
        if contains(name: "transfer-encoding") { return nil }
        return first(name: "content-length").flatMap { Int($0) } ?? 0
    }
}

extension ClientRequest.Problem {
    /// The number of bytes that tell what a client speaks.
    static let openingLength = 6

    /// Makes the problem of bytes that are no request of HTTP/1.1.
    ///
    /// - Parameters:
    ///   - reason: the parser's words.
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

/// The parts of a request target that is an absolute URL, as a client sends to a proxy: `http://localhost/friends?user=42` (RFC 9112,
/// section 3.2.2).
struct AbsoluteTarget {
    /// The host, and the port where one is given.
    let authority: String
    /// Path and query, as a client that knows of no proxy writes them.
    let target: String

    /// Reads a target; nil for one of another form.
    init?(_ text: String) {
        // Most begin with the path.
        guard text.utf8.first != UInt8(ascii: "/") else { return nil }
        let begin = text.prefix("https://".count).lowercased()
        guard let scheme = ["http://", "https://"].first(where: begin.hasPrefix) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest[authority.endIndex...]
        self.authority = String(authority)
        target = path.hasPrefix("/") ? String(path) : "/" + path
    }
}

/// The body of a request, which is kept as it comes, within a bound of its own and one for those of all requests.
final class RequestBody: Sendable {
    /// The reason why a body is not kept.
    enum Problem {
        case tooLarge
        /// The bodies of other requests take the room.
        case noRoom
    }

    private struct State {
        var bytes: [UInt8] = []
        var problem: Problem?
    }

    private let most: Int
    private let room: BodyRoom
    private let state = Mutex(State())

    /// - Parameter most: the most bytes that are kept.
    init(most: Int, in room: BodyRoom) { (self.most, self.room) = (most, room) }

    deinit { room.giveBack(count) }

    /// The bytes up to now; none if there is a problem.
    var bytes: [UInt8] { state.withLock(\.bytes) }

    /// The number of bytes up to now.
    var count: Int { state.withLock { $0.bytes.count } }

    /// The reason why the body is not kept; nil if it is.
    var problem: Problem? { state.withLock(\.problem) }

    /// Forgets the bytes, and gives their room to others.
    func release() {
        state.withLock { state in
            room.giveBack(state.bytes.count)
            state.bytes = []
        }
    }

    /// Keeps a further part. False if there is a problem: the bytes are gone, and nothing more is kept.
    func append(_ part: some Collection<UInt8>) -> Bool {
        state.withLock { state in
            guard state.problem == nil else { return false }
            let count = state.bytes.count
            if count + part.count > most {
                state.problem = .tooLarge
            } else if room.take(part.count, beside: count) {
                state.bytes.append(contentsOf: part)
                return true
            } else {
                state.problem = .noRoom
            }
            state.bytes = []
            room.giveBack(count)
            return false
        }
    }
}

extension RequestBody: Equatable {
    static func == (left: RequestBody, right: RequestBody) -> Bool { left === right }
}

/// The room that the bodies of all requests of a server have.
final class BodyRoom: Sendable {
    private let limit: Int
    private let taken = Mutex(0)

    /// - Parameter limit: in bytes.
    init(limit: Int) { self.limit = limit }

    /// Takes room for a further part of a body, of which `count` bytes are there. One body alone always has room: it has a bound of its own.
    func take(_ part: Int, beside count: Int) -> Bool {
        taken.withLock { taken in
            guard taken == count || taken + part <= limit else { return false }
            taken += part
            return true
        }
    }

    func giveBack(_ count: Int) { taken.withLock { $0 -= count } }
}
