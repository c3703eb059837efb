/// Which names a server answers for.
///
/// A page of another origin can give its own name the address of this machine (DNS rebinding). Its requests then reach a server on
/// loopback, but they name the page's host.
package struct HostRule: Sendable {
    /// Nil when every name is answered.
    private let names: Set<String>?

    /// - Parameters:
    ///   - address: where the server listens: only on loopback names are checked.
    ///   - names: those that it answers for besides `localhost` and loopback addresses.
    package init(listeningOn address: String, allowing names: [String]) {
        self.names = Self.isLoopback(address.lowercased()) || !names.isEmpty ? Set(names.map { $0.lowercased() }) : nil
    }

    /// Whether requests for this name are answered.
    func allows(_ name: String) -> Bool {
        guard let names else { return true }
        return Self.isLoopback(name) || names.contains(name)
    }

    /// The name in a Host field, in lower case and without the port; nil when the field is malformed (RFC 3986, section 3.2.2).
    package static func name(in field: String) -> String? {
        let bytes = Array(field.lowercased().utf8)
        var name: ArraySlice<UInt8>
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            name = bytes[...end]
            guard end > 1, name.dropFirst().dropLast().allSatisfy(isInAddress) else { return nil }
        } else {
            name = bytes.prefix { $0 != UInt8(ascii: ":") }
            guard !name.isEmpty, name.allSatisfy(isInName) else { return nil }
        }
        let rest = bytes[name.endIndex...]
        guard rest.isEmpty || rest.first == UInt8(ascii: ":") && rest.count <= 6 && rest.dropFirst().allSatisfy(isDigit) else { return nil }
        // The root's own dot: `localhost.` is `localhost`.
        if name.count > 1, name.last == UInt8(ascii: ".") { name = name.dropLast() }
        return String(decoding: name, as: UTF8.self)
    }

    private static func isLoopback(_ name: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(name) || name.hasSuffix(".localhost") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isDigit) && UInt8($0) != nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }

    private static func isInAddress(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) || ":.%".utf8.contains(byte) }

    private static func isInName(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) || "-._~%!$&'()*+,;=".utf8.contains(byte) }
}
