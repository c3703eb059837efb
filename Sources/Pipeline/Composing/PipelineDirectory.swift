import Synchronization

/// The pipelines that there are, by name. It keeps none of them.
final class PipelineDirectory: Sendable {
    private struct Place {
        weak var pipeline: DataPipeline?
    }

    private let places = Mutex<[String: Place]>([:])

    /// Has these pipelines from now on.
    func change(to pipelines: some Sequence<DataPipeline>) {
        let places = pipelines.map { ($0.spec.name, Place(pipeline: $0)) }
        self.places.withLock { $0 = Dictionary(places) { $1 } }
    }

    /// The pipeline called `name`; nil when there is none, or when none of its owners is left.
    subscript(name: String) -> DataPipeline? { places.withLock { $0[name]?.pipeline } }
}
