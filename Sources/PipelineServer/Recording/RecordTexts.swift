internal import Pipeline

/// What stands for keys and payloads in a recording. Those that come often are not made again.
struct RecordTexts {
    private struct Version {
        let created: Timestamp
        let count: Int
        let text: String
    }

    /// Whose secrets the texts of keys are without.
    private weak var pipelines: Pipelines?
    private var redactor = Redactor()
    /// The key of the hashes; nil where keys stand as they are.
    private let secret: (UInt64, UInt64)?
    private var keys: [Key: String] = [:]
    private var versions: [Key: Version] = [:]

    /// The most keys that are remembered.
    private static let room = 1 << 16

    init(isAnonymous: Bool) {
        secret = isAnonymous ? (.random(in: .min ... .max), .random(in: .min ... .max)) : nil
    }

    /// Masks what is secret in `pipelines` from now on, also in keys that came before.
    mutating func mask(with pipelines: Pipelines) {
        guard self.pipelines !== pipelines else { return }
        (self.pipelines, redactor, keys) = (pipelines, pipelines.redactor, [:])
    }

    /// The text of `key`, without secrets; where it is anonymous, each value is a hash.
    mutating func text(of key: Key) -> String {
        if let known = keys[key] { return known }
        let parameters = key.parameters.map { parameter in
            let value = redactor.redacted(parameter.value)
            guard let secret else { return Parameter(name: parameter.name, value: value) }
            let hash = KeyHash(key: secret).hash(of: Array((parameter.name + "=" + parameter.value).utf8))
            return Parameter(name: parameter.name, value: KeyHash.digits(of: hash))
        }
        let text = Key(pipeline: key.pipeline, parameters: parameters).text
        if keys.count >= Self.room { keys = [:] }
        keys[key] = text
        return text
    }

    /// A text for the payload of a copy of `key`: equal for equal bytes.
    mutating func version(of payload: [UInt8], _ entry: Entry, _ key: Key) -> String {
        if let known = versions[key], known.created == entry.created, known.count == payload.count { return known.text }
        let hash = KeyHash(key: secret ?? (0, 0)).hash(of: payload)
        let text = KeyHash.digits(of: hash)
        if versions.count >= Self.room { versions = [:] }
        versions[key] = Version(created: entry.created, count: payload.count, text: text)
        return text
    }
}
