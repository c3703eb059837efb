internal import Pipeline

/// A piece of a configuration with its place: a scalar, a list, a mapping, or an alias of one of these.
public struct ConfigNode: Sendable {
    /// The content of the node.
    ///
    /// Closed: YAML has no other nodes.
    public enum Content: Sendable {
        /// A scalar as written, quotes and escapes resolved.
        case scalar(Scalar)
        /// A list.
        case sequence([ConfigNode])
        /// A mapping, in the order of the file, merges (`<<`) applied.
        case mapping([Member])
        /// `*name`: the node it stands for.
        indirect case alias(ConfigNode)
    }

    /// A scalar.
    public struct Scalar: Sendable {
        /// The text, quotes and escapes resolved.
        public let text: String
        /// Indicates whether it was written without quotes, so that `null` or `true` mean more than their letters.
        public let isPlain: Bool
        /// Of a block (`|`), whose lines stand in the file as they are in the text: how far they are indented. Nil for any other.
        package let indent: Int?

        /// A scalar of `text`.
        public init(text: String, isPlain: Bool) {
            self.init(text: text, isPlain: isPlain, indent: nil)
        }

        package init(text: String, isPlain: Bool, indent: Int?) {
            self.text = text
            self.isPlain = isPlain
            self.indent = indent
        }
    }

    /// One key of a mapping with its value.
    public struct Member: Sendable {
        /// The key.
        public let key: String
        /// The place of the key.
        public let keyRange: TextRange
        /// The value.
        public let value: ConfigNode
        /// The places of the `<<` that brought this member here, from the outside in; empty when it was written here.
        ///
        /// Of a longer way only the innermost eight: that is what a problem tells of it.
        public let merges: [TextRange]

        /// The most places in ``merges``.
        package static let mostMerges = 8

        /// A member written at `keyRange`.
        public init(key: String, keyRange: TextRange, value: ConfigNode, merges: [TextRange] = []) {
            self.key = key
            self.keyRange = keyRange
            self.value = value
            self.merges = merges
        }
    }

    /// The content of the node.
    public let content: Content
    /// The place of the node.
    public let range: TextRange

    /// A node of `content` at `range`.
    public init(_ content: Content, at range: TextRange) {
        self.content = content
        self.range = range
    }
}

extension ConfigNode {
    /// The name of the node in messages: `a mapping`, `the list`, `nothing`.
    package var kind: String {
        switch content {
        case .scalar(let scalar) where scalar.isPlain && CoreSchema.isNull(scalar.text): "nothing"
        case .scalar(let scalar): "`\(scalar.text.shortened)`"
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .alias(let target): target.kind
        }
    }

    /// The text of a scalar; nil for a list, a mapping, and nothing.
    package var scalarText: String? {
        if case .scalar(let scalar) = content, !isNull { scalar.text } else { nil }
    }

    /// Indicates whether there is no value: empty, `~` or `null`, unquoted.
    package var isNull: Bool {
        guard case .scalar(let scalar) = content else { return false }
        return scalar.isPlain && CoreSchema.isNull(scalar.text)
    }
}

/// Where something stands, and the aliases and merges that brought it to where it counts.
struct ConfigPlace: Sendable, Hashable {
    /// Where it is written.
    let range: TextRange
    /// The places of the aliases and merges, from the outside in.
    let uses: [TextRange]
}

/// The limits of a configuration's size; over a limit is a diagnostic (P003).
public struct ConfigLimits: Sendable {
    /// The most bytes of text.
    public var bytes: Int
    /// The deepest nesting of lists and mappings.
    public var depth: Int
    /// The most nodes, each alias counted with all it stands for.
    public var nodes: Int

    /// Limits; the defaults are 16 MiB, 64 and 1,000,000.
    public init(bytes: Int = 16 << 20, depth: Int = 64, nodes: Int = 1_000_000) {
        self.bytes = bytes
        self.depth = depth
        self.nodes = nodes
    }
}
