/// What kind of problem a diagnostic reports. Codes are stable: people allow, search and quote them.
public enum DiagnosticCode: String, Sendable, CaseIterable, Hashable {
    case yamlSyntax = "P001"
    case duplicateKey = "P002"
    case overLimit = "P003"
    case unreadable = "P004"
    case severalDocuments = "P005"
    case unknownField = "P101"
    case missingField = "P102"
    case wrongType = "P103"
    case outOfRange = "P104"
    case malformed = "P105"
    case unknownSourceType = "P106"
    case notAllowed = "P107"
    case undefinedSource = "P201"
    case repeatedSource = "P202"
    case unusedSource = "P203"
    case writeBackUnwritable = "P204"
    case writeBackForeign = "P205"
    case undeclaredParameter = "P206"
    case unusedParameter = "P207"
    case unsupportedPolicy = "P303"
    case variableNotSet = "P401"
    case fileMissing = "P402"
    case cannotConnect = "P501"
    case connectionRefused = "P502"

    /// The severity it is reported with.
    public var severity: Diagnostic.Severity {
        switch self {
        case .unusedSource, .unusedParameter: .warning
        default: .error
        }
    }

    /// The level of validation that finds it.
    public var level: ValidationLevel {
        switch rawValue.dropFirst().first {
        case "0": .syntax
        case "1": .schema
        case "2", "3": .graph
        case "5": .connect
        default: .env
        }
    }
}
