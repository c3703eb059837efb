/// What bytes are taken for.
enum Target: String {
    /// What an HTTP server answers.
    case heads
    /// What the rows of a cache's database hold.
    case rows
    /// What a WebSocket server sends.
    case frames

    /// The target called `name`.
    static func named(_ name: String?) -> Target {
        guard let name, let target = Target(rawValue: name) else { fatalError("there is no target \(name ?? "")") }
        return target
    }

    /// Reads `bytes` as this; where something does not hold that must, the process ends.
    func check(_ bytes: [UInt8]) {
        switch self {
        case .heads: AnsweredFetch.check(bytes)
        case .rows: OddRows.check(bytes)
        case .frames: FrameBytes.check(bytes)
        }
    }
}
