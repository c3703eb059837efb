/// What the first tier had at hand when a fetch began, before there was a load. The load takes it over where nothing has changed since.
enum Looked: Sendable {
    case missing(ended: UInt64)
    indirect case found(Entry, ended: UInt64)
    indirect case failed(any Error, ended: UInt64)

    /// - Parameter ended: how many loads had ended or were detached before the tier was read, as ``Flights/endedCount`` says.
    init(_ entry: Entry?, ended: UInt64) {
        self = entry.map { .found($0, ended: ended) } ?? .missing(ended: ended)
    }

    /// Whether the tier has nothing.
    var isMissing: Bool { if case .missing = self { true } else { false } }

    /// What was found; nil where the tier has nothing. Throws why it could not be read.
    var entry: Entry? {
        get throws {
            switch self {
            case .missing: nil
            case .found(let entry, _): entry
            case .failed(let error, _): throw error
            }
        }
    }

    /// How many loads had ended before the tier was read.
    var ended: UInt64 {
        switch self {
        case .missing(let ended), .found(_, let ended), .failed(_, let ended): ended
        }
    }
}
