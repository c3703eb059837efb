import Pipeline

/// The reason why a send was not taken in, or does not have the outcome that a caller waits for.
///
/// New cases may come: switch with a `default`.
public enum SendError: Error, Sendable, Hashable {
    /// There is no send of this name.
    case unknownSend(String, known: [String])
    /// The send has no parameter of this name.
    case undeclaredParameter(String, send: String, known: [String])
    /// Parameters without a default that have no value, in the order of the file.
    case missingParameters([String], send: String)
    /// What was asked for is not done, for this reason. Of a send that was to be taken in, nothing is shown, and nothing goes out.
    case refused(SendRefusal)
    /// There is no send of this id.
    case unknownID(String)
    /// The send has failed, was dropped or merged, for this reason.
    case failed(String)
    /// The send is held for a person, for this reason.
    case held(String)
    /// The send was not sent within the time. It is not given up.
    case notYet
}

extension SendError: CustomStringConvertible {
    /// The problem, and below it the nearest name or the list.
    public var description: String { help.map { message + "\nhelp: " + $0 } ?? message }

    /// The problem in words: lower case, no full stop.
    package var message: String {
        switch self {
        case .unknownSend("", _): "no send is named"
        case .unknownSend(let name, _): "unknown send `\(name.shortened)`"
        case .undeclaredParameter(let name, let send, _): "the send `\(send)` has no parameter `\(name.shortened)`"
        case .missingParameters(let names, let send):
            "the send `\(send)` needs the parameter\(names.count == 1 ? "" : "s") \(names.map { "`\($0.shortened)`" }.joined(separator: ", "))"
        case .refused(let refusal): refusal.reason
        case .unknownID(let id): "there is no send `\(id.shortened)`"
        case .failed(let reason): "the send failed: \(reason)"
        case .held(let reason): "the send is held: \(reason)"
        case .notYet: "the send is not sent yet"
        }
    }

    /// The error of a send that cannot be taken in as it is, for this reason.
    static func unfit(_ reason: String) -> SendError { .refused(SendRefusal(.unfit, reason)) }

    /// The reason alone: a sentence part.
    package var cause: String {
        switch self {
        case .refused(let refusal): refusal.reason
        case .failed(let reason), .held(let reason): reason
        default: message
        }
    }

    /// The nearest name, else the known ones; nil if there is nothing to add.
    package var help: String? {
        switch self {
        case .unknownSend(let name, let known): NearestName.help(for: name, among: known, noun: "sends") ?? "the file declares no `sends`"
        case .undeclaredParameter(let name, let send, let known):
            NearestName.help(for: name, among: known, noun: "parameters") ?? "`\(send)` takes no parameters"
        case .missingParameters(let names, let send):
            "give \(names.count == 1 ? "it" : "them") as in `pipe-run send \(send) \(names.map { "\($0)=VALUE" }.joined(separator: " "))`"
        case .refused, .unknownID, .failed, .held, .notYet: nil
        }
    }
}

/// What kept a send from being taken in, put back or given up.
public struct SendRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The cause of a refusal.
    ///
    /// New cases may come: switch with a `default`.
    public enum Cause: Sendable, Hashable {
        /// The send cannot be, as it is: its id, its payload, its state, or what it needs.
        case unfit
        /// The payload is larger than the outbox takes.
        case tooLarge
        /// Another send has the id.
        case knownID
        /// The outbox has no room.
        case full
        /// The outbox cannot be used at the moment, or everything was shut down.
        case unavailable
    }

    /// The cause.
    public let cause: Cause
    /// The reason: a sentence part, lower case, without a full stop.
    public let reason: String

    package init(_ cause: Cause, _ reason: String) { (self.cause, self.reason) = (cause, reason) }

    /// The reason.
    public var description: String { reason }
}
