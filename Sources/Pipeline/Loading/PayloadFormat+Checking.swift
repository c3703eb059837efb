extension PayloadFormat {
    /// Why `payload` is not of this format, or nil when it is.
    func problem(of payload: [UInt8]) -> String? {
        switch self {
        case .json: JSONScanner.problem(of: payload).map { "not JSON: \($0.description)" }
        case .text: payload.withUnsafeBufferPointer { UTF8Scanner.firstInvalid(in: $0) }.map { "not UTF-8: byte \($0)" }
        case .bytes: nil
        }
    }
}
