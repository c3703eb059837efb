/// Somebody on the way to a flight. An object, so that ten thousand who wait hold little more than a reference each.
final class Departure: Sendable {
    let id: Flights.ID
    let request: LoadRequest
    /// The flight that was begun for this, if any.
    let leading: UInt64?
    /// When the fetch began.
    let start: Timestamp
    /// When it set out for this flight.
    private let begin: Timestamp

    init(_ id: Flights.ID, _ request: LoadRequest, leading flight: UInt64?, at start: Timestamp) {
        self.id = id
        self.request = request
        leading = flight
        self.start = start
        begin = start
    }

    private init(again departure: Departure, at now: Timestamp) {
        id = departure.id
        request = departure.request.anew
        leading = nil
        start = departure.start
        begin = now
    }

    /// What to set out with once more, when the load ended at the shorter deadline of somebody else; nil when its reply holds.
    @inline(never)
    func again(after landing: Landing, at present: @autoclosure () -> Timestamp) -> Departure? {
        guard landing.reply.isPastDeadline else { return nil }
        let now = present()
        guard now > begin, request.deadline.map({ now < $0 }) ?? true else { return nil }
        return Departure(again: self, at: now)
    }
}
