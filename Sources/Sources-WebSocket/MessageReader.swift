import NIOCore
import NIOWebSocket
import Pipeline
import PipelineJSON
import PipelineLive

/// Puts messages together from the frames of a server (RFC 6455, sections 5 and 8.1). Pure.
///
/// It keeps at most the text of one message. After ``Item/fault(_:_:)`` and ``Item/close(_:_:)`` there is nothing more to read.
struct MessageReader {
    /// The item that a frame comes to.
    enum Item: Equatable {
        /// A part of a message.
        case part
        /// A complete message.
        case message([UInt8])
        /// A complete message that is not text.
        case binary
        /// A ping, to be answered with a pong of the same bytes.
        case ping([UInt8])
        case pong
        /// The server closes, with a code and words.
        case close(Int, String)
        /// The server breaks the protocol: the code to close with, and why.
        case fault(Int, String)
    }

    private enum Kind {
        case text
        case binary
    }

    private let limit: Int
    private let tooLong: String
    /// The kind of the message that has begun.
    private var kind: Kind?
    private var size = 0
    private var text: [UInt8] = []
    /// The number of bytes of the text that are complete characters.
    private var checked = 0

    /// A reader of messages of up to `limit` bytes.
    init(limit: Int, tooLong: String = "a message is too long") {
        self.limit = limit
        self.tooLong = tooLong
    }

    /// Takes the next frame.
    mutating func read(_ frame: WebSocketFrame) -> Item {
        guard frame.maskKey == nil else { return fault("it masks its frames") }
        guard frame.reservedBits.isEmpty else { return fault("a reserved bit is set in a frame") }
        switch frame.opcode {
        case .text: return begin(.text, with: frame)
        case .binary: return begin(.binary, with: frame)
        case .continuation:
            guard kind != nil else { return fault("a frame continues a message that has not begun") }
            return proceed(with: frame)
        case .ping, .pong, .connectionClose:
            guard frame.fin, frame.data.readableBytes <= 125 else { return fault("a control frame is fragmented, or too long") }
            let bytes = Array(frame.data.readableBytesView)
            return frame.opcode == .ping ? .ping(bytes) : frame.opcode == .pong ? .pong : close(bytes)
        default: return fault("a frame has the unknown opcode \(UInt8(webSocketOpcode: frame.opcode))")
        }
    }

    private func fault(_ words: String) -> Item {
        .fault(CloseCode.protocolError.number, "the server breaks the protocol: \(words)")
    }

    private mutating func begin(_ kind: Kind, with frame: WebSocketFrame) -> Item {
        guard self.kind == nil else { return fault("a message begins inside another one") }
        self.kind = kind
        return proceed(with: frame)
    }

    private mutating func proceed(with frame: WebSocketFrame) -> Item {
        guard frame.data.readableBytes <= limit - size else { return .fault(CloseCode.tooLarge.number, tooLong) }
        size += frame.data.readableBytes
        if kind == .text {
            text += frame.data.readableBytesView
            guard isText(whole: frame.fin) else { return .fault(CloseCode.notText.number, "a message is not UTF-8") }
        }
        guard frame.fin else { return .part }
        defer { (kind, size, text, checked) = (nil, 0, [], 0) }
        return kind == .text ? .message(text) : .binary
    }

    /// Indicates whether the text is UTF-8 as far as it has come; its last character may be cut unless it is `whole`.
    private mutating func isText(whole: Bool) -> Bool {
        let rest = text[checked...].withUnsafeBufferPointer { bytes in
            UTF8Scanner.firstInvalid(in: bytes).map { Array(bytes[$0...].prefix(4)) }
        }
        guard let rest else {
            checked = text.count
            return true
        }
        checked = text.count - rest.count
        return !whole && rest.count < 4 && Self.canBegin(rest)
    }

    /// Indicates whether `bytes` can be the beginning of a character: one of the bytes that may come second completes it.
    private static func canBegin(_ bytes: [UInt8]) -> Bool {
        [0x80, 0x90, 0xA0].contains { second in
            (bytes + [second, 0x80, 0x80]).withUnsafeBufferPointer { UTF8Scanner.firstInvalid(in: $0) != 0 }
        }
    }

    private func close(_ bytes: [UInt8]) -> Item {
        guard let first = bytes.first else { return .close(CloseCode.none.number, "") }
        guard bytes.count >= 2 else { return fault("it closes with half a code") }
        let code = CloseCode(number: Int(first) << 8 | Int(bytes[1]))
        guard code.isSendable else { return fault("it closes with the code \(code.number)") }
        let words = bytes.dropFirst(2)
        guard let text = String(validating: words, as: UTF8.self) else {
            return .fault(CloseCode.notText.number, "the words of a close frame are not UTF-8")
        }
        return .close(code.number, text)
    }
}

/// The reason why a connection was closed, as a number (RFC 6455, section 7.4, and IANA's registry).
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

    /// Indicates whether a peer may send it.
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
