/// The kind of problem that a diagnostic reports. Codes are stable: users allow, search and quote them.
///
/// New cases may come: switch with a `default`.
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
    case misplacedSource = "P208"
    case mergingFormat = "P209"
    case unknownParameter = "P210"
    case undefinedPipeline = "P211"
    case wrongArgument = "P212"
    case circularPipelines = "P213"
    case undefinedPart = "P214"
    case misplacedSend = "P215"
    case mergedInTwoWays = "P216"
    case changedComposite = "P217"
    case unreachableTier = "P301"
    case cutTimeToLive = "P302"
    case unsupportedPolicy = "P303"
    case noOrigin = "P304"
    case debounceOutlivesCopy = "P305"
    case sharedCopy = "P306"
    case sharedPlace = "P307"
    case unboundedCache = "P308"
    case credentialInFile = "P309"
    case pointlessLimit = "P310"
    case undelayedChanges = "P311"
    case unprovenConfirmation = "P312"
    case callForEachLink = "P313"
    case keptPastPart = "P314"
    case unlimitedPart = "P315"
    case partOfBytes = "P316"
    case differingLimits = "P317"
    case unrepeatableMethod = "P318"
    case contradictoryFreshness = "P319"
    case uncheckedForever = "P320"
    case lookalike = "P321"
    case endlessCopy = "P322"
    case smallHedgeBudget = "P323"
    case unrepeatableSend = "P324"
    case overwritingRefetch = "P325"
    case copyOfAnotherCredential = "P334"
    case variableNotSet = "P401"
    case fileMissing = "P402"
    case emptyCredential = "P403"
    case cannotConnect = "P501"
    case connectionRefused = "P502"
    case unknownInTest = "P601"
    case unscriptedOrigin = "P602"
    case pointlessTest = "P603"
    case repeatedTest = "P604"
    case onlyTest = "P605"
    case needlessAllow = "P901"

    /// The severity it is reported with.
    public var severity: Diagnostic.Severity {
        switch self {
        case .unusedSource, .unusedParameter, .unreachableTier, .cutTimeToLive, .noOrigin, .unboundedCache, .credentialInFile,
            .pointlessLimit, .undelayedChanges, .unprovenConfirmation, .callForEachLink, .keptPastPart, .unlimitedPart,
            .smallHedgeBudget, .unrepeatableSend, .overwritingRefetch, .contradictoryFreshness, .uncheckedForever, .lookalike, .endlessCopy,
            .copyOfAnotherCredential,
            .emptyCredential, .needlessAllow:
            .warning
        case .differingLimits: .note
        default: .error
        }
    }

    /// The level of validation that finds it.
    public var level: ValidationLevel {
        switch rawValue.dropFirst().first {
        case "0": .syntax
        case "1": .schema
        case "2", "3", "6", "9": .graph
        case "5": .connect
        default: .env
        }
    }
}

extension DiagnosticCode {
    /// The code that `name` spells, in lower or upper case; nil when there is none.
    public init?(named name: String) {
        guard name.utf8.count == 4, let code = DiagnosticCode(rawValue: name.uppercased()) else { return nil }
        self = code
    }
}

/// The depth of a validation; each level includes those before it.
///
/// New cases may come: switch with a `default`.
public enum ValidationLevel: String, Sendable, CaseIterable, Comparable {
    /// The text is one YAML document within the limits.
    case syntax
    /// Fields, types, values.
    case schema
    /// The relations of pipelines, tiers and sources.
    case graph
    /// The variables and files it names exist.
    case env
    /// The sources can be reached, which are opened for it and not written to; see ``ConfigReport/checkSources(clock:)``.
    case connect

    /// Indicates whether `left` looks less far.
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
