import Synchronization

/// The events that clients of event streams are being sent: one text for all that go from one value to the next, as long as one of them has not
/// taken it.
final class StreamTexts: Sendable {
    /// A text that is made once.
    private final class Text: Sendable {
        let events: Task<[StreamEvent], Never>

        init(_ make: @escaping @Sendable () -> [StreamEvent]) {
            // Ends when it is made: in proportion to the value.
            events = Task { make() }
        }
    }

    /// A text that goes when no client needs it any more.
    private struct Place {
        weak var text: Text?
    }

    private let places = Mutex<[String: Place]>([:])

    /// Hands the events called `name` to `take`, which nobody makes again until the last one has taken them.
    ///
    /// - Parameter name: equal names are of equal events.
    func withEvents(
        _ name: String, _ make: @escaping @Sendable () -> [StreamEvent], _ take: (StreamEvent) async -> Void
    ) async {
        let text = places.withLock { places in
            if let known = places[name]?.text { return known }
            let text = Text(make)
            places = places.filter { $0.value.text != nil }
            places[name] = Place(text: text)
            return text
        }
        for event in await text.events.value { await take(event) }
        withExtendedLifetime(text) {}
    }
}
