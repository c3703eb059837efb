import Pipeline
internal import PipelineJSON
import PipelineLive

/// The references of one link in one value: which targets they name, and where those go.
struct LinkPlacing {
    private let link: LinkSpec
    private let node: Int
    private let target: DataPipeline
    /// The parameter that takes the id.
    private let parameter: String
    private let most: Int
    private let parameters: [Parameter]
    /// Whether a key is also made of what stands beside the reference.
    private let readsHolders: Bool

    init(_ link: LinkSpec, _ node: Int, in value: LinkedValue, from run: LinkRun) throws(SourceError) {
        guard let target = run.directory[link.pipeline] else {
            throw SourceError("the pipeline `\(link.pipeline)` is gone", kind: .unasked)
        }
        guard let parameter = link.parameter(of: target.spec) else {
            throw SourceError("link `\(link.name)` must name the parameter of `\(link.pipeline)` that takes the id", kind: .invalid)
        }
        guard link.place.memberName != nil else {
            throw SourceError("link `\(link.name)`: `\(link.place)` does not end in the name of a member", kind: .invalid)
        }
        (self.link, self.node, self.target, self.parameter, most) = (link, node, target, parameter, run.most)
        parameters = link.arguments.isEmpty ? [] : value.key.parameters
        readsHolders = link.arguments.contains { if case .holder = $1.value { true } else { false } }
    }

    /// Notes which targets there are, and where they go.
    ///
    /// - Parameter taken: the members that have the name of the link already.
    func place(
        _ places: JSONPlaces, taken: JSONPlaces, in value: inout LinkedValue, _ book: inout LinkBook
    ) throws {
        let placed = PlacedLink(link, places, in: value)
        let holders = placed.replaces ? [] : Set(taken.map(\.holder.lowerBound))
        var targets: [LinkedValue.Target] = []
        targets.reserveCapacity(places.count)
        book.lead(to: target, at: node)
        book.reserve(places.count, most: most)
        var known = KnownIDs()
        for number in places.indices {
            if !holders.isEmpty, holders.contains(places[number].holder.lowerBound) {
                let at = placed.target(at: number)
                throw LinkError(
                    link, at: at, invalid: "there is a member of that name already",
                    message: "link `\(link.name)`: there is a member at `\(at)` already")
            }
            targets.append(try target(at: number, of: placed, value, &known, &book))
        }
        if !isTooMany(book.links[node].count) { value.links.append((placed, targets)) }
    }

    private var tooMany: String { "link `\(link.name)`: a list of more than 1,000,000 elements" }

    /// Whether the link has too many ids. The others of its level are counted all the same: the error says how many there are.
    private func isTooMany(_ count: Int) -> Bool { count > most }

