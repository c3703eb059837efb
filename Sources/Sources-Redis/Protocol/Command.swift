import NIOCore

/// A command as the server gets it: an array of byte strings, each with its length, so that no argument can be taken for another.
struct Command: Sendable {
    enum Argument: Sendable, ExpressibleByStringLiteral {
        case text(String)
        case bytes([UInt8])
        /// Both, one after the other.
        case pair([UInt8], [UInt8])

        init(stringLiteral text: String) { self = .text(text) }
    }

    /// The most bytes of a reply that holds no copy.
    static let shortReply = 1 << 20

    let bytes: ByteBuffer
    /// The most bytes that its reply may have.
    let replyLimit: Int

    init(_ arguments: Argument..., replyLimit: Int = shortReply) {
        self.init(arguments, replyLimit: replyLimit)
    }

    init(_ arguments: [Argument], replyLimit: Int = shortReply) {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(16 + arguments.reduce(0) { $0 + $1.count + 24 })
        buffer.writeString("*\(arguments.count)\r\n")
        for argument in arguments {
            buffer.writeString("$\(argument.count)\r\n")
            switch argument {
            case .text(let text): buffer.writeString(text)
            case .bytes(let bytes): buffer.writeBytes(bytes)
            case .pair(let first, let second):
                buffer.writeBytes(first)
                buffer.writeBytes(second)
            }
            buffer.writeString("\r\n")
        }
        bytes = buffer
        self.replyLimit = replyLimit
    }

    static let ping = Command("PING")
}

extension Command.Argument {
    fileprivate var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .pair(let first, let second): first.count + second.count
        }
    }
}
