public import PipelineJSON

/// How a pipeline makes one value from those of others.
///
/// ```swift
/// let home = PipelineSpec(
///     "home", parameters: ["user"],
///     combine: CompositeSpec(
///         .object([
///             ("me", PartSpec("user", with: ["id": "{user}"])),
///             ("friends", "friends"),
///             ("ads", PartSpec("ads", default: "[]", timeout: .milliseconds(300))),
///         ])))
/// let pipelines = try Pipelines([user, friends, ads, home])
/// ```
///
/// The whole is an answer like that of an origin: tiers above keep it, and stale windows, flights and deadlines hold for it. Each part is fetched
/// through its own pipeline, with that one's caches and policies.
public struct CompositeSpec: Sendable {
    /// What the whole is.
    ///
    /// New cases may come: switch with a `default`.
    public enum Shape: Sendable {
        /// An object with a member for each part, in this order.
        case object([(name: String, part: PartSpec)])
        /// One list with the elements of all, or one object with their members.
        ///
        /// - Parameters:
        ///   - by: where the id of an element is: of elements with one id, the first place is kept; nil keeps all of them.
        ///   - prefer: whose bytes an element has that occurs in several parts.
        case merge([PartSpec], by: JSONPointer? = nil, prefer: Preference = .first)
        /// The elements of a list, each with the element of another that belongs to it: the one whose `toOn` is the same as its `on`, as a member
        /// called `as`.
        ///
        /// - Parameters:
        ///   - on: where an element of the list names the other one. An element that names none stays as it is.
        ///   - to: the list of what is joined.
        ///   - toOn: where an element of that has its id.
        case join(PartSpec, on: JSONPointer, to: PartSpec, toOn: JSONPointer, as: String)
        /// The value of one part, such as with links followed in it.
        case of(PartSpec)
    }

    /// Which of several elements with one id gives the bytes.
    ///
    /// New cases may come: switch with a `default`.
    public enum Preference: String, Sendable, CaseIterable {
        /// That of the first part.
        case first
        /// That of the last part.
        case last
    }

    /// The most parts of one composite.
    package static let mostParts = 64
    /// The most composites in a chain, each a part of the next.
    package static let mostInChain = 16

    /// What the whole is.
    package var shape: Shape
    /// The members that are kept of the whole, or of each of its elements where it is a list, and where their values are; empty for all. What is
    /// not there stays away.
    package var pick: [(name: String, at: JSONPointer)]
    /// The most calls of origins that run at the same time for one fetch; a call for a batch is one. What caches have is asked at once. Of
    /// composites within composites, that of the one that is fetched holds for all.
    package var concurrency: Int
    /// The most ids that one link may follow.
    package var max: Int
    /// The largest combined value.
    package var maxSize: Size

    /// A composite of this shape.
    ///
    /// - Parameters:
    ///   - pick: keeps only these members, each from the given place; in a list, of each element. Empty for all. A member whose place is
    ///     missing is left out.
    ///   - concurrency: the most calls of origins that run at the same time for one fetch; a call for a batch is one. What caches have is asked
    ///     at once. Of composites within composites, that of the one that is fetched holds for all.
    ///   - max: the most ids that one link may follow.
    ///   - maxSize: the largest combined value.
    public init(
        _ shape: Shape, pick: [(name: String, at: JSONPointer)] = [], concurrency: Int = 16, max: Int = 1_000,
        maxSize: Size = Size(bytes: 64 << 20)
    ) {
        (self.shape, self.pick) = (shape, pick)
        (self.concurrency, self.max, self.maxSize) = (concurrency, max, maxSize)
    }
}
