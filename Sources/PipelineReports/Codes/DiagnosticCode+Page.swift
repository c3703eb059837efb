package import PipelineConfig

extension DiagnosticCode {
    /// The page of the code.
    package var page: DiagnosticPage {
        switch self {
        case .yamlSyntax: .yamlSyntax
        case .duplicateKey: .duplicateKey
        case .overLimit: .overLimit
        case .unreadable: .unreadable
        case .severalDocuments: .severalDocuments
        case .unknownField: .unknownField
        case .missingField: .missingField
        case .wrongType: .wrongType
        case .outOfRange: .outOfRange
        case .malformed: .malformed
        case .unknownSourceType: .unknownSourceType
        case .notAllowed: .notAllowed
        case .undefinedSource: .undefinedSource
        case .repeatedSource: .repeatedSource
        case .unusedSource: .unusedSource
        case .writeBackUnwritable: .writeBackUnwritable
        case .writeBackForeign: .writeBackForeign
        case .undeclaredParameter: .undeclaredParameter
        case .unusedParameter: .unusedParameter
        case .unreachableTier: .unreachableTier
        case .cutTimeToLive: .cutTimeToLive
        case .unsupportedPolicy: .unsupportedPolicy
        case .noOrigin: .noOrigin
        case .debounceOutlivesCopy: .debounceOutlivesCopy
        case .sharedCopy: .sharedCopy
        case .sharedPlace: .sharedPlace
        case .unboundedCache: .unboundedCache
        case .credentialInFile: .credentialInFile
        case .pointlessLimit: .pointlessLimit
        case .lookalike: .lookalike
        case .endlessCopy: .endlessCopy
        case .variableNotSet: .variableNotSet
        case .fileMissing: .fileMissing
        case .emptyCredential: .emptyCredential
        case .cannotConnect: .cannotConnect
        case .connectionRefused: .connectionRefused
        case .needlessAllow: .needlessAllow
        }
    }
}
