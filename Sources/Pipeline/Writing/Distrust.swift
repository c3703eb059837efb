/// What a source was told to forget and failed to: its copies of it are not served until it has.
struct Distrust: Sendable {
    var keys: Set<Key> = []
    var pipelines: Set<String> = []

    var isEmpty: Bool { keys.isEmpty && pipelines.isEmpty }

    func contains(_ key: Key) -> Bool {
        !isEmpty && (keys.contains(key) || pipelines.contains(key.pipeline))
    }

    /// The pipeline was cleared.
    mutating func forget(pipeline: String) {
        pipelines.remove(pipeline)
        keys = keys.filter { $0.pipeline != pipeline }
    }
}
