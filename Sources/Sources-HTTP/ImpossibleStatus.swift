/// The status of an answer that HTTP does not know: anything but three digits from 100 on.
struct ImpossibleStatus: Error {
    /// The status in its three digits, or the beginning of what stands in its place.
    let text: String

    /// The status of an answer in HTTP/1.
    init(code: UInt) { text = String(repeating: "0", count: max(0, 3 - "\(code)".count)) + "\(code)" }

    /// The status of an answer in HTTP/2.
    init(field: String) { text = "`\(field.prefix(20))`" }
}
