import Pipeline

extension Entry {
    /// An entry whose payload and metadata both tell that it is number `version`; large enough to take several pages.
    static func version(_ version: Int, size: Int) -> Entry {
        let line = Array("version \(version);".utf8)
        let payload = Array(repeatElement(line, count: 1 + size / line.count).joined())
        return Entry(payload, created: Timestamp(nanoseconds: 1), stored: Timestamp(nanoseconds: 1), etag: "\(version)")
    }

    /// The number that the payload tells, when the metadata and every byte tell the same one; else nil.
    var wholeVersion: Int? {
        guard let version = etag.flatMap({ Int($0) }), let payload else { return nil }
        return payload == Entry.version(version, size: max(0, payload.count - "version \(version);".utf8.count)).payload ? version : nil
    }
}
