package import Pipeline

/// A priority as it is written, the most important first.
package enum PriorityWord: String, FieldChoice {
    case high
    case normal
    case low
    case background

    package init(_ priority: Priority) {
        self =
            switch priority {
            case .high: .high
            case .normal: .normal
            case .low: .low
            case .background: .background
            }
    }

    /// What it stands for.
    package var priority: Priority {
        switch self {
        case .high: .high
        case .normal: .normal
        case .low: .low
        case .background: .background
        }
    }
}
