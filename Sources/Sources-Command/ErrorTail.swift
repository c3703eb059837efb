internal import Pipeline

/// The end of what a program says on standard error, for the person who reads the trace.
struct ErrorTail {
    private let room: Int
    private var bytes: [UInt8] = []
    private var isCut = false

    /// Keeps at least the last `room` bytes, and at most twice as many between two calls.
    init(room: Int) {
        self.room = room
    }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if more.count > room {
            isCut = true
            bytes.removeAll(keepingCapacity: true)
        }
        bytes.append(contentsOf: more.suffix(room))
        guard bytes.count > 2 * room else { return }
        isCut = true
        bytes.removeFirst(bytes.count - room)
    }

    /// The last line that is not blank, its control characters made visible; nil when there is none.
    ///
    /// Of a line that is longer than the room, the words at its end: a half word could be half of a secret, which nothing would mask.
    var lastLine: String? {
        let lines = bytes.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let index = lines.lastIndex(where: { !$0.allSatisfy(Self.isBlank) }) else { return nil }
        let isCut = isCut && index == 0
        let line = isCut ? lines[index].drop { !Self.isBlank($0) } : lines[index]
        let trimmed = line.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed()
        guard !trimmed.isEmpty else { return nil }
        return (isCut ? "… " : "") + Self.visible(String(decoding: Array(trimmed), as: UTF8.self))
    }

    private static func visible(_ line: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            if scalar.isObeyedByTerminals {
                text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
