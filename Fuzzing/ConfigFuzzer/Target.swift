/// What bytes are taken for.
enum Target: String {
    /// A configuration.
    case config
    /// What a Redis server sends.
    case replies
    /// A value that a Redis server holds.
    case values
    /// The metadata beside a payload.
    case sidecars
    /// The event stream of a server.
    case events
    /// A trace of requests.
    case traces
    /// A test file.
    case tests
    /// The model of a simulation.
    case models

    /// The target called `name`; a configuration without a name.
    static func named(_ name: String?) -> Target {
        guard let name, !name.isEmpty else { return .config }
        guard let target = Target(rawValue: name) else { fatalError("there is no target \(name)") }
        return target
    }

    /// Reads `bytes` as this; where something does not hold that must, the process ends.
    func check(_ bytes: [UInt8]) {
        switch self {
        case .config: Input(bytes).check()
        case .replies: StoredBytes.checkReplies(bytes)
        case .values: StoredBytes.checkValue(bytes)
        case .sidecars: StoredBytes.checkSidecar(bytes)
        case .events: EventBytes.check(bytes)
        case .traces: TraceBytes.check(bytes)
        case .tests: ScenarioBytes.checkTests(bytes)
        case .models: ScenarioBytes.checkModel(bytes)
        }
    }
}
