internal import PipelineJSON

/// A link in one value: where its references stand, and where their targets go.
final class PlacedLink: Sendable {
    let spec: LinkSpec
    let places: JSONPlaces
    /// Whether a target takes the place of its reference, and does not stand beside it.
    let replaces: Bool
    /// What stands before a target beside its reference.
    let label: [UInt8]
    private let payload: [UInt8]
    private let at: String

    init(_ spec: LinkSpec, _ places: JSONPlaces, in value: LinkedValue) {
        (self.spec, self.places, payload, at) = (spec, places, value.payload, value.at)
        replaces = spec.place.memberName.map { $0.hasSameBytes(as: spec.name) } ?? false
        label = JSONSplice.label(spec.name)
    }

    /// Where the reference at the place of this number stands in the whole.
    func reference(at number: Int) -> String { at + places.pointer(to: places[number], in: payload).description }

    /// Where its target goes.
    func target(at number: Int) -> String {
        at + JSONPointer(tokens: places.pointer(to: places[number], in: payload).tokens.dropLast() + [spec.name]).description
    }
}
