public import Foundation
public import Observation
public import Pipeline
public import PipelineFoundation
public import PipelineLive
import Synchronization

/// A value of a pipeline as SwiftUI observes it: views that read it are drawn again when it changes.
///
/// ```swift
/// struct FriendsView: View {
///     @State var friends: LiveValue<[Friend]>
///
///     var body: some View {
///         List(friends.value ?? [], id: \.id) { Text($0.name) }
///             .overlay { if friends.status.isLoading { ProgressView() } }
///     }
/// }
/// ```
///
/// It observes from the moment it is made until it is released. Value, status and error change together. A view that reads only the value is
/// not drawn again for a change of the status.
@Observable @MainActor public final class LiveValue<Value: Decodable & Sendable> {
    /// The value; nil while there is none, and when there is none to have.
    ///
    /// When the newest value is not a `Value`, this is still the one before: ``error`` says so.
    public private(set) var value: Value?
    /// The status that is known beside the value.
    public private(set) var status = LiveStatus()
    /// The reason why the value is not the newest: a `DecodingError` or a `LoadError`; nil if it is.
    public private(set) var error: (any Error)?
    @ObservationIgnored private let task = Mutex<Task<Void, Never>?>(nil)

    /// Observes the value of `pipeline` for these arguments. Throws when they are not its parameters.
    public convenience init(
        _ pipeline: DataPipeline, _ arguments: [String: String] = [:], as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(UsageError) {
        self.init(try pipeline.snapshots(arguments).values(as: type, decoder: decoder))
    }

    /// Observes the value of `pipeline` for `key`.
    public convenience init(
        _ pipeline: DataPipeline, key: Key, as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) {
        self.init(pipeline.snapshots(key).values(as: type, decoder: decoder))
    }

    /// Observes `values`, such as one element: `pipeline.snapshots(key).element("7", as: Friend.self)`.
    public init(_ values: some AsyncSequence<ValueSnapshot<Value>, Never> & Sendable) {
        // Ends with the sequence, or when this is released, which it does not prevent.
        let task = Task { [weak self] in
            for await snapshot in values {
                guard let self else { return }
                show(snapshot)
            }
        }
        self.task.withLock { $0 = task }
    }

    deinit {
        task.withLock { $0?.cancel() }
    }

    private func show(_ snapshot: ValueSnapshot<Value>) {
        if snapshot.hasNewValue { value = snapshot.value }
        if snapshot.status != status { status = snapshot.status }
        if snapshot.error != nil || error != nil { error = snapshot.error }
    }
}
