/// How far a validation goes; each level includes those before it.
///
/// New cases may come: switch with a `default`.
public enum ValidationLevel: String, Sendable, CaseIterable, Comparable {
    /// The text is one YAML document within the limits.
    case syntax
    /// Fields, types, values.
    case schema
    /// What pipelines, tiers and sources say of each other.
    case graph
    /// The variables and files it names exist.
    case env
    /// The sources can be reached, which are opened for it and not written to; see ``ConfigReport/checkSources(clock:)``.
    case connect

    /// Whether `left` looks less far.
    public static func < (left: ValidationLevel, right: ValidationLevel) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .syntax: 0
        case .schema: 1
        case .graph: 2
        case .env: 3
        case .connect: 4
        }
    }
}
