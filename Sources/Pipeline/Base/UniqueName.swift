/// A unique name among all processes of all machines: 128 random bits as letters and digits.
package enum UniqueName {
    /// A new name each time.
    package static func next() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined(separator: "-")
    }
}
