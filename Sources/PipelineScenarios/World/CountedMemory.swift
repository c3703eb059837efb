internal import Pipeline

/// The memory of one process, which counts how often it is used.
struct CountedMemory: WritableSource {
    let memory: any WritableSource
    let name: String
    let log: SourceLog
    let access: ScriptedAccess

    var style: ReadStyle { memory.style }

    func peek(_ key: Key) throws -> Entry? {
        log.noteRead(of: name)
        return try memory.peek(key)
    }

    func peek(text: Span<UInt8>, hash: UInt64) throws -> (key: Key, entry: Entry)? {
        log.noteRead(of: name)
        return try memory.peek(text: text, hash: hash)
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        log.noteRead(of: name)
        return try await memory.read(key, context)
    }

    func write(_ entry: Entry, for key: Key) async throws {
        try access.check()
        log.noteWrite(to: name)
        try await memory.write(entry, for: key)
    }

    func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try access.check()
        return try await memory.renew(held, as: entry, for: key)
    }

    func remove(_ key: Key) async throws { try await memory.remove(key) }

    func clear(pipeline: String) async throws { try await memory.clear(pipeline: pipeline) }

    func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        try await memory.contents(of: pipeline, limit: limit)
    }
}
