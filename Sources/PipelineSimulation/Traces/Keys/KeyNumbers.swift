internal import Pipeline

/// The keys of a trace, each once, with its number.
struct KeyNumbers {
    private let naming: KeyNaming
    private(set) var keys: [Key] = []
    private var numbers: [Key: Int32] = [:]
    /// The other pipelines that the file has keys of, the first few.
    private(set) var strangers: [String] = []
    private static let mostStrangers = 3

    /// The numbers that keys of the file stand for; -1 for those of other pipelines.
    private var ofTexts: [ExactName: Int32] = [:]
    private var ofNumbers: [UInt64: Int32] = [:]

    /// The most bytes of a key of a file.
    static let longestKey = 1 << 16
    /// The most keys.
    private static let mostKeys = 1 << 28

    init(_ naming: KeyNaming) {
        self.naming = naming
    }

    /// The number of a key; nil for one of another pipeline.
    mutating func number(of raw: RawRequest.RawKey, at feed: ByteFeed) throws(TraceError) -> Int32? {
        let number: Int32
        switch raw {
        case .number(let value):
            if let known = ofNumbers[value] { return known < 0 ? nil : known }
            number = try add("\(value)")
            ofNumbers[value] = number
        case .text(let bytes):
            guard bytes.count <= Self.longestKey else {
                throw feed.problem("has a key of \(bytes.count) bytes; a key has at most \(Self.longestKey)")
            }
            guard let text = String(validating: bytes, as: UTF8.self) else { throw feed.problem("has a key that is not UTF-8") }
            if let known = ofTexts[ExactName(text)] { return known < 0 ? nil : known }
            number = try add(text)
            ofTexts[ExactName(text)] = number
        }
        return number < 0 ? nil : number
    }

    private mutating func add(_ text: String) throws(TraceError) -> Int32 {
        guard let key = naming.key(text) else {
            if strangers.count < Self.mostStrangers, let name = naming.stranger(text), !strangers.contains(where: name.hasSameBytes) {
                strangers.append(name)
            }
            return -1
        }
        if let known = numbers[key] { return known }
        guard keys.count < Self.mostKeys else { throw TraceError("the trace has more than \(Self.mostKeys) keys", help: "use `--limit N`") }
        let number = Int32(keys.count)
        keys.append(key)
        numbers[key] = number
        return number
    }
}
