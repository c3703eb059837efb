import NIOHPACK
import NIOHTTP1
import Synchronization

/// The right of the request of a send to go out, once. As long as it is not used no server has seen the request, and once it is withdrawn
/// none will, whatever is still under way to a connection.
///
/// The request carries its number as far as the connection, where the ticket is used and the number taken out.
final class SendTicket: Sendable {
    /// The request was to go out a second time, or after its send had ended.
    struct Unusable: Error {}

    private enum State {
        case unused
        case used
        case withdrawn
    }

    /// The number, another one for each ticket of the process.
    let number: UInt64
    private let state = Mutex(State.unused)

    init(number: UInt64) { self.number = number }

    /// Indicates whether the request has been given to a connection.
    var isUsed: Bool { state.withLock { $0 == .used } }

    /// Uses the ticket. False if it was used before, or withdrawn: the request must not go out.
    func use() -> Bool {
        state.withLock { state in
            guard state == .unused else { return false }
            state = .used
            return true
        }
    }

    /// Withdraws the ticket. True if the request did not go out, and never will.
    func withdraw() -> Bool {
        state.withLock { state in
            guard state != .used else { return false }
            state = .withdrawn
            return true
        }
    }

    /// Allows another request, after an answer that says that the one before changed nothing.
    func renew() {
        state.withLock { if $0 == .used { $0 = .unused } }
    }
}

/// The tickets of the sends that are under way.
final class SendTickets: Sendable {
    static let process = SendTickets()

    /// The field in which a request carries the number of its ticket. It never goes out.
    static let field = "pipe-run-send-ticket"

    private struct State {
        var tickets: [UInt64: SendTicket] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let hasIssued = Atomic(false)

    /// Indicates whether there may be tickets: a process that sends nothing looks for none.
    var isInUse: Bool { hasIssued.load(ordering: .acquiring) }

    /// A new ticket, until ``takeBack(_:)``.
    func issue() -> SendTicket {
        hasIssued.store(true, ordering: .releasing)
        return state.withLock { state in
            state.lastNumber += 1
            let ticket = SendTicket(number: state.lastNumber)
            state.tickets[ticket.number] = ticket
            return ticket
        }
    }

    /// Ends the use of `ticket`: what still carries its number does not go out.
    func takeBack(_ ticket: SendTicket) {
        state.withLock { _ = $0.tickets.removeValue(forKey: ticket.number) }
    }

    /// Uses the ticket with this number. False if there is none, or it may not be used.
    func use(_ number: String) -> Bool {
        let ticket = UInt64(number).flatMap { number in state.withLock { $0.tickets[number] } }
        return ticket?.use() ?? false
    }
}

extension HTTPHeaders {
    /// The number of the ticket that the request carries; nil if it needs none.
    var ticketNumber: String? { SendTickets.process.isInUse ? first(name: SendTickets.field) : nil }
}

extension HPACKHeaders {
    /// The number of the ticket that the request carries; nil if it needs none.
    var ticketNumber: String? { SendTickets.process.isInUse ? first(name: SendTickets.field) : nil }
}
