internal import Pipeline

/// The end of what a program says on standard error, for the person who reads the trace.
struct ErrorTail {
    /// The length of a line, of which only the end may be there.
    private struct Measure {
        var count = 0
        var isBlank = true
    }

    private let room: Int
    private var bytes: [UInt8] = []
    private var isCut = false
    private var current = Measure()
    /// The last one before the current that is not blank.
    private var former = Measure()

    /// Keeps at least the last `room` bytes, and at most twice as many between two calls.
    init(room: Int) {
        self.room = room
    }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        measure(more)
        if more.count > room {
            isCut = true
            bytes.removeAll(keepingCapacity: true)
        }
        bytes.append(contentsOf: more.suffix(room))
        guard bytes.count > 2 * room else { return }
        isCut = true
        bytes.removeFirst(bytes.count - room)
    }

    /// The last line that is not blank, its control characters made visible; nil if there is none.
    ///
    /// Of a line that is longer than the room, the words at its end: a half word could be half of a secret, which nothing would mask. Of
    /// one without words, its length.
    var lastLine: String? {
        let lines = bytes.split(omittingEmptySubsequences: false, whereSeparator: Self.isEnd)
        guard let index = lines.lastIndex(where: { !$0.allSatisfy(Self.isBlank) }) else { return nil }
        let isCut = isCut && index == 0
        let line = isCut ? lines[index].drop { !Self.isBlank($0) } : lines[index]
        let trimmed = line.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed()
        guard !trimmed.isEmpty else { return "(a line of \((current.isBlank ? former : current).count) bytes)" }
        return (isCut ? "… " : "") + Self.visible(String(decoding: Array(trimmed), as: UTF8.self))
    }

    private mutating func measure(_ more: UnsafeRawBufferPointer) {
        for byte in more {
            if Self.isEnd(byte) {
                if !current.isBlank { former = current }
                current = Measure()
            } else {
                current.count += 1
                if !Self.isBlank(byte) { current.isBlank = false }
            }
        }
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

    private static func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
