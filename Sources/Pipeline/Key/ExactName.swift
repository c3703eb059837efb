internal import PipelineJSON

/// A name as a key of dictionaries and sets, compared by its UTF-8 bytes. Swift's strings are equal when Unicode calls them so.
package struct ExactName: Hashable, Sendable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: ExactName, right: ExactName) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Indicates whether both have the same UTF-8 bytes.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withBytes { mine in other.withBytes { mine.hasSameBytes(as: $0) } }
    }

    /// What `body` makes of the UTF-8 bytes. No copy is made of a native string, as `withUTF8`, which may change it, needs one.
    @inline(__always)
    func withBytes<Made>(_ body: (UnsafeBufferPointer<UInt8>) -> Made) -> Made {
        if let made = utf8.withContiguousStorageIfAvailable(body) { return made }
        var native = self
        return native.withUTF8(body)
    }

    /// Indicates whether `byte` is one of the UTF-8 bytes.
    package func hasByte(_ byte: UInt8) -> Bool {
        var text = self
        return text.withUTF8 { $0.contains(byte) }
    }

    /// Indicates whether all its bytes are ASCII.
    package var isASCII: Bool {
        var text = self
        return text.withUTF8 { $0.allSatisfy { $0 < 0x80 } }
    }
}
