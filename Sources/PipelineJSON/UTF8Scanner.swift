/// Checks that bytes are well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF).
package enum UTF8Scanner {
    /// The offset of the first byte that is not part of a well-formed character; nil if there is none.
    package static func firstInvalid(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count {
            if bytes[index] < 0x80 {
                index += 1
            } else if let length = lengthOfCharacter(at: index, in: bytes) {
                index += length
            } else {
                return index
            }
        }
        return nil
    }

    /// The length of the well-formed multi-byte character at `index`, or nil.
    static func lengthOfCharacter(at index: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        func isContinuation(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            index + offset < bytes.count && range.contains(bytes[index + offset])
        }
        switch bytes[index] {
        case 0xC2...0xDF: return isContinuation(1) ? 2 : nil
        case 0xE0: return isContinuation(1, 0xA0...0xBF) && isContinuation(2) ? 3 : nil
        case 0xED: return isContinuation(1, 0x80...0x9F) && isContinuation(2) ? 3 : nil
        case 0xE1...0xEF: return isContinuation(1) && isContinuation(2) ? 3 : nil
        case 0xF0: return isContinuation(1, 0x90...0xBF) && isContinuation(2) && isContinuation(3) ? 4 : nil
        case 0xF4: return isContinuation(1, 0x80...0x8F) && isContinuation(2) && isContinuation(3) ? 4 : nil
        case 0xF1...0xF3: return isContinuation(1) && isContinuation(2) && isContinuation(3) ? 4 : nil
        default: return nil
        }
    }
}
