public import Pipeline
import PipelineLive
internal import PipelineJSON
import Synchronization

/// A composite in its pipeline: the origin whose values are made from those of other pipelines.
final class Composite: Sendable {
    /// A part with the place it has in the whole.
    final class Part: Sendable {
        /// A JSON Pointer.
        let at: String
        /// What messages call it.
        let name: String
        let spec: PartSpec
        /// How messages tell it from another part of the same pipeline, `part 2` or `from`; nil where its name is enough.
        let label: String?
        /// What stands before its value in an object.
        let member: [UInt8]

        init(at: String, name: String, spec: PartSpec, label: String? = nil) {
            (self.at, self.name, self.spec, self.label) = (at, name, spec, label)
            member = JSONSplice.label(name)
        }

        /// The part in a sentence: `` `cloud` ``, or of two from one pipeline ``part 2 (`cloud`)``.
        var words: String { label.map { "\($0) (`\(name)`)" } ?? "`\(name)`" }

        /// The part in a sentence where nothing else says that it is one: ``part `cloud` ``.
        var sentence: String { label == nil ? "part \(words)" : words }
    }

    /// The name of its pipeline.
    let pipeline: String
    let invalidation: Invalidation
    let spec: CompositeSpec
    /// In the order of the whole.
    let parts: [Part]
    /// Before any part is asked.
    let schedule: PartSchedule
    let clock: PipelineClock
    let directory: PipelineDirectory
    let wholes: WholeIndex
    /// Indicates whether no part waits for another, and no link is followed.
    private let canBeAtHand: Bool
    private let followers: Followers
    /// The pipelines it is made from. They are looked up by name; this keeps them.
    private let kept = Mutex<[DataPipeline]>([])
    /// What the directory had for the parts; nil where that is not kept here.
    private let named = Mutex<(version: Int, pipelines: [DataPipeline?], places: [MemoryPlace])?>(nil)
    private let isWatched = Atomic(false)

    init(_ spec: CompositeSpec, clock: PipelineClock, directory: PipelineDirectory, of invalidation: Invalidation) {
        pipeline = invalidation.pipeline
        self.invalidation = invalidation
        wholes = invalidation.wholes
        followers = invalidation.followers
        self.spec = spec
        self.clock = clock
        self.directory = directory
        parts = spec.parts
        let planned = parts.map { part in
            PartSchedule.Part(
                needs: spec.needs(of: part.spec), isRequired: part.spec.isRequired, hasDefault: part.spec.defaultValue != nil)
        }
        schedule = PartSchedule(planned)
        canBeAtHand = planned.allSatisfy(\.needs.isEmpty) && parts.allSatisfy(\.spec.follow.isEmpty)
    }

    /// Whether changes of its parts matter to what a cache holds.
    var watchesParts: Bool { isWatched.load(ordering: .relaxed) }

    /// Keeps the pipelines it is made from.
    ///
    /// - Parameter watching: whether a cache may hold its wholes, or what is made from them.
    func connect(to pipelines: [DataPipeline], watching: Bool) {
        kept.withLock { $0 = pipelines }
        let (version, found) = (directory.version, partPipelines(in: directory))
        let areKept = found.allSatisfy { found in pipelines.contains { $0 === found } }
        let places = canBeAtHand ? zip(parts, found).compactMap { MemoryPlace($0, of: $1) } : []
        named.withLock { $0 = areKept ? (version, found, places.count == parts.count ? places : []) : nil }
        isWatched.store(watching, ordering: .relaxed)
    }

    /// The whole of `key` as observers see it; nil if none does.
    func live(_ key: Key) -> LiveKey? { followers.isEmpty ? nil : followers.known(LiveKeys.self)?[key] }

    /// The pipelines of the parts, as they are now; nil for one that is gone.
    var partPipelines: [DataPipeline?] {
        let version = directory.version
        return named.withLock { $0?.version == version ? $0?.pipelines : nil } ?? partPipelines(in: directory)
    }

    /// The places where memory has the parts, as they are now; none if memory cannot have all of them.
    var memoryPlaces: [MemoryPlace] {
        let version = directory.version
        return named.withLock { $0?.version == version ? $0?.places : nil } ?? []
    }

    private func partPipelines(in directory: PipelineDirectory) -> [DataPipeline?] { parts.map { directory[$0.spec.pipeline] } }

    /// Until when a whole of these times can be in a cache, or in what is made from it; nil without a limit.
    func keptUntil(created: Timestamp?, freshUntil: Timestamp?) -> Timestamp? {
        if invalidation.isPart { return freshUntil }
        let caches = invalidation.caches
        if caches.isEmpty { return clock.now }
        return caches.limit(of: Entry([], created: created ?? clock.now, freshUntil: freshUntil), at: clock.now)
    }

