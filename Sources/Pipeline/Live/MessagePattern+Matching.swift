internal import PipelineJSON

extension MessagePattern {
    /// Whether `payload` is JSON that has every member of the pattern.
    package func matches(_ payload: [UInt8]) -> Bool {
        !members.isEmpty && JSONScanner.problem(of: payload) == nil && matches(json: payload)
    }

    /// The same for a payload that is known to be JSON.
    func matches(json payload: [UInt8]) -> Bool {
        !members.isEmpty
            && members.allSatisfy { pointer, text in
                guard let scalar = JSONScanner.scalar(at: pointer, in: payload) else { return false }
                if case .number(let number) = scalar, let wanted = JSONNumber(text) { return number == wanted }
                return scalar.text.hasSameBytes(as: text)
            }
    }
}
