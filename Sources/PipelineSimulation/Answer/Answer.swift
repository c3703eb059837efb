/// How one request of a simulation was answered.
package struct Answer: Sendable, Equatable {
    enum Ending: UInt8, Sendable {
        case value
        case notFound
        case failed
    }

    let ending: Ending
    /// The tier that gave the value; -1 where none did.
    var tier: Int32 = -1
    var isStale = false
    /// Whether it waited for a load that ran already.
    var isJoined = false
    /// From the request to the answer, in nanoseconds.
    var latency: Int64 = 0
    /// When the load of the value began, in nanoseconds since the first request.
    var loaded: Int64 = 0

    /// The answer in words.
    func words(_ names: [String]) -> String {
        let source = names.indices.contains(Int(tier)) ? " from \(names[Int(tier)])" : ""
        let marks = (isStale ? ", stale" : "") + (isJoined ? ", joined" : "")
        let what =
            switch ending {
            case .value: "value"
            case .notFound: "not found"
            case .failed: "failed"
            }
        return "\(what)\(source)\(marks) after \(latency) ns" + (ending == .value ? ", loaded at \(loaded) ns" : "")
    }
}
