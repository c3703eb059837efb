import Pipeline

/// Why a connection was closed, as a number (RFC 6455, section 7.4, and IANA's registry).
struct CloseCode: Sendable, Hashable {
    let number: Int

    static let normal = CloseCode(number: 1_000)
    static let goingAway = CloseCode(number: 1_001)
    static let protocolError = CloseCode(number: 1_002)
    static let notText = CloseCode(number: 1_007)
    static let tooLarge = CloseCode(number: 1_009)
    static let none = CloseCode(number: 1_005)

    private static let names = [
        1_000: "normal closure", 1_001: "going away", 1_002: "protocol error", 1_003: "unsupported data", 1_005: "no status",
        1_006: "abnormal closure", 1_007: "invalid data", 1_008: "policy violation", 1_009: "message too big",
        1_010: "extension needed", 1_011: "internal error", 1_012: "service restart", 1_013: "try again later", 1_014: "bad gateway",
    ]

    /// Whether a peer may send it.
    var isSendable: Bool {
        switch number {
        case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
        default: false
        }
    }

    /// The ending when the server closes with this code and these words.
    func ending(_ words: String) -> LiveEnding {
        let name = [Self.names[number], words.isEmpty ? nil : words].compactMap(\.self).joined(separator: ": ")
        let code = self == .none ? "without a status" : "with \(number)\(name.isEmpty ? "" : " (\(name))")"
        let reason = "closed by the server \(code)"
        switch number {
        case 1_002, 1_003, 1_007, 1_009, 1_010: return LiveEnding(.faulty, reason)
        case 1_008, 4_000...4_999:
            return LiveEnding(.refused, reason, help: "correct the credentials in `headers`, or what `subscribe` sends")
        case 1_012: return LiveEnding(.lost, reason, pause: .seconds(5)...(.seconds(30)))
        default: return LiveEnding(.lost, reason)
        }
    }
}
