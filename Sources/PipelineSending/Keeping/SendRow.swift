package import Pipeline

/// A send, as the outbox keeps it. Its moments are on the time line of the clock in memory, and wall times on disk.
package struct SendRow: Sendable, Equatable {
    /// The order of the sends of an outbox; given by the database, and never used again.
    package internal(set) var number: Int64
    /// Tells it from all others: a UUID of version 7, or the caller's.
    package let id: String
    /// The name of its ``SendSpec``.
    package let name: String
    /// The arguments. A temporary id in them is replaced when the origin's is known.
    package var arguments: [String: String]
    /// The payload; empty for none.
    package var payload: [UInt8]
    /// The hash of the outbox's owner when it was taken in.
    package let owner: String
    /// The tag of the base when it was taken in; nil if there was none.
    package var tag: String?
    /// When it was taken in.
    package var taken: Timestamp
    /// The priority that its caller gave it; nil for that of its kind.
    package var priority: Priority?
    /// The state.
    package var state: SendState
    /// The reason for the state: a sentence part, lower case, without a full stop. Nil if there is nothing to say.
    package var reason: String?
    /// The tries so far.
    package var tries = 0
    /// The tries that count against ``SendRetry/attempts``.
    package var faults = 0
    /// The conflicts in a row.
    package var conflicts = 0
    /// When the first try began; nil before.
    package var firstTry: Timestamp?
    /// When the first try began that may have been processed, the one under way among them; nil if there is none.
    package var firstUncertain: Timestamp?
    /// When the next try may begin; nil for at once.
    package var next: Timestamp?
    /// The moment before which the origin does not want to be asked again; nil if it named none.
    package var notBefore: Timestamp?
    /// The status of the last answer; nil without one.
    package var status: Int?
    /// The words of a refusal, masked; nil without any.
    package var detail: String?
    /// The body of the answer to one that is sent.
    package var answer: [UInt8] = []
    /// The origin's id of what was made, as JSON text (`7` or `"a"`), which takes the place of the temporary one; nil if there is none.
    package var madeID: String?
    /// Indicates whether caches that outlive the process have what a `sent` one changed.
    package var isSettled = false
    /// When it came to its end: sent, failed, dropped or merged. Of one that is not done, when a person put it back, which begins its life
    /// anew; nil if nobody did.
    package var ended: Timestamp?
    /// The process that tries it, or tried it last.
    package var holder: String?

    /// A send that is just taken in.
    ///
    /// - Parameter number: 0 until the database gives one.
    package init(
        number: Int64 = 0, id: String, name: String, arguments: [String: String], payload: [UInt8], owner: String, tag: String? = nil,
        taken: Timestamp, state: SendState = .waiting
    ) {
        (self.number, self.id, self.name, self.arguments, self.payload) = (number, id, name, arguments, payload)
        (self.owner, self.tag, self.taken, self.state) = (owner, tag, taken, state)
    }

    /// The number that the database gave.
    package func numbered(_ number: Int64) -> SendRow {
        var row = self
        row.number = number
        return row
    }

    /// Indicates whether a text can be an id: visible ASCII (0x21 to 0x7E).
    package static func isID(_ id: String) -> Bool {
        (1...255).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The reason of one that is held since its row cannot be read.
    package static let unreadable = "unreadable"
    /// The reason of one that is held since the file does not declare it.
    package static let undeclared = "undeclared"

    /// The words that the reason begins with after a conflict, of one that has expired, and of one whose id the origin may have forgotten.
    package static let conflict = "conflict: "
    package static let expired = "expired: "
    package static let forgottenID = "uncertain: the origin may have forgotten the id"

    /// Indicates whether its row cannot be read.
    package var isUnreadable: Bool { state == .held && reason == Self.unreadable }

    /// The temporary id of what it makes.
    package var temporaryID: String { "~" + id }
}

/// The state of a send.
///
/// New cases may come: switch with a `default`.
public enum SendState: String, Sendable, Hashable, CaseIterable {
    /// It waits for its turn, or for the origin.
    case waiting
    /// The origin is being asked.
    case sending
    /// A person must decide: whether the origin has made the change is not known, or the send cannot be understood.
    case held
    /// The origin has made the change.
    case sent
    /// It was refused, expired, or was at fault. What it changed is taken back.
    case failed
    /// It was given up.
    case dropped
    /// A later send took its place before it was tried.
    case merged

    /// Indicates whether it is done: nothing of it goes out any more.
    public var isDone: Bool {
        switch self {
        case .waiting, .sending, .held: false
        case .sent, .failed, .dropped, .merged: true
        }
    }

    /// Indicates whether nothing more becomes of it by itself.
    package var isOver: Bool { isDone || self == .held }

    /// Indicates whether it holds its place in its lanes: those after it wait.
    package var holdsLanes: Bool { self == .waiting || self == .sending }

    /// Indicates whether it counts for the bounds of its outbox.
    package var isCounted: Bool { !isDone || self == .failed }
}
