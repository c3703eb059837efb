internal import Pipeline

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

/// What was read of one source, beside the values of its fields.
struct SourceNotes {
    /// What the fields with roles say.
    var fields: [FieldNote] = []
    /// The parameters that its templates name.
    var parameterUses: [ParameterUse] = []
    /// The first variable among its credentials.
    var sentCredential: SentCredential?
    /// Whether a text could not be read that may name parameters.
    var hasUnreadTexts = false

    /// Remembers that the uses noted since there were `count` of them stand in a secret.
    mutating func keepSecretUses(since count: Int) {
        for index in parameterUses.indices.dropFirst(count) { parameterUses[index].isSecret = true }
    }

    /// Takes the uses that were noted since the last call.
    mutating func takeParameterUses() -> [ParameterUse] {
        defer { parameterUses = [] }
        return parameterUses
    }
}

/// A parameter that a template names, and where.
struct ParameterUse {
    /// How a parameter is named: `{` and `}` around the name, or `:` before it.
    enum Style {
        case braces
        case colon

        func written(_ parameter: String) -> String {
            switch self {
            case .braces: "{\(parameter)}"
            case .colon: ":\(parameter)"
            }
        }
    }

    let parameter: String
    let place: ConfigPlace
    var style = Style.braces
    /// Whether it stands in a secret, of which it may be a part.
    var isSecret = false
}

/// The text of a path, by which two spellings of one file are the same.
package enum LexicalPath {
    /// `./a//b` is `a/b`, and `a/../b` is `b`: what links lead to is not known without looking. A folder whose name has a value of a
    /// parameter in it, which stands between NULs, may be several, and stays.
    package static func normalized(_ path: String) -> String {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part != ".." {
                parts.append(part)
            } else if let last = parts.last {
                if last == ".." || last.utf8.contains(0) { parts.append(part) } else { parts.removeLast() }
            } else if !isAbsolute {
                parts.append(part)
            }
        }
        return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
    }
}

/// A credential of the environment that a source sends.
package struct SentCredential: Sendable {
    package let variable: String
    package let range: TextRange

    /// The variable that could say whose it is: `API_USER` for `API_TOKEN`.
    var user: String {
        let parts = variable.split(separator: "_").dropLast()
        return parts.isEmpty || variable.utf8.count > 40 ? "USER_ID" : parts.joined(separator: "_") + "_USER"
    }
}
