package import Pipeline
internal import PipelineJSON

/// A snapshot as lines of JSON, for `watch` and for streams.
package struct SnapshotText {
    private let snapshot: Snapshot
    private let format: PayloadFormat

    package init(_ snapshot: Snapshot, format: PayloadFormat) {
        self.snapshot = snapshot
        self.format = format
    }

    /// The value on one line; nil without one. Text, and bytes in Base64, stand in a JSON string.
    package var value: String? {
        snapshot.entry?.payload.map { PayloadText.json($0, format).text }
    }

    /// What changed since the snapshot that the same observer had before, one line for each element; a `reset` with the whole value where it
    /// was replaced, null where it is gone.
    package var changes: [String] {
        if snapshot.changes.isReset { return [reset] }
        return snapshot.changes.changes.map(line)
    }

    private var reset: String {
        JSONText.object([revision, ("op", .string("reset")), PayloadText.member(snapshot.entry?.payload, format)]).text
    }

    private var revision: (String, JSONText) { ("revision", .number("\(snapshot.revision)")) }

    private func line(_ change: ListChanges.Change) -> String {
        var members = [revision]
        switch change.operation {
        case .delete: members += [("op", .string("delete")), ("id", .string(change.id))]
        case .update: members += [("op", .string("update")), ("id", .string(change.id))]
        case .insert(let index): members += [("op", .string("insert")), ("id", .string(change.id)), ("at", .int(index))]
        }
        if let item = change.item { members.append(("item", .raw(JSONScanner.compacted(item)))) }
        if let old = change.old { members.append(("old", .raw(JSONScanner.compacted(old)))) }
        return JSONText.object(members).text
    }
}
