public import Pipeline

/// What can be written for `shared_flight`: `true`, `false`, or a mapping that says how.
public struct SharedFlightChoice: Sendable, Hashable {
    /// How loads are shared, or nil when they are not.
    public let flight: SharedFlight?

    /// The choice of `flight`.
    public init(_ flight: SharedFlight?) {
        self.flight = flight
    }
}

extension SharedFlightChoice: FieldValue {
    /// A bool, or the mapping.
    public static var fieldType: FieldType { .either([.bool, SharedFlight.fieldType]) }

    /// A mapping is read as such; everything else as a bool.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SharedFlightChoice? {
        let isMapping = decoder.withTarget(of: node) { if case .mapping = $0.content { true } else { false } }
        if isMapping { return SharedFlight.decode(node, with: decoder).map { SharedFlightChoice($0) } }
        return Bool.decode(node, with: decoder).map { SharedFlightChoice($0 ? SharedFlight() : nil) }
    }

    /// `true` or `false`; nil for a mapping, which is not written on one line.
    public var written: String? {
        switch flight {
        case nil: "false"
        case SharedFlight(): "true"
        default: nil
        }
    }
}
