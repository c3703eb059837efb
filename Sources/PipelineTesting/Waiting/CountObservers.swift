/// The tests that wait until a count has reached a number. A value inside the mutex that guards the count.
struct CountObservers {
    private var waiting: [(count: Int, ticket: Ticket)] = []

    /// Waits for `count`; the ticket is admitted at once when `present` has reached it.
    mutating func add(_ ticket: Ticket, waitingFor count: Int, present: Int) {
        if present >= count {
            ticket.admit()
        } else {
            waiting.append((count, ticket))
        }
    }

    /// Removes and returns the tickets that wait for `count` or less.
    mutating func reached(_ count: Int) -> [Ticket] {
        guard waiting.contains(where: { $0.count <= count }) else { return [] }
        let admitted = waiting.filter { $0.count <= count }.map(\.ticket)
        waiting.removeAll { $0.count <= count }
        return admitted
    }

    /// Removes a ticket that no longer waits.
    mutating func remove(_ ticket: Ticket) {
        waiting.removeAll { $0.ticket === ticket }
    }
}
