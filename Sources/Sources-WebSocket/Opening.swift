import NIOCore
import NIOHTTP1
import NIOWebSocket
import Pipeline
import PipelineLive
import PipelineSockets

/// The request that opens a connection, and what is made of its answer (RFC 6455, section 4). Pure.
struct Opening: Sendable {
    /// The URL, with the scheme of HTTP.
    let url: HTTPURL
    /// The configured fields and the defaults.
    let headers: HTTPHeaders
    /// The messages that are sent once the connection stands.
    private(set) var messages: [[UInt8]]

    /// The fields that the handshake itself sends.
    static let reserved: Set<String> = [
        "connection", "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions", "sec-websocket-accept",
    ]

    /// The URL in messages, without its query.
    var place: String { "ws" + url.place.dropFirst("http".count) }

    /// This handshake, with nothing to send after it.
    var withoutMessages: Opening {
        var copy = self
        copy.messages = []
        return copy
    }

    /// The text that two connections have in common that can be one.
    var channel: String {
        let fields = headers.map { "\($0.name): \($0.value)" }
        return ([url.text] + fields + [""] + messages.map { String(decoding: $0, as: UTF8.self) }).joined(separator: "\n")
    }

    /// The request, whose key is random.
    func request(key: String) -> ByteBuffer {
        var target = url.path
        if let query = url.query { target += "?" + query }
        let isStandard = url.port == (url.scheme == .https ? 443 : 80)
        var fields = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13")]
        if !headers.contains(name: "Host") { fields.insert(("Host", isStandard ? url.host : url.authority), at: 0) }
        fields += headers.map { ($0.name, $0.value) }
        return ByteBuffer(string: "GET \(target) HTTP/1.1\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n")
    }

    /// The ending that the answer means; nil if the connection is open.
    func ending(of answer: HTTPResponseHead, key: String, wall: Timestamp) -> LiveEnding? {
        let status = Int(answer.status.code)
        switch status {
        case 101:
            return problem(of: answer, key: key).map {
                LiveEnding(.faulty, "the handshake with \(place) failed: \($0)", help: "correct `url`, or the server")
            }
        case 200...299: return LiveEnding(.refused, "status \(status) from \(place): there is no WebSocket", help: "correct `url`")
        case 300...399:
            return LiveEnding(
                .refused, "status \(status) from \(place): redirects are not followed; write the URL that it leads to",
                help: "write the URL that it leads to as `url`")
        default: return LiveEnding(status: status, headers: answer.headers, from: place, wall: wall)
        }
    }

    /// The problem of a `101`.
    private func problem(of answer: HTTPResponseHead, key: String) -> String? {
        let fields = answer.headers
        guard fields[canonicalForm: "upgrade"].map({ $0.lowercased() }) == ["websocket"],
            fields[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" })
        else { return "the answer does not change to WebSocket" }
        let upgrader = NIOWebSocketClientUpgrader(requestKey: key) { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        guard upgrader.shouldAllowUpgrade(upgradeResponse: answer) else { return "`Sec-WebSocket-Accept` does not belong to the request" }
        guard !fields.contains(name: "Sec-WebSocket-Extensions") else { return "the server uses an extension that was not asked for" }
        let offered = headers[canonicalForm: "sec-websocket-protocol"]
        guard fields["sec-websocket-protocol"].allSatisfy({ offered.contains($0[...]) }) else {
            return "the server uses a subprotocol that was not asked for"
        }
        return nil
    }
}
