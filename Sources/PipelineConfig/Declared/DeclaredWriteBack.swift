internal import Pipeline

/// The caches that an answer is written to, as the file declares them.
///
/// New cases may come: switch with a `default`.
public enum DeclaredWriteBack: Sendable, Hashable {
    /// A source that is named, and where.
    public struct Name: Sendable, Hashable {
        /// The source.
        public let source: String
        /// The place where it is named.
        public let range: TextRange
        /// The aliases and merges on the way.
        let uses: [TextRange]

        init(source: String, at place: ConfigPlace) {
            self.source = source
            range = place.range
            uses = place.uses
        }

        var place: ConfigPlace { ConfigPlace(range: range, uses: uses) }
    }

    /// The answers of one source and the caches they go to.
    public struct Route: Sendable, Hashable {
        /// Whose answers.
        public let from: Name
        /// The caches that they go to.
        public let to: [Name]
    }

    /// An origin's answer goes to every cache of the pipeline, a cache's to those above it.
    case auto
    /// Nowhere.
    case none
    /// As written, and nowhere else.
    case routes([Route])

    /// The write-back without its places.
    var policy: WriteBackPolicy {
        switch self {
        case .auto: .auto
        case .none: .none
        case .routes(let routes): .routes(Dictionary(routes.map { ($0.from.source, $0.to.map(\.source)) }, uniquingKeysWith: +))
        }
    }
}

extension DeclaredWriteBack: FieldValue {
    /// A word, or a mapping of sources to lists of sources.
    public static var fieldType: FieldType { .either([.choice(["auto", "none"]), .map(.list(.string))]) }

    /// The policy written in `node`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> DeclaredWriteBack? {
        decoder.places.withTarget(of: node) { node in
            if case .mapping(let members) = node.content {
                return .routes(members.compactMap { route($0, with: decoder) })
            }
            if case .sequence = node.content {
                decoder.report(
                    .wrongType, "expected `auto`, `none` or a mapping of sources to lists of sources for `write_back`, found a list",
                    at: node,
                    help: "name the source whose answers go there, as in `write_back: { api: \(node.onOneLine ?? "[memory]") }`")
                return nil
            }
            guard let text = decoder.text(of: node, expecting: "`auto`, `none` or a mapping of sources to lists of sources") else {
                return nil
            }
            if let meant = CoreSchema.bool(text).map({ $0 ? "auto" : "none" }) ?? synonyms[text] {
                decoder.report(
                    .notAllowed, "\(decoder.quoted(node)) is not allowed for `write_back`", at: node, help: "write `write_back: \(meant)`")
                return nil
            }
            switch text {
            case "auto": return .auto
            case "none": return DeclaredWriteBack.none
            case _ where NearestName.find(text, among: ["auto", "none"]) == nil && Identifier.isValid(text):
                decoder.report(
                    .notAllowed, "\(decoder.quoted(node)) is not allowed for `write_back`: expected `auto`, `none` or a mapping", at: node,
                    help: "name the source whose answers go there, as in `write_back: { api: [\(text.shortened)] }`")
                return nil
            default:
                decoder.report(
                    .notAllowed, "\(decoder.quoted(node)) is not allowed for `write_back`", word: text, of: node,
                    among: ["auto", "none"], noun: "values")
                return nil
            }
        }
    }

    /// What others call the two words, beside yes and no.
    private static let synonyms = ["all": "auto", "always": "auto", "never": "none"]

    private static func route(_ member: ConfigNode.Member, with decoder: FieldDecoder) -> Route? {
        let from = Name(source: member.key, at: decoder.places.place(ofKeyOf: member))
        return decoder.places.withValue(of: member) { node in
            guard case .sequence(let elements) = node.content else {
                decoder.report(
                    .wrongType, "expected a list of sources for `\(member.key.shortened)` in `write_back`, found \(node.kind)",
                    range: node.isNull ? member.keyRange : node.range,
                    help: node.scalarText.flatMap { FieldDecoder.words(of: $0) }.map {
                        "write `\(member.key.shortened): [\($0.map(\.inFlow).joined(separator: ", "))]`".shortened(to: 200)
                    } ?? "list the caches that it goes to, as in `\(member.key.shortened): [memory]`")
                return nil
            }
            let targets = elements.compactMap { element in
                String.decode(element, with: decoder).map { name in
                    Name(source: name, at: decoder.places.withTarget(of: element) { decoder.places.place(of: $0.range) })
                }
            }
            return Route(from: from, to: targets)
        }
    }

    /// The word; routes are not written on one line.
    public var written: String? {
        switch self {
        case .auto: "auto"
        case .none: "none"
        case .routes: nil
        }
    }
}