    /// - Parameter known: the targets of ids, where nothing else makes their keys.
    private func target(
        at number: Int, of placed: PlacedLink, _ value: LinkedValue, _ known: inout KnownIDs, _ book: inout LinkBook
    ) throws -> LinkedValue.Target {
        let range = placed.places[number].range
        guard value.payload[range.lowerBound] == UInt8(ascii: "[") else {
            return try one(at: range, of: placed, number, nil, value, &known, &book)
        }
        var (targets, failure): ([LinkedValue.Target], (any Error)?) = ([], nil)
        _ = JSONScanner.forEachPart(of: value.payload, at: range) { part in
            guard failure == nil else { return }
            do {
                guard targets.count < JSONPlaces.most else { throw SourceError(tooMany, kind: .invalid) }
                targets.append(try one(at: part.value, of: placed, number, targets.count, value, &known, &book))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return .many(targets)
    }

    /// - Parameter position: which element of the list at the place it is; nil for one alone.
    private func one(
        at range: Range<Int>, of placed: PlacedLink, _ place: Int, _ position: Int?, _ value: LinkedValue,
        _ known: inout KnownIDs, _ book: inout LinkBook
    ) throws -> LinkedValue.Target {
        let bytes = readsHolders ? nil : Reference.bytes(in: value.payload, at: range)
        if let bytes, let number = known.target(of: bytes, in: value.payload) { return .one(number) }
        func invalid(_ reason: String) throws -> LinkedValue.Target {
            let reference = placed.reference(at: place) + (position.map { "/\($0)" } ?? "")
            if link.isRequired { throw LinkError(link, at: reference, invalid: reason) }
            let error = LinkError(link, at: placed.target(at: place), invalid: "the reference at `\(reference)`: \(reason)")
            return .invalid(book.note(error.part, of: node))
        }
        switch Reference(value.payload, at: range) {
        case .null: return .null
        case .invalid(let reason): return try invalid(reason)
        case .id(let text):
            let key: Key
            do throws(SourceError) {
                key = try self.key(text, placed.places[place].holder, value)
            } catch {
                return try invalid(error.reason)
            }
            let id = LinkedValue.ID(node: node, key: key)
            if isTooMany(book.links[node].count) {
                book.count(id)
                return .null
            }
            let number = book.number(of: id, text: text)
            if let bytes { known.add(number, of: bytes, in: value.payload) }
            return .one(number)
        }
    }

    private func key(_ id: String, _ holder: Range<Int>, _ value: LinkedValue) throws(SourceError) -> Key {
        let others = try others(holder, value)
        do throws(UsageError) {
            if others.isEmpty { return try target.key(of: [parameter: id]) }
            return try target.key(others.merging([parameter: id]) { $1 })
        } catch {
            throw SourceError(error.message, kind: .unasked)
        }
    }

    /// The arguments of a key beside the id.
    private func others(_ holder: Range<Int>, _ value: LinkedValue) throws(SourceError) -> [String: String] {
        var arguments: [String: String] = [:]
        for (name, argument) in link.arguments where !name.hasSameBytes(as: parameter) {
            if case .holder(let place) = argument.value {
                arguments[name] = try Reference.text(at: place, in: value.payload, holder, of: "its object")
            } else {
                arguments[name] = argument.text(parameters)
            }
        }
        return arguments
    }
}

extension LinkPlacing {
    /// Where each reference leads, each target once: one that cannot be followed is said to be so, and the others are there all the same.
    ///
    /// - Parameters:
    ///   - taken: the members that have the name of the link already.
    ///   - holders: what has a reference, or none.
    func targets(of places: JSONPlaces, taken: JSONPlaces, among holders: JSONPlaces, in value: LinkedValue) -> [LinkTarget] {
        let placed = PlacedLink(link, places, in: value)
        let blocked = placed.replaces ? [] : Set(taken.map(\.holder.lowerBound))
        var targets: [LinkTarget] = []
        var seen: Set<LinkTarget> = []
        func add(_ target: LinkTarget) {
            if seen.insert(target).inserted { targets.append(target) }
        }
        for (number, place) in places.enumerated() {
            let reference = placed.reference(at: number)
            if blocked.contains(place.holder.lowerBound) {
                add(.invalid("link `\(link.name)` at `\(reference)`: there is a member `\(link.name)` already"))
            } else if value.payload[place.range.lowerBound] != UInt8(ascii: "[") {
                add(target(at: place.range, reference, place, value))
            } else {
                var count = 0
                _ = JSONScanner.forEachPart(of: value.payload, at: place.range) { part in
                    if count < JSONPlaces.most { add(target(at: part.value, "\(reference)/\(count)", place, value)) }
                    if count == JSONPlaces.most { add(.invalid(tooMany)) }
                    count += 1
                }
                if count == 0 { add(.absent) }
            }
        }
        let found = Set(places.map(\.holder.lowerBound))
        if holders.isEmpty || holders.contains(where: { !found.contains($0.range.lowerBound) }) { add(.absent) }
        return targets
    }

    private func target(at range: Range<Int>, _ reference: String, _ place: JSONPlace, _ value: LinkedValue) -> LinkTarget {
        do throws(SourceError) {
            switch Reference(value.payload, at: range) {
            case .null: return .null
            case .invalid(let reason): return .invalid("link `\(link.name)` at `\(reference)`: \(reason)")
            case .id(let text): return .key(try key(text, place.holder, value))
            }
        } catch {
            return .invalid("link `\(link.name)` at `\(reference)`: \(error.reason)")
        }
    }
}

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

/// A value in which links are followed.
struct LinkedValue: Sendable {
    /// A value and the way to it: one can be reached by several paths, and different links followed in it.
    struct ID: Hashable, Sendable {
        /// Which one of the ``LinkTree`` it is.
        let node: Int
        let key: Key
    }

    /// What a reference leads to.
    enum Target: Sendable {
        case null
        /// A reference that is no id, and that the value can do without: the number of what the ``LinkBook`` tells of it.
        case invalid(Int)
        /// A target of the ``LinkBook``, by its number.
        case one(Int)
        case many([Target])
    }

    let node: Int
    let payload: [UInt8]
    let key: Key
    /// Where it stands first in the whole.
    let at: String
    /// The links that are followed in it, and what the reference at each of their places leads to.
    var links: [(placed: PlacedLink, targets: [Target])] = []
}

/// A reference in a value in which links are followed, and the target that it leads to.
struct LinkReference: Sendable {
    /// The number of the target in the ``LinkBook``.
    let target: Int
    let link: PlacedLink
    /// The number of its place among those of the link.
    let place: Int
    /// Which element the target is, where it is one of a list; nil while it is not known which elements there are.
    let position: Int?

    /// Where the target stands; the list while ``position`` is not known.
    var at: String { link.target(at: place) + (position.map { "/\($0)" } ?? "") }
}
