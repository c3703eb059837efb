internal import PipelineJSON

/// A value in which links are followed.
struct LinkedValue: Sendable {
    /// The same value can be reached by several paths, and different links followed in it.
    struct ID: Hashable, Sendable {
        /// Which one of the ``LinkTree`` it is.
        let node: Int
        let key: Key
    }

    /// A followed value in the place of a reference or beside it.
    struct Placement: Sendable {
        let link: PlacedLink
        let place: JSONPlace
        let target: Target
    }

    enum Target: Sendable {
        case null
        /// A target of the ``LinkBook``, by its number.
        case one(Int)
        case many([Target])
    }

    let node: Int
    let payload: [UInt8]
    let pipeline: PipelineSpec
    let key: Key
    /// Where it stands first in the whole.
    let at: String
    var placements: [Placement] = []
}
