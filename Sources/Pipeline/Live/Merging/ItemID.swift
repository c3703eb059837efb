/// The id of an element of a list, as text. Ids are equal when their UTF-8 bytes are; `7` and `"7"` are one id.
package struct ItemID: Sendable {
    /// The text: a string's characters, a number's exact decimal value in digits.
    package let text: String
    // Computed once: a change is looked up several times.
    let hash: Int

    /// The id with this text.
    package init(_ text: String) {
        var text = text
        hash = text.withUTF8 { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            return hasher.finalize()
        }
        self.text = text
    }

    /// One id of several parts: with one part its text, else the parts divided by `/`, in which `~` and `/` are written as in a JSON Pointer.
    init(_ parts: [String]) {
        guard parts.count > 1 else {
            self.init(parts.first ?? "")
            return
        }
        self.init(parts.map(Self.escaped).joined(separator: "/"))
    }

    private static func escaped(_ part: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in part.unicodeScalars {
            switch scalar {
            case "~": text.append(contentsOf: "~0".unicodeScalars)
            case "/": text.append(contentsOf: "~1".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}

extension ItemID: Hashable {
    package static func == (left: ItemID, right: ItemID) -> Bool {
        left.hash == right.hash && left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
