public import PipelineJSON

/// How a pipeline makes one value from those of others.
///
/// ```swift
/// let home = PipelineSpec(
///     "home", parameters: ["user"],
///     combine: CompositeSpec(
///         .object([
///             .init("me", PartSpec("user", with: ["id": "{user}"])),
///             .init("friends", "friends"),
///             .init("ads", PartSpec("ads", default: "[]", timeout: .milliseconds(300))),
///         ])))
/// let pipelines = try Pipelines([user, friends, ads, home])
/// ```
///
/// The whole is an answer like that of an origin: tiers above keep it, and stale windows, flights and deadlines hold for it. Each part is fetched
/// through its own pipeline, with that one's caches and policies.
public struct CompositeSpec: Sendable {
    /// What the whole is.
    public enum Shape: Sendable {
        /// An object with a member for each part, in this order.
        case object([Member])
        /// One list with the elements of all, or one object with their members.
        ///
        /// - Parameters:
        ///   - by: where the id of an element is: of elements with one id, the first place is kept; nil keeps all of them.
        ///   - prefer: whose bytes an element has that occurs in several parts.
        case merge([PartSpec], by: JSONPointer? = nil, prefer: Preference = .first)
        /// The elements of a list, each with the element of another that belongs to it.
        case join(JoinSpec)
        /// The value of one part, such as with links followed in it.
        case of(PartSpec)
    }

    /// A member of the object.
    public struct Member: Sendable {
        /// Its name.
        package let name: String
        /// Its value.
        package let part: PartSpec

        /// The member called `name`.
        public init(_ name: String, _ part: PartSpec) {
            (self.name, self.part) = (name, part)
        }
    }

    /// Which of several elements with one id gives the bytes.
    public enum Preference: String, Sendable, CaseIterable {
        /// That of the first part.
        case first
        /// That of the last part.
        case last
    }

    /// A member that is kept, and where its value is.
    public struct Pick: Sendable, Hashable {
        /// The name it has afterwards.
        package let name: String
        /// Where its value is in the element, or in the object.
        package let place: JSONPointer

        /// Keeps what is at `place` as `name`.
        public init(_ name: String, at place: JSONPointer) {
            (self.name, self.place) = (name, place)
        }
    }

    /// The most parts of one composite.
    package static let mostParts = 64
    /// The most composites in a chain, each a part of the next.
    package static let mostInChain = 16

    /// What the whole is.
    package var shape: Shape
    /// The members that are kept of the whole, or of each of its elements where it is a list; empty for all. What is not there stays away.
    package var pick: [Pick]
    /// The most calls of origins that run at the same time for one fetch; a call for a batch is one. What caches have is asked at once. Of
    /// composites within composites, that of the one that is fetched holds for all.
    package var concurrency: Int
    /// The most ids of one link.
    package var max: Int
    /// The largest whole.
    package var maxSize: Size

    /// A composite of this shape.
    ///
    /// - Parameters:
    ///   - pick: the members that are kept of the whole, or of each of its elements where it is a list; empty for all. What is not there stays
    ///     away.
    ///   - concurrency: the most calls of origins that run at the same time for one fetch; a call for a batch is one. What caches have is asked
    ///     at once. Of composites within composites, that of the one that is fetched holds for all.
    ///   - max: the most ids of one link.
    ///   - maxSize: the largest whole.
    public init(
        _ shape: Shape, pick: [Pick] = [], concurrency: Int = 16, max: Int = 1_000, maxSize: Size = .mebibytes(64)
    ) {
        (self.shape, self.pick) = (shape, pick)
        (self.concurrency, self.max, self.maxSize) = (concurrency, max, maxSize)
    }
}

/// Two lists joined by an id.
public struct JoinSpec: Sendable {
    /// The list whose elements the whole has.
    package var from: PartSpec
    /// Where an element of it names the other one. An element that names none stays as it is.
    package var on: JSONPointer
    /// The list of what is joined.
    package var to: PartSpec
    /// Where an element of that has its id.
    package var toOn: JSONPointer
    /// The name of the member that is added.
    package var name: String

    /// Adds to each element of `from` the element of `to` whose `toOn` is the same as its `on`, as a member called `name`.
    ///
    /// - Parameters:
    ///   - from: the list whose elements the whole has.
    ///   - on: where an element of it names the other one. An element that names none stays as it is.
    ///   - to: the list of what is joined.
    ///   - toOn: where an element of that has its id.
    public init(_ from: PartSpec, on: JSONPointer, to: PartSpec, toOn: JSONPointer, as name: String) {
        (self.from, self.on, self.to, self.toOn, self.name) = (from, on, to, toOn, name)
    }
}
