/// The meanings of the columns of a `csv` trace: `time=2,key=5,size=4,op=3`, counted from 1, or names of the header.
public struct TraceColumns: Hashable, Sendable {
    /// Places of columns, counted from 0.
    struct Places {
        var key = 0
        var time: Int?
        var size: Int?
        var operation: Int?
        /// Indicates whether the first line names them.
        var areOfHeader = false

        /// The number of columns that a line must have.
        var count: Int { 1 + [key, time ?? 0, size ?? 0, operation ?? 0].reduce(0, max) }
    }

    private static let words = ["time", "key", "size", "op"]
    private static let usual = [
        "time": ["time", "timestamp", "ts", "seconds"], "key": ["key", "id", "obj_id", "object", "obj", "lbn"],
        "size": ["size", "bytes", "obj_size"], "op": ["op", "operation", "command"],
    ]
    private var texts: [String: String] = [:]

    /// The columns that `text` names. `key` is needed.
    public init(_ text: String) throws(TraceError) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard sides.count == 2, Self.words.contains(sides[0]), texts[sides[0]] == nil, Int(sides[1]).map({ $0 > 0 }) ?? true else {
                throw TraceError("`\(part)` is not a column", help: "columns are given as in `time=2,key=5,size=4,op=3`")
            }
            texts[sides[0]] = sides[1]
        }
        guard texts["key"] != nil else { throw TraceError("`\(text)` does not name the column of the key", help: "add `key=`") }
    }

    private init() {}

    /// The columns that have usual names in `header`.
    static func usual(in header: [String], at feed: ByteFeed) throws(TraceError) -> TraceColumns {
        var columns = TraceColumns()
        for (word, names) in usual {
            // The most usual name counts, wherever it stands.
            columns.texts[word] = names.lazy.compactMap { name in header.first { $0.lowercased() == name } }.first
        }
        guard columns.texts["key"] != nil else {
            throw TraceError(
                "line \(feed.number) does not name a column `key`", help: "say which columns are what, as in `--columns time=2,key=5`")
        }
        return columns
    }

    /// Indicates whether these are usual names: one is `key`, or several are known.
    static func areUsual(_ names: [ArraySlice<UInt8>]) -> Bool {
        let names = names.map { String(decoding: $0.trimmed, as: UTF8.self).lowercased() }
        return names.contains("key") || names.count { usual.values.joined().contains($0) } > 1
    }

    /// The places of the columns, below a first line of `header`.
    func places(in header: [String]) throws(TraceError) -> Places {
        var found: [String: Int] = [:]
        var areOfHeader = false
        for (word, text) in texts.sorted(by: { $0.key < $1.key }) {
            if let number = Int(text) {
                found[word] = number - 1
            } else if let index = header.firstIndex(of: text) {
                found[word] = index
                areOfHeader = true
            } else {
                let names = header.prefix(20).joined(separator: "`, `")
                throw TraceError("the first line has no column `\(text)`", help: "its columns are `\(names)`")
            }
        }
        return Places(
            key: found["key"] ?? 0, time: found["time"], size: found["size"], operation: found["op"], areOfHeader: areOfHeader)
    }
}
