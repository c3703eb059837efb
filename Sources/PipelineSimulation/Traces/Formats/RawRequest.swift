internal import Pipeline

/// A request as its file has it.
struct RawRequest {
    /// A key as its file has it.
    enum RawKey {
        case text(ArraySlice<UInt8>)
        case number(UInt64)
    }

    /// Nanoseconds since a moment of the file's own; 0 without times.
    var time: Int64 = 0
    var key: RawKey
    var size: Int64 = 0
    var operation = TraceRequest.Operation.fetch
    var policy = FetchPolicy.default
}
