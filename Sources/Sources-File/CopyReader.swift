internal import Pipeline

/// Reads copies: a payload together with the metadata that belongs to it.
struct CopyReader: Sendable {
    let layout: FileLayout
    let payloads: PayloadReader
    let sidecars: SidecarReader
    let table: CopyTable
    let clock: PipelineClock

    private enum Attempt {
        case found(Entry)
        case none
        /// Another payload came between the reading of payload and sidecar.
        case replaced
    }

    /// The copy of `key`, with times of this process, and the path it has; or nil.
    func read(_ key: Key) throws -> (entry: Entry, path: String)? {
        let known = table[key]
        let path = try known?.path ?? layout.path(for: key)
        var trusted: (status: FileStatus, entry: Entry)?
        // Another process may have renewed one that expired, which leaves the payload as it is.
        if let known, let entry = clock.restoredWithinLimit(known.entry) { trusted = (known.status, entry) }
        for _ in 0..<4 {
            switch try attempt(key, at: path, known: trusted) {
            case .found(let entry): return (entry, path)
            case .none: return nil
            case .replaced: continue
            }
        }
        throw SourceError.cannot("read", path, because: "it changes while it is read")
    }

    private func attempt(_ key: Key, at path: String, known: (status: FileStatus, entry: Entry)?) throws -> Attempt {
        guard let payload = try payloads.read(path) else { return .none }
        if let known, known.status.isSameContent(as: payload.status) {
            return .found(known.entry.holding(payload.bytes))
        }
        let entry: Entry
        switch try sidecars.read(besidePayload: path)?.finding(for: payload.status.identity) ?? .nothing {
        case .record(let record):
            // Two keys can have one file where names differ in nothing but case.
            guard record.key == key.text else { return .none }
            entry = record.entry
        case .torn(let written):
            guard isPresent(payload, at: path) else { return .replaced }
            throw SourceError("\(path) is torn: \(payload.bytes.count) of \(written.size) bytes are there", kind: .invalid)
        case .nothing:
            // The sidecar may be that of a payload which came after this one was read. It did not if this one is still there.
            guard isPresent(payload, at: path) else { return .replaced }
            let time = Timestamp(nanoseconds: payload.status.modified)
            entry = Entry([], created: time, stored: time)
        }
        table.remember(CopyTable.Copy(path: path, status: payload.status, entry: entry), for: key)
        return .found(clock.restored(entry.holding(payload.bytes)))
    }

    private func isPresent(_ payload: PayloadReader.Payload, at path: String) -> Bool {
        (try? FileStatus(of: path, following: false))?.isSameContent(as: payload.status) ?? false
    }
}

extension Entry {
    /// This entry with `payload` in place of its own.
    fileprivate func holding(_ payload: [UInt8]) -> Entry {
        var entry = self
        entry.payload = payload
        return entry
    }
}
