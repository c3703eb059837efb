/// What became of sends that are done, for those that name what they make by its temporary id.
struct SendOutcomes: Sendable {
    enum Outcome: Sendable {
        /// The origin's id, as JSON text.
        case made(String)
        /// The reason why there is none, behind `needs ~…`.
        case missing(String)
    }

    /// The most that are known; the database knows more of them.
    private static let most = 2_000

    private var known: [String: (number: Int64, state: SendState, outcome: Outcome)] = [:]
    /// The temporary ids, in the order in which they were noted.
    private var order: [String] = []

    /// The outcome of the send that makes `temporary`, if it came before `number`.
    func outcome(of temporary: String, before number: Int64) -> Outcome? {
        known[temporary].flatMap { $0.number < number ? $0.outcome : nil }
    }

    /// Whether a send came to an end from which nobody brings it back.
    func isFinal(_ row: SendRow) -> Bool { known[row.temporaryID].map { $0.number == row.number && $0.state != .failed } ?? false }

    /// Notes one that is done.
    mutating func note(_ row: SendRow) {
        guard known.updateValue((row.number, row.state, Outcome(row)), forKey: row.temporaryID) == nil else { return }
        order.append(row.temporaryID)
        guard order.count > 2 * Self.most else { return }
        for temporary in order.prefix(Self.most) { known[temporary] = nil }
        order.removeFirst(Self.most)
    }

    /// Notes that one is not done, or not any more.
    mutating func forget(_ row: SendRow) {
        guard known.removeValue(forKey: row.temporaryID) != nil else { return }
        order.removeAll { $0 == row.temporaryID }
    }
}

extension SendOutcomes.Outcome {
    fileprivate init(_ row: SendRow) {
        switch row.state {
        case .sent: self = row.madeID.map { .made($0) } ?? .missing("and the origin did not say what its id is")
        case .dropped, .merged: self = .missing("which was \(row.state.rawValue)")
        case .failed, .waiting, .sending, .held: self = .missing("which failed")
        }
    }
}
