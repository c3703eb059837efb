/// A step of reading or writing a file, in the order they are taken. Tests let a step fail, or the process end before it.
enum FileStep: String, CaseIterable, Codable, Sendable {
    case readPayload
    case readSidecar
    case createTemporary
    case writePayload
    case syncPayload
    case stampPayload
    case lockFolder
    case writeSidecar
    case syncSidecar
    case replaceSidecar
    case replacePayload
    case syncFolder
    case removePayload
    case removeSidecar
}

/// An action before each step; none outside of tests.
typealias FileStepHook = @Sendable (FileStep) throws(SystemFailure) -> Void
