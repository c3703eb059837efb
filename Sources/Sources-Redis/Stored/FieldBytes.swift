import Pipeline

/// Values one after the other, each readable without the others' lengths.
struct FieldBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append<Value: FixedWidthInteger>(_ value: Value) {
        for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func append(flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    mutating func append(_ moment: Timestamp) {
        append(moment.nanoseconds)
    }

    mutating func append(_ moment: Timestamp?) {
        append(flag: moment != nil)
        if let moment { append(moment) }
    }

    mutating func append(_ text: String?) {
        append(flag: text != nil)
        guard let text else { return }
        append(UInt32(clamping: text.utf8.count))
        bytes += text.utf8
    }
}
