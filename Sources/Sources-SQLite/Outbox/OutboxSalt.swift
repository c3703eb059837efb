internal import Pipeline
internal import PipelineJSON
internal import PipelineSending

/// The random number of an outbox with which it hashes what it need not know: owners, and what a send was when it was taken in.
///
/// A hash keeps an owner, as a mail address, from standing in the file and in copies of it, and one cannot tell from two files that they
/// have an owner in common. It keeps no secret: the number stands in the same file, so who has the file can try out guesses.
struct OutboxSalt: Sendable {
    private let first: UInt64
    private let second: UInt64

    /// The number in these sixteen bytes; nil for another count.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        first = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        second = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The hash of an owner; empty if there is none.
    func hash(ofOwner owner: String) -> String { owner.isEmpty ? "" : hash(of: Array(owner.utf8)) }

    /// The hash of all that must be the same for the same id: name, arguments and payload.
    func hash(of row: SendRow) -> String {
        let head = JSONText.array([.string(row.name), .json(row.arguments.jsonText)]).text
        return hash(of: Array(head.utf8) + row.payload)
    }

    /// Two hashes with keys of their own, so that no two texts ever have the same by chance.
    private func hash(of bytes: [UInt8]) -> String {
        let halves = [KeyHash(key: (first, second)), KeyHash(key: (~second, first))]
        return halves.map { KeyHash.digits(of: $0.hash(of: bytes)) }.joined()
    }
}

extension [String: String] {
    /// The arguments as a JSON object, in the order of their names.
    var jsonText: String {
        JSONText.object(sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }).text
    }

    /// The arguments in a JSON object whose members are all strings; nil for any other text.
    init?(jsonText text: String) {
        let bytes = Array(text.utf8)
        guard JSONScanner.problem(of: bytes) == nil, let members = JSONScanner.parts(of: bytes), members.isObject else { return nil }
        self.init(minimumCapacity: members.parts.count)
        for member in members.parts {
            guard let name = member.name, bytes[member.value].first == UInt8(ascii: "\"") else { return nil }
            self[JSONScalar.string(bytes, at: name)] = JSONScalar.string(bytes, at: member.value)
        }
    }
}
