internal import Pipeline

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
