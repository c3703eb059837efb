internal import PipelineJSON

extension MergePolicy {
    /// The id of the item at `range`; nil where a part of it is missing, or neither a string nor a number.
    func id(of bytes: [UInt8], at range: Range<Int>) -> ItemID? {
        guard !id.isEmpty else { return nil }
        if id.count == 1 { return part(id[0], of: bytes, at: range).map { ItemID($0) } }
        var parts: [String] = []
        for pointer in id {
            guard let part = part(pointer, of: bytes, at: range) else { return nil }
            parts.append(part)
        }
        return ItemID(parts)
    }

    private func part(_ pointer: JSONPointer, of bytes: [UInt8], at range: Range<Int>) -> String? {
        switch JSONScanner.scalar(at: pointer, in: bytes, at: range) {
        case .string(let text): text
        case .number(let number): number.description
        case .null, .bool, nil: nil
        }
    }

    /// The version of the item at `range`; nil where none is declared, or the item has none.
    func version(of bytes: [UInt8], at range: Range<Int>) -> ItemVersion? {
        version.flatMap { JSONScanner.scalar(at: $0, in: bytes, at: range) }.flatMap { ItemVersion($0) }
    }
}
