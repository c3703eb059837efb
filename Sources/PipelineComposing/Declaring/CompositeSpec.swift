public import Pipeline
public import PipelineLive
public import PipelineJSON

/// The way in which a pipeline makes one value from the values of others.
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
/// The composite is an answer like an origin's: tiers above keep it, and stale windows, flights and deadlines hold for it. Each part is
/// fetched through its own pipeline, with that one's caches and policies.
public struct CompositeSpec: Sendable {
    /// The shape of the composite.
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

    /// The rule for which of several elements with one id gives the bytes.
    ///
    /// New cases may come: switch with a `default`.
    public enum Preference: String, Sendable, CaseIterable {
        /// The bytes of the first part.
        case first
        /// The bytes of the last part.
        case last
    }

    /// The most parts of one composite.
    package static let mostParts = 64
    /// The most composites in a chain, each a part of the next.
    package static let mostInChain = PartDemand.mostInChain

    /// The shape of the composite.
    package var shape: Shape
    /// The members that are kept of the composite, or of each of its elements if it is a list, and the places of their values; empty for
    /// all. A member that is not there stays away.
    package var pick: [(name: String, at: JSONPointer)]
    /// The most calls of origins that run at the same time for one fetch; a call for a batch is one. What caches have is asked at once. Of
    /// composites within composites, the limit of the one that is fetched holds for all.
    public var concurrency: Int
    /// The most ids that one link may follow.
    public var max: Int
    /// The largest combined value.
    public var maxSize: Size

    /// A composite of this shape.
    ///
    /// - Parameters:
    ///   - pick: keeps only these members, each from the given place; in a list, of each element. Empty for all. A member whose place is
    ///     missing is left out.
    ///   - concurrency: the most calls of origins that run at the same time for one fetch; a call for a batch is one. What caches have is
    ///     asked at once. Of composites within composites, the limit of the one that is fetched holds for all.
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

/// The composite of a pipeline, and the references in its values.
struct Combination: PipelineAddition {
    var composite: CompositeSpec?
    var links: [LinkSpec] = []

    var sources: [SourceSpec] { [] }

    func source(of spec: PipelineSpec, _ invalidation: Invalidation, in directory: PipelineDirectory) -> (name: String, any Source)? {
        guard let composite else { return nil }
        invalidation.wholes.add(invalidation)
        return (CompositeSpec.placeName, Composite(composite, clock: invalidation.clock, directory: directory, of: invalidation))
    }

    static func check(_ specs: [PipelineSpec]) throws(UsageError) { try CompositeCheck(specs).check() }

    static func connect(_ pipelines: [DataPipeline], among all: [String: DataPipeline]) {
        pipelines.first?.invalidation.commons.copies.use(Composition.init(of:))
        // Another order of a pipeline shares what is known of it: it costs no look at all the others.
        if pipelines.allSatisfy({ all[$0.spec.name] !== $0 }) {
            for order in pipelines { order.connect(in: all, isPart: order.invalidation.isPart) }
            return
        }
        let parts = all.values.reduce(into: Set<String>()) { $0.formUnion($1.spec.combinedPipelines(in: all)) }
        for pipeline in pipelines { pipeline.connect(in: all, isPart: parts.contains(pipeline.spec.name)) }
    }
}

extension PipelineSpec {
    /// The recipe for its values from those of other pipelines; nil if they are not made so. It is asked in the place `TierSpec.combine(_:)`,
    /// which comes last if ``tiers`` does not have it.
    public var combine: CompositeSpec? { self[Combination.self]?.composite }

    /// The references in its values.
    public var links: [LinkSpec] {
        get { self[Combination.self]?.links ?? [] }
        set { self[Combination.self] = Combination(composite: combine, links: newValue) }
    }

    /// A pipeline called `name` whose values are made from those of others, or refer to them.
    ///
    /// - Parameters:
    ///   - combine: the recipe for its values; nil if they are not made from those of other pipelines. It is asked in the place
    ///     `TierSpec.combine(_:)`, which comes last if `tiers` does not have it.
    ///   - live: where changes of the values come from, each a source of its own.
    ///   - links: the references in its values.
    @_disfavoredOverload  // Those of the modules below take the calls that name nothing of this.
    public init(
        _ name: String, parameters: [ParameterSpec] = [], policy: PipelinePolicy = PipelinePolicy(), combine: CompositeSpec? = nil,
        tiers: [TierSpec] = [], live: [FeedSpec] = [], links: [LinkSpec] = []
    ) {
        let isPlaced = combine == nil || tiers.contains(where: \.isComposite)
        self.init(name, parameters: parameters, policy: policy, tiers: isPlaced ? tiers : tiers + [.combine()], live: live)
        if combine != nil || !links.isEmpty { self[Combination.self] = Combination(composite: combine, links: links) }
    }
}
