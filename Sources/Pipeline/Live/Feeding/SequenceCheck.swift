/// Sees by the numbers of messages whether one is missing.
struct SequenceCheck: Sendable {
    /// What a number means.
    enum Finding: Sendable, Equatable {
        case next
        /// The message came before.
        case duplicate
        /// Messages are missing, or the numbers begin anew.
        case gap
    }

    private var last: Int64?

    /// The stream begins anew: any number may come next.
    mutating func restart() { last = nil }

    /// A message of this number came.
    mutating func take(_ number: Int64) -> Finding {
        defer { last = number }
        guard let last else { return .next }
        if number == last { return .duplicate }
        return last < .max && number == last + 1 ? .next : .gap
    }
}
