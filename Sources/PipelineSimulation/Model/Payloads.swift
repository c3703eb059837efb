internal import Pipeline

/// The payloads of simulated values: of a length and a version, each made once and shared by all entries that have it.
struct Payloads {
    private struct ID: Hashable {
        let size: Int
        let version: UInt8
    }

    private var made: [ID: [UInt8]] = [:]
    /// The one that was asked for last: most values have one length.
    private var last: (id: ID, payload: [UInt8])?

    /// Bytes of this length. Payloads of one length are equal when their versions are, modulo 16.
    mutating func payload(size: Int, version: Int64) -> [UInt8] {
        let id = ID(size: size, version: UInt8(truncatingIfNeeded: version & 15))
        if let last, last.id == id { return last.payload }
        if let payload = made[id] {
            last = (id, payload)
            return payload
        }
        var payload = [UInt8](repeating: 0, count: size)
        if size > 0 { payload[size - 1] = id.version }
        made[id] = payload
        return payload
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
