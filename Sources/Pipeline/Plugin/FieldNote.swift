/// What was read of a field with a role.
struct FieldNote: Sendable {
    let role: FieldRole
    let name: String
    /// Where the value is written; nil when the default stands in.
    let place: ConfigPlace?
    /// The value in a form in which equal values are equal; nil when there is none, or none that is known.
    let text: String?
    /// The value of a field that is a duration.
    let duration: Duration?
    /// Whether what is written could be read, variables without a value aside.
    let isSound: Bool
    /// The parameters that the value names.
    let parameters: Set<String>

    /// Whether the field has a value, known or not.
    var isGiven: Bool { place != nil || text != nil }
}

/// A value that can say where something is.
protocol LocatingValue {
    /// The same for two values that lead to one place.
    var location: String { get }
}

extension PathTemplate: LocatingValue {
    /// `./a//b` is `a/b`. What links and `..` lead to is not known without looking.
    var location: String {
        // No path has a NUL in it, so that a parameter is never taken for text.
        let path = ([Template.Piece.literal(start)] + template.pieces).map {
            switch $0 {
            case .literal(let text): text
            case .parameter(let name): "\0\(name)\0"
            }
        }.joined()
        let parts = path.split(separator: "/").filter { $0 != "." }
        return (path.utf8.first == UInt8(ascii: "/") ? "/" : "") + parts.joined(separator: "/")
    }
}

extension URLTemplate: LocatingValue {
    var location: String { description }
}

extension TextTemplate: LocatingValue {
    var location: String {
        template.pieces.map {
            switch $0 {
            case .literal(let text): text
            case .parameter(let name): "\0\(name)\0"
            }
        }.joined()
    }
}
