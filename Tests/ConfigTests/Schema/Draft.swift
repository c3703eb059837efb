import Pipeline
import PipelineConfig

/// A piece of a configuration that is made up, with the type it was made for.
struct Draft {
    indirect enum Content {
        /// As it is written in the file.
        case scalar(String)
        case list([Draft])
        case mapping([(key: String, value: Draft)])
    }

    var content: Content
    let type: FieldType

    /// The text at the beginning of a line.
    var text: String {
        switch content {
        case .scalar(let text): text + "\n"
        case .list(let elements): elements.isEmpty ? "[]\n" : elements.map { "- " + $0.flow + "\n" }.joined()
        case .mapping(let members): members.isEmpty ? "{}\n" : members.map { $0.key + ":" + $0.value.following }.joined()
        }
    }

    /// The text behind a key.
    private var following: String {
        switch content {
        case .mapping(let members) where !members.isEmpty: "\n" + text.split(separator: "\n").map { "  " + $0 + "\n" }.joined()
        case .scalar(let text): " " + text + "\n"
        default: " " + flow + "\n"
        }
    }

    /// The text on one line.
    private var flow: String {
        switch content {
        case .scalar(let text): Self.quotedForFlow(text)
        case .list(let elements): "[" + elements.map(\.flow).joined(separator: ", ") + "]"
        case .mapping(let members): "{" + members.map { $0.key + ": " + $0.value.flow }.joined(separator: ", ") + "}"
        }
    }

    /// Between brackets, a brace in a word without quotes is a bracket, too.
    private static func quotedForFlow(_ text: String) -> String {
        let isQuotedOrList = text.first.map { "\"'[{".contains($0) } ?? true
        return isQuotedOrList || !text.contains { "{}[],".contains($0) } ? text : "\"\(text)\""
    }

    /// The number of pieces, this one included.
    var count: Int {
        switch content {
        case .scalar: 1
        case .list(let elements): elements.reduce(1) { $0 + $1.count }
        case .mapping(let members): members.reduce(1) { $0 + $1.value.count }
        }
    }

    /// Changes the piece at `index`, counted from the top down.
    mutating func change(at index: Int, _ body: (inout Draft) -> Void) {
        guard index > 0 else { return body(&self) }
        var rest = index - 1
        func descend(_ child: inout Draft) {
            if rest >= 0, rest < child.count { child.change(at: rest, body) }
            rest -= child.count
        }
        switch content {
        case .scalar: break
        case .list(var elements):
            for position in elements.indices { descend(&elements[position]) }
            content = .list(elements)
        case .mapping(var members):
            for position in members.indices { descend(&members[position].value) }
            content = .mapping(members)
        }
    }
}
