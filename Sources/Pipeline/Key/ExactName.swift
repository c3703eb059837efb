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
    /// Whether both have the same UTF-8 bytes.
    package func hasSameBytes(as other: String) -> Bool {
        // Names that `==` distinguishes, which is quick, differ in their bytes, too.
        guard self == other else { return false }
        var (left, right) = (self, other)
        return left.withUTF8 { left in
            right.withUTF8 { right in left.count == right.count && left.indices.allSatisfy { left[$0] == right[$0] } }
        }
    }

    /// Whether `byte` is one of the UTF-8 bytes.
    package func hasByte(_ byte: UInt8) -> Bool {
        var text = self
        return text.withUTF8 { $0.contains(byte) }
    }

    /// Whether all its bytes are ASCII.
    package var isASCII: Bool {
        var text = self
        return text.withUTF8 { $0.allSatisfy { $0 < 0x80 } }
    }
}
