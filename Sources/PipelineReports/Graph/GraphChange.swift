/// What a change of the configuration does to something that is drawn.
package enum GraphChange: String, Hashable {
    case added
    case removed
    /// Asked at another place in the order.
    case moved
    case changed

    /// `+`, `-` or `~`.
    var mark: String {
        switch self {
        case .added: "+"
        case .removed: "-"
        case .moved, .changed: "~"
        }
    }
}
