internal import Pipeline
internal import PipelineJSON

/// Checks whole texts.
enum UTF8Text {
    /// The offset of the first byte that is not well-formed UTF-8; nil when all is.
    static func firstInvalid(in text: [UInt8]) -> Int? {
        text.withUnsafeBufferPointer(UTF8Scanner.firstInvalid)
    }
}
