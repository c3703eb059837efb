/// What was read of a field with a role.
struct FieldNote: Sendable {
    let role: FieldRole
    let name: String
    /// Where the value is written; nil when the default stands in.
    let place: ConfigPlace?
    /// The value in a form in which equal values are equal; nil when there is none, or none that is known.
    let text: String?
    /// The value where it is the template of a path.
    var path: PathTemplate?
    /// What the value comes to, in words; nil where there are none.
    let explanation: String?
    /// The time that the value is, or that matters of it.
    let duration: Duration?
    /// Whether what is written could be read, variables without a value aside.
    let isSound: Bool
    /// The parameters that the value names.
    let parameters: Set<String>

    /// Whether the field has a value, known or not.
    var isGiven: Bool { place != nil || text != nil }
    /// Whether it makes a cache an origin.
    var isReadOnly: Bool { role == .readOnly && text == true.written }
}

extension FieldValue {
    /// Where something is, the same for two values that lead to one place; nil for a value that does not say such a thing.
    var location: String? {
        // Not a protocol: to ask each of the values whether it conforms would take longer than all else that is done with them.
        switch self {
        case let path as PathTemplate: LexicalPath.normalized(path.start + path.template.marked)
        case let url as URLTemplate: url.description
        case let text as TextTemplate: text.template.marked
        default: nil
        }
    }
}

extension FieldValue {
    /// Where a cache keeps its copies, the same for two values that name one place.
    var place: String? {
        guard let text = location ?? written else { return nil }
        return moved(into: ".") == nil ? text : LexicalPath.normalized(text)
    }
}

extension Template {
    /// The text with a NUL around the name of each parameter: no path and no name has one, so that a parameter is never taken for text.
    fileprivate var marked: String {
        pieces.map {
            switch $0 {
            case .literal(let text): text
            case .parameter(let name): "\0\(name)\0"
            }
        }.joined()
    }
}
