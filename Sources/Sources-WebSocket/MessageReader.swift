import NIOCore
import NIOWebSocket
import PipelineJSON

/// Puts messages together from the frames of a server (RFC 6455, sections 5 and 8.1). Pure.
///
/// It keeps at most the text of one message. After ``Item/fault(_:_:)`` and ``Item/close(_:_:)`` there is nothing more to read.
struct MessageReader {
    /// What a frame comes to.
    enum Item: Equatable {
        /// A part of a message.
        case part
        /// A whole message.
        case message([UInt8])
        /// A whole message that is not text.
        case binary
        /// To be answered with a pong of the same bytes.
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
    /// So many bytes of the text are whole characters.
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

    /// Whether the text is UTF-8 as far as it has come; its last character may be cut unless it is `whole`.
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

    /// Whether `bytes` can be the beginning of a character: one of the bytes that may come second makes it whole.
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
