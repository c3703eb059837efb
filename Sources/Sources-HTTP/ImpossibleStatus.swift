/// The status of an answer that HTTP does not know: below 100.
struct ImpossibleStatus: Error {
    let code: UInt

    /// The status in its three digits.
    var text: String { String(repeating: "0", count: max(0, 3 - "\(code)".count)) + "\(code)" }
}
