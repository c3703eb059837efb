import Glibc

/// A call of the system that failed.
struct SystemError: Error, CustomStringConvertible {
    private let action: String
    private let code: Int32

    init(_ action: String, _ code: Int32) {
        self.action = action
        self.code = code
    }

    var description: String { "cannot \(action): \(String(cString: strerror(code)))" }
}
