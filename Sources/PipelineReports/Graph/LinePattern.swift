/// How a line is drawn.
enum LinePattern {
    case solid
    case dashed
    /// The line to a part that the whole can do without.
    case dispensable
    /// The line to a link.
    case dotted

    /// The attribute of a line with a space before it; empty for a solid one.
    var attribute: String {
        switch self {
        case .solid: ""
        case .dashed: " stroke-dasharray=\"5 4\""
        case .dispensable: " stroke-dasharray=\"6 4\""
        case .dotted: " stroke-dasharray=\"1.5 4\""
        }
    }
}
