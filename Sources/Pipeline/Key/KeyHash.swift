/// SipHash-1-3 of a key's text, with the key 0 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): the same in every process,
/// unlike Swift's own hashes.
///
/// Many keys with one hash cannot be found, but many that share a part of it can. Code that uses a part therefore mixes it with a secret
/// number of its own.
package struct KeyHash {
    private var v0: UInt64 = 0x736f_6d65_7073_6575
    private var v1: UInt64 = 0x646f_7261_6e64_6f6d
    private var v2: UInt64 = 0x6c79_6765_6e65_7261
    private var v3: UInt64 = 0x7465_6462_7974_6573

    /// Hashes with a key of its own, which makes them unpredictable. Every other hash here has the key 0.
    package init(key: (UInt64, UInt64) = (0, 0)) {
        v0 ^= key.0
        v1 ^= key.1
        v2 ^= key.0
        v3 ^= key.1
    }

    /// The hash of `bytes`.
    package func hash(of bytes: [UInt8]) -> UInt64 {
        let hasher = self
        return bytes.withUnsafeBytes { hasher.hash(of: $0) }
    }

    /// The hash of `text`.
    package static func hash(of text: String) -> UInt64 {
        text.utf8.withContiguousStorageIfAvailable { hash(of: UnsafeRawBufferPointer($0)) }
            ?? Array(text.utf8).withUnsafeBytes { hash(of: $0) }
    }

    /// A hash as sixteen hexadecimal digits, so that all have one length.
    package static func digits(of hash: UInt64) -> String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The hash of the text that has these bytes.
    static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 { KeyHash().hash(of: bytes) }

    /// The hash of the text that has these bytes.
    package consuming func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        let aligned = bytes.count & ~7
        for offset in stride(from: 0, to: aligned, by: 8) {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for offset in aligned..<bytes.count { last |= UInt64(bytes[offset]) << UInt64(8 * (offset - aligned)) }
        add(last)
        v2 ^= 0xff
        for _ in 0..<3 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func add(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    @inline(__always)
    private mutating func round() {
        v0 &+= v1
        v1 = v1.rotated(by: 13) ^ v0
        v0 = v0.rotated(by: 32)
        v2 &+= v3
        v3 = v3.rotated(by: 16) ^ v2
        v0 &+= v3
        v3 = v3.rotated(by: 21) ^ v0
        v2 &+= v1
        v1 = v1.rotated(by: 17) ^ v2
        v2 = v2.rotated(by: 32)
    }
}

extension UInt64 {
    @inline(__always)
    fileprivate func rotated(by count: UInt64) -> UInt64 { self << count | self >> (64 - count) }
}
