import Synchronization

/// The pipelines that there are, by name. It keeps none of them.
package final class PipelineDirectory: Sendable {
    private struct Place {
        weak var pipeline: DataPipeline?
    }

    private let places = Mutex<[String: Place]>([:])
    private let changes = Atomic(0)

    /// How often it has changed: what it has for a name stays the same meanwhile, as long as an owner is left.
    package var version: Int { changes.load(ordering: .acquiring) }

    /// Has these pipelines from now on.
    func change(to pipelines: some Sequence<DataPipeline>) {
        let places = pipelines.map { ($0.spec.name, Place(pipeline: $0)) }
        self.places.withLock { $0 = Dictionary(places) { $1 } }
        changes.add(1, ordering: .releasing)
    }

    /// The pipeline called `name`; nil when there is none, or when none of its owners is left.
    package subscript(name: String) -> DataPipeline? { places.withLock { $0[name]?.pipeline } }
}