    /// What is used of the value of a part.
    func selected(_ part: Composite.Part, of pipeline: DataPipeline?, _ payload: [UInt8]) throws(SourceError) -> JSONFragment {
        if pipeline?.spec.policy.format == .text, !part.spec.select.tokens.isEmpty {
            throw SourceError("`\(part.spec.pipeline)` has the format text, and nothing at `\(part.spec.select)`", kind: .invalid)
        }
        let payload = try pipeline?.json(payload) ?? payload
        if part.spec.select.tokens.isEmpty { return JSONFragment(payload) }
        let place: JSONPlace?
        do throws(JSONScanner.Problem) {
            place = try JSONScanner.place(of: part.spec.select, in: payload)
        } catch {
            throw SourceError(error.message, kind: .invalid)
        }
        guard let place else { throw SourceError("`\(part.spec.pipeline)` has nothing at `\(part.spec.select)`", kind: .invalid) }
        return JSONFragment(payload, at: place.range)
    }
}

extension CompositeSpec {
    /// The parts in the order of the composite.
    package var partSpecs: [(name: String, spec: PartSpec)] { parts.map { ($0.name, $0.spec) } }

    /// The words of messages for the parts: `` `cloud` ``, or of two from one pipeline ``part 2 (`cloud`)``.
    package var partWords: [String] { parts.map(\.words) }

    var parts: [Composite.Part] {
        switch shape {
        case .object(let members):
            members.map { Composite.Part(at: place(of: $0.name), name: $0.name, spec: $0.part) }
        case .merge(let parts, _, _): Self.labelled(parts, parts.indices.map { "part \($0 + 1)" })
        case .join(let from, _, let to, _, _): Self.labelled([from, to], ["`from`", "`to`"])
        case .of(let part): [Composite.Part(at: "", name: part.pipeline, spec: part)]
        }
    }

    /// Parts without a place of their own. Those of one pipeline have labels.
    private static func labelled(_ parts: [PartSpec], _ labels: [String]) -> [Composite.Part] {
        let counts = Dictionary(parts.map { (ExactName($0.pipeline), 1) }, uniquingKeysWith: +)
        return zip(parts, labels).map { part, label in
            let isAlone = counts[ExactName(part.pipeline)] == 1
            return Composite.Part(at: "", name: part.pipeline, spec: part, label: isAlone ? nil : label)
        }
    }

    /// Indicates whether there is no composite without the first part, also if that is optional.
    package var isMadeOfFirst: Bool {
        switch shape {
        case .of, .join: true
        case .object, .merge: false
        }
    }

    /// Whether it is an object of its parts, all of which it has.
    var isObject: Bool { if case .object = shape { pick.isEmpty } else { false } }

    /// The members of the object that is made; none where it is no object, or its members are not known.
    var members: [String] {
        guard case .object(let members) = shape else { return [] }
        return pick.isEmpty ? members.map(\.name) : pick.map(\.name)
    }

    /// Where a member of the object stands in the whole: under the name that it is picked as, or else the first thing in it, and nowhere where
    /// nothing of it is picked.
    private func place(of member: String) -> String {
        if pick.isEmpty { return JSONPointer(tokens: [member]).description }
        let ofMember = pick.filter { $0.at.tokens.first?.hasSameBytes(as: member) ?? false }
        let picked = ofMember.first { $0.at.tokens.count == 1 } ?? ofMember.first
        return picked.map { JSONPointer(tokens: [$0.name]).description } ?? ""
    }

    /// The parts that each part needs first, by their positions.
    package func needs(of part: PartSpec) -> [Int] {
        guard case .object(let members) = shape else { return [] }
        let names = part.arguments.values.compactMap(\.neededPart)
        return members.indices.filter { index in names.contains { $0.hasSameBytes(as: members[index].name) } }
    }
}

extension SourceSpec {
    /// The place of a composite in the order of its pipeline.
    static let combine = {
        var place = SourceSpec(
            CompositeSpec.placeName, CompositePlace(), cache: nil, capabilities: [.neverMisses, .asksOthers, .givesChecked])
        place.isPlaceholder = true
        return place
    }()
}

extension CompositeSpec {
    /// The name of the composite in the order of a pipeline. No source may have that name.
    package static let placeName = "combine"

    /// The most loads of one fetch.
    package static let mostLoads = FetchBounds.mostLoads
}

extension TierSpec {
    /// The composite, as a place in the order of its pipeline. Where no tier is it, it comes last.
    public static func combine(_ policy: TierPolicy = TierPolicy()) -> TierSpec { TierSpec(.combine, policy) }

    /// Whether it is the place of the composite.
    var isComposite: Bool { source.identity === SourceSpec.combine.identity }
}

/// Stands for the composite of a pipeline in its specification.
private struct CompositePlace: Source {
    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        throw SourceError("`\(CompositeSpec.placeName)` stands in a pipeline that combines nothing")
    }
}
