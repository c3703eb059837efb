internal import PipelineJSON

/// The name that a copy is stored under: a pipeline's name and its parameters in canonical order.
///
/// Two keys are equal when their names and values are equal byte for byte in UTF-8; Unicode's equivalences do not count.
/// Making a key allocates; keep it where the same key is fetched often.
public struct Key: Hashable, Sendable {
    @usableFromInline let storage: Storage

    @usableFromInline final class Storage: Sendable, Hashable {
        let pipeline: String
        @usableFromInline let text: String
        @usableFromInline let hash: UInt64

        init(pipeline: String, text: String) {
            self.pipeline = pipeline
            self.text = text
            hash = KeyHash.hash(of: text)
        }

        /// Whether names and values are equal byte for byte. The texts are ASCII, for which comparing strings is comparing bytes.
        @usableFromInline static func == (left: Storage, right: Storage) -> Bool {
            left === right || (left.hash == right.hash && left.text == right.text)
        }

        /// Feeds the hash that was computed when the key was made.
        @usableFromInline func hash(into hasher: inout Hasher) {
            hasher.combine(hash)
        }
    }

    /// The key of `pipeline` with `parameters`, in any order.
    public init(pipeline: String, parameters: [String: String] = [:]) {
        self.init(pipeline: pipeline, parameters: parameters.map { Parameter(name: $0.key, value: $0.value) })
    }

    /// The key of `pipeline` with `parameters`, in any order. Names must differ.
    package init(pipeline: String, parameters: [Parameter]) {
        var text = PercentEncoding.fileName.encoded(pipeline)
        for parameter in parameters.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            text += Self.prefix(ofValueOf: parameter.name)
            text += PercentEncoding.fileName.encoded(parameter.value)
        }
        self.init(pipeline: pipeline, encoded: text)
    }

    /// The key of `pipeline` whose ``text`` is known.
    init(pipeline: String, encoded text: String) {
        storage = Storage(pipeline: pipeline, text: text)
    }

    /// What comes before the value of the parameter `name` in a text.
    static func prefix(ofValueOf name: String) -> String { "," + PercentEncoding.fileName.encoded(name) + "=" }

    /// The name of the pipeline.
    public var pipeline: String { storage.pipeline }

    /// The parameters, sorted by the bytes of their names. Each use decodes them from ``text``.
    package var parameters: [Parameter] { text.hasByte(UInt8(ascii: ",")) ? Self.parts(of: text)?.parameters ?? [] : [] }

    /// The key as ASCII text, safe in a file name: `friends` or `friends,user=42`. Different keys have different texts.
    public var text: String { storage.text }

    /// The hash of ``text``, computed once; the same in every process.
    @inlinable public var hash: UInt64 { storage.hash }

    /// Indicates whether ``text`` has these bytes.
    public func hasText(_ bytes: Span<UInt8>) -> Bool {
        text.withBytes { mine in bytes.withUnsafeBufferPointer { mine.hasSameBytes(as: $0) } }
    }

    /// Indicates whether both are the same one, or copies of it: equal for certain. Two that were made apart can be equal, too.
    @inlinable
    package func isIdentical(to other: Key) -> Bool { storage === other.storage }

    /// The value of the parameter `name`, or nil when this key has none of that name.
    public subscript(name: String) -> String? {
        parameters.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}

extension Key: CustomStringConvertible {
    /// The key as text: `friends,user=42`.
    public var description: String { text }
}

/// One argument of a pipeline: a name and its value.
package struct Parameter: Hashable, Sendable {
    /// The declared name.
    package let name: String
    /// The value as given; any text, also empty.
    package let value: String

    /// A parameter called `name` with `value`.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension Key {
    /// The key whose ``text`` this is, byte for byte; nil for any other text, also for one that only means the same.
    public init?(text: String) {
        guard let (pipeline, parameters) = Self.parts(of: text) else { return nil }
        self.init(pipeline: pipeline, parameters: parameters)
        // Every key has exactly one text. A text in another spelling or another order is not one.
        guard self.text.utf8.elementsEqual(text.utf8), Self.areDistinct(parameters) else { return nil }
    }

    /// What a text of this form stands for, in its order; nil for one of another form.
    static func parts(of text: String) -> (pipeline: String, parameters: [Parameter])? {
        var parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).makeIterator()
        guard let first = parts.next(), let pipeline = PercentEncoding.decoded(first) else { return nil }
        var parameters: [Parameter] = []
        while let part = parts.next() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")), let name = PercentEncoding.decoded(part[..<equals]),
                let value = PercentEncoding.decoded(part[part.index(after: equals)...])
            else { return nil }
            parameters.append(Parameter(name: name, value: value))
        }
        return (pipeline, parameters)
    }

    /// Whether no name of `sorted` stands twice.
    private static func areDistinct(_ sorted: [Parameter]) -> Bool {
        zip(sorted, sorted.dropFirst()).allSatisfy { !$0.name.utf8.elementsEqual($1.name.utf8) }
    }
}
