package import Pipeline
internal import PipelineJSON

/// What changed in a value, as lines of JSON: `{"revision":7,"op":"update","id":"2","item":{…},"old":{…}}`.
package enum ChangeLine {
    /// A line for each change; none for a snapshot whose value is that of the one before.
    package static func lines(of snapshot: Snapshot, format: PayloadFormat) -> [String] {
        let revision = ("revision", JSONText.number("\(snapshot.revision)"))
        if snapshot.changes.isReset {
            return [line([revision, ("op", .string("reset")), Envelope.value(snapshot.entry?.payload, format: format)])]
        }
        return snapshot.changes.changes.map { line([revision] + members(of: $0)) }
    }

    private static func members(of change: ListChanges.Change) -> [(String, JSONText)] {
        let (word, at): (String, JSONText?) =
            switch change.operation {
            case .insert(let index): ("insert", .int(index))
            case .update: ("update", nil)
            case .delete: ("delete", nil)
            }
        let parts = [("at", at), ("item", change.item.map(json)), ("old", change.old.map(json))]
        return [("op", .string(word)), ("id", .string(change.id))] + parts.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func json(_ element: [UInt8]) -> JSONText { .raw(JSONScanner.compacted(element)) }

    private static func line(_ members: [(String, JSONText)]) -> String { JSONText.object(members).text }
}
