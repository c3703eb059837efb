internal import PipelineJSON

/// The references of one link in one value: which targets they name, and where those go.
struct LinkPlacing {
    private let link: LinkSpec
    private let node: Int
    private let target: DataPipeline
    /// The parameter that takes the id.
    private let parameter: String
    private let most: Int
    private let parameters: [Parameter]

    init(_ link: LinkSpec, _ node: Int, in value: LinkedValue, from run: LinkRun) throws(SourceError) {
        guard let target = run.directory[link.pipeline] else { throw SourceError(unasked: "the pipeline `\(link.pipeline)` is gone") }
        guard let parameter = link.parameter(of: target.spec) else {
            throw SourceError(invalid: "link `\(link.name)` must name the parameter of `\(link.pipeline)` that takes the id")
        }
        guard link.place.memberName != nil else {
            throw SourceError(invalid: "link `\(link.name)`: `\(link.place)` does not end in the name of a member")
        }
        (self.link, self.node, self.target, self.parameter, most) = (link, node, target, parameter, run.most)
        parameters = link.arguments.isEmpty ? [] : value.key.parameters
    }

    /// Notes where targets go, and returns them.
    ///
    /// - Parameter taken: the members that have the name of the link already.
    func place(
        _ places: JSONPlaces, taken: JSONPlaces, in value: inout LinkedValue, _ book: inout LinkBook
    ) throws -> [LinkRun.Wanted] {
        let replaces = link.place.memberName.map { $0.hasSameBytes(as: link.name) } ?? false
        let holders = replaces ? [] : Set(taken.map(\.holder.lowerBound))
        var wanted: [LinkRun.Wanted] = []
        for place in places {
            let pointer = places.pointer(to: place, in: value.payload)
            let reference = value.at + pointer.description
            let at = value.at + JSONPointer(tokens: pointer.tokens.dropLast() + [link.name]).description
            if holders.contains(place.holder.lowerBound) {
                throw LinkError(
                    link, at: at, invalid: "there is a member of that name already",
                    message: "link `\(link.name)`: there is a member at `\(at)` already")
            }
            let target = try self.target(at: place.range, reference, at, place.holder, value, &wanted, &book)
            value.placements.append(LinkedValue.Placement(link: link, place: place, target: target))
        }
        book.ids[node, default: []].formUnion(wanted.map { $0.id.key })
        let count = book.ids[node]?.count ?? 0
        guard count <= most else {
            throw SourceError(invalid: "link `\(link.name)` has \(count) ids, and no more than \(most) are allowed")
        }
        return wanted
    }

    private func target(
        at range: Range<Int>, _ reference: String, _ at: String, _ holder: Range<Int>, _ value: LinkedValue,
        _ wanted: inout [LinkRun.Wanted], _ book: inout LinkBook
    ) throws -> LinkedValue.Target {
        guard value.payload[range.lowerBound] == UInt8(ascii: "[") else {
            return try one(at: range, reference, at, holder, value, &wanted)
        }
        var targets: [LinkedValue.Target] = []
        var nulls = 0
        book.listCount += 1
        for (position, part) in (JSONScanner.parts(of: value.payload, at: range)?.parts ?? []).enumerated() {
            let count = wanted.count
            targets.append(try one(at: part.value, "\(reference)/\(position)", at, holder, value, &wanted))
            if wanted.count == count { nulls += 1 } else { wanted[count].list = (book.listCount, nulls) }
        }
        return .many(targets)
    }

    private func one(
        at range: Range<Int>, _ reference: String, _ at: String, _ holder: Range<Int>, _ value: LinkedValue,
        _ wanted: inout [LinkRun.Wanted]
    ) throws -> LinkedValue.Target {
        switch Reference(value.payload, at: range) {
        case .null: return .null
        case .invalid(let reason): throw LinkError(link, at: reference, invalid: reason)
        case .id(let text):
            let key = try key(text, reference, holder, value)
            let id = LinkedValue.ID(node: node, key: key)
            wanted.append(LinkRun.Wanted(id: id, pipeline: target, link: link, text: text, at: at))
            return .one(id)
        }
    }

    private func key(_ id: String, _ reference: String, _ holder: Range<Int>, _ value: LinkedValue) throws(SourceError) -> Key {
        var arguments = [parameter: id]
        for (name, argument) in link.arguments where !name.hasSameBytes(as: parameter) {
            if case .holder(let place) = argument.value {
                arguments[name] = try Reference.text(at: place, in: value.payload, holder, of: "the value of link `\(link.name)`")
            } else {
                arguments[name] = argument.text(parameters)
            }
        }
        do throws(UsageError) {
            return try target.key(arguments)
        } catch {
            throw SourceError(unasked: "link `\(link.name)`: \(error.message)")
        }
    }
}

extension LinkPlacing {
    /// Where each reference leads, each target once: one that cannot be followed is said to be so, and the others are there all the same.
    ///
    /// - Parameters:
    ///   - taken: the members that have the name of the link already.
    ///   - holders: what has a reference, or none.
    func targets(of places: JSONPlaces, taken: JSONPlaces, among holders: JSONPlaces, in value: LinkedValue) -> [LinkTarget] {
        let replaces = link.place.memberName.map { $0.hasSameBytes(as: link.name) } ?? false
        let blocked = replaces ? [] : Set(taken.map(\.holder.lowerBound))
        var targets: [LinkTarget] = []
        for place in places {
            let reference = places.pointer(to: place, in: value.payload).description
            if blocked.contains(place.holder.lowerBound) {
                targets.append(.invalid("link `\(link.name)` at `\(reference)`: there is a member `\(link.name)` already"))
            } else {
                targets += self.targets(at: place, reference, value)
            }
        }
        let found = Set(places.map(\.holder.lowerBound))
        if holders.isEmpty || holders.contains(where: { !found.contains($0.range.lowerBound) }) { targets.append(.none) }
        var seen: Set<LinkTarget> = []
        return targets.filter { seen.insert($0).inserted }
    }

    private func targets(at place: JSONPlace, _ reference: String, _ value: LinkedValue) -> [LinkTarget] {
        guard value.payload[place.range.lowerBound] == UInt8(ascii: "[") else { return [target(at: place.range, reference, place, value)] }
        let parts = JSONScanner.parts(of: value.payload, at: place.range)?.parts ?? []
        return parts.isEmpty
            ? [.none] : parts.enumerated().map { target(at: $1.value, "\(reference)/\($0)", place, value) }
    }

    private func target(at range: Range<Int>, _ reference: String, _ place: JSONPlace, _ value: LinkedValue) -> LinkTarget {
        do throws(SourceError) {
            switch Reference(value.payload, at: range) {
            case .null: return .none
            case .invalid(let reason): return .invalid("link `\(link.name)` at `\(reference)`: \(reason)")
            case .id(let text): return .key(try key(text, reference, place.holder, value))
            }
        } catch {
            return .invalid("link `\(link.name)` at `\(reference)`: \(error.reason)")
        }
    }
}
