internal import Pipeline

/// The values of simulated origins. A few bytes stand for each payload, however large it is: they say its size and its version.
struct Payloads {
    /// The one that was asked for last: most values have one length.
    private var last: (size: Int, version: UInt8, entry: Entry)?

    /// A value whose payload counts `size` bytes. Payloads of one size are equal when their versions are, modulo 16.
    mutating func entry(size: Int, version: Int64, created: Timestamp, source: String? = nil) -> Entry {
        let version = UInt8(truncatingIfNeeded: version & 15)
        var entry: Entry
        if let last, last.size == size, last.version == version {
            entry = last.entry
        } else {
            let payload = size == 0 ? [] : [version] + (0..<8).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
            entry = Entry(payload, created: created)
            if payload.count != size { entry = entry.simulated(size: size) }
            last = (size, version, entry)
        }
        entry.created = created
        return source.map(entry.attributed) ?? entry
    }
}

/// When the values of an origin change: each key in the same rhythm, from a moment of its own on.
struct ValueChanges: Sendable {
    private let period: Int64
    private let seed: UInt64

    init?(_ model: SourceModel, seed: UInt64) {
        guard let every = model.changes?.saturatedNanoseconds, every > 0 else { return nil }
        (period, self.seed) = (every, seed)
    }

    /// How often the value of `key` had changed at `moment`, in nanoseconds since the first request.
    func version(of key: Key, at moment: Int64) -> Int64 {
        let (sum, overflow) = moment.addingReportingOverflow(phase(of: key))
        return overflow ? 0 : sum / period
    }

    /// For how long at `moment` a value had been another that was loaded at `loaded`; 0 where it had not changed.
    func wrongFor(_ key: Key, loaded: Int64, at moment: Int64) -> Int64 {
        let version = version(of: key, at: loaded)
        return max(0, moment - ((version + 1) * period - phase(of: key)))
    }

    private func phase(of key: Key) -> Int64 { Int64((key.hash ^ seed).scrambled % UInt64(period)) }
}
