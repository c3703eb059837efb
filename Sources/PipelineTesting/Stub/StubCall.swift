public import Pipeline

/// One call of a scripted source, recorded when it began, whatever came of it.
public enum StubCall: Sendable, Equatable {
    /// A read of a key.
    case read(Key)
    /// A revalidation of the entry that the caller had.
    case revalidate(Key, known: Entry)
    /// A write of an entry.
    case write(Key, Entry)
    /// A removal of a key.
    case remove(Key)
    /// A removal of all keys of a pipeline.
    case clear(pipeline: String)

    /// The kind of call.
    public var operation: StubOperation {
        switch self {
        case .read: .reads
        case .revalidate: .revalidations
        case .write: .writes
        case .remove: .removes
        case .clear: .clears
        }
    }

    /// The key it was about; nil for a clear.
    public var key: Key? {
        switch self {
        case .read(let key), .revalidate(let key, _), .write(let key, _), .remove(let key): key
        case .clear: nil
        }
    }
}

extension StubCall: CustomStringConvertible {
    /// `read friends,user=42`.
    public var description: String {
        switch self {
        case .read(let key): "read \(key)"
        case .revalidate(let key, _): "revalidate \(key)"
        case .write(let key, _): "write \(key)"
        case .remove(let key): "remove \(key)"
        case .clear(let pipeline): "clear \(pipeline)"
        }
    }
}
