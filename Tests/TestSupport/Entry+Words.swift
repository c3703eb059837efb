package import Pipeline

extension Entry {
    /// The payload as text; nil where it is known that there is no value.
    package var text: String? { payload.map { String(decoding: $0, as: UTF8.self) } }

    /// An entry whose payload and metadata both tell that it is number `version`.
    package static func version(_ version: Int, size: Int = 0, created: Timestamp = Timestamp(nanoseconds: 1)) -> Entry {
        let text = Array("version \(version);".utf8)
        let filling = Array(repeating: UInt8(truncatingIfNeeded: version), count: max(0, size - text.count))
        return Entry(
            text + filling, created: created, stored: created, freshUntil: created + .seconds(60), etag: "\"\(version)\"")
    }

    /// The number that the payload tells, when the metadata and every byte tell the same one; else nil.
    package var wholeVersion: Int? {
        guard let etag, let version = Int(etag.filter { $0 != "\"" }), let payload, freshUntil != nil else { return nil }
        return payload == Entry.version(version, size: payload.count).payload ? version : nil
    }
}
