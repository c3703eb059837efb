internal import PipelineJSON

extension Composite {
    /// The whole of these pieces, one for each part: every byte of a value is copied as it is. Nil where the part is left out that it is made of.
    func assembled(_ pieces: [JSONFragment.Member]) throws(SourceError) -> [UInt8]? {
        do {
            return try shaped(pieces).map { try picked(from: $0).payload }
        } catch let problem as JSONScanner.Problem {
            throw SourceError("the whole cannot be assembled: \(problem.message)", kind: .invalid)
        } catch let error as SourceError {
            throw error
        } catch {
            throw SourceError("the whole cannot be assembled: \(error)", kind: .invalid)
        }
    }

    private var limit: Int { spec.maxSize.bytes }

    /// The part at `index` in a sentence.
    private func words(_ index: Int) -> String { parts[index].words }

    private func shaped(_ pieces: [JSONFragment.Member]) throws -> JSONFragment? {
        switch spec.shape {
        case .object: return try JSONFragment.object(pieces, limit: limit)
        case .of:
            guard let value = pieces.first?.value else { return nil }
            if value.range.count > limit { throw tooLarge(value.range.count) }
            return value
        case .merge(_, let by, let prefer): return try merged(pieces, by: by, prefer)
        case .join(_, let on, _, let toOn, let name): return try joined(pieces, (on, toOn, name))
        }
    }

    private func tooLarge(_ size: Int) -> SourceError {
        SourceError("the whole cannot be assembled: \(size) bytes, and no more than \(limit) are allowed", kind: .invalid)
    }

    /// The elements of a list; nil for another value.
    private static func list(_ value: JSONFragment) -> [JSONFragment]? {
        guard let parts = JSONScanner.parts(of: value.bytes, at: value.range), !parts.isObject else { return nil }
        return parts.parts.map { JSONFragment(value.bytes, at: $0.value) }
    }

    private func picked(from whole: JSONFragment) throws -> JSONFragment {
        if spec.pick.isEmpty { return whole }
        let labels = spec.pick.map { JSONSplice.label($0.name) }
        guard let elements = Self.list(whole) else { return try picked(of: whole, labels) }
        var picked: [JSONFragment] = []
        var size = 2
        for element in elements {
            let next = try self.picked(of: element, labels)
            size += next.range.count + 1
            if size - 1 > limit { throw tooLarge(size - 1) }
            picked.append(next)
        }
        return try JSONFragment.array(picked, limit: limit)
    }

    private func picked(of value: JSONFragment, _ labels: [[UInt8]]) throws -> JSONFragment {
        guard value.bytes[value.range].first == UInt8(ascii: "{") else { throw SourceError("`pick` wants objects", kind: .invalid) }
        var members: [JSONFragment.Member] = []
        for (pick, label) in zip(spec.pick, labels) {
            guard let place = try JSONScanner.place(of: pick.at, in: value.bytes, at: value.range) else { continue }
            members.append(JSONFragment.Member(label, JSONFragment(value.bytes, at: place.range)))
        }
        return try JSONFragment.object(members, limit: limit)
    }
}

extension Composite {
    private func merged(_ pieces: [JSONFragment.Member], by place: JSONPointer?, _ prefer: CompositeSpec.Preference) throws -> JSONFragment
    {
        let given = pieces.enumerated().compactMap { index, piece in piece.value.map { (part: index, value: $0) } }
        let lists = given.map { (part: $0.part, elements: Self.list($0.value)) }
        if lists.allSatisfy({ $0.elements != nil }) {
            var elements: [JSONFragment] = []
            var places: [ExactName: Int] = [:]
            for (part, list) in lists {
                let name = place == nil ? "" : words(part)
                for (position, element) in (list ?? []).enumerated() {
                    guard let place else {
                        elements.append(element)
                        continue
                    }
                    let id = ExactName(
                        try Reference.text(at: place, in: element.bytes, element.range, of: "element /\(position) of \(name)", "element"))
                    if let known = places[id] {
                        if prefer == .last { elements[known] = element }
                    } else {
                        places[id] = elements.count
                        elements.append(element)
                    }
                }
            }
            return try JSONFragment.array(elements, limit: limit)
        }
        if let list = lists.first(where: { $0.elements != nil }), let other = lists.first(where: { $0.elements == nil }) {
            throw SourceError("\(words(list.part)) is a list, and \(words(other.part)) is not: they cannot be merged", kind: .invalid)
        }
        if place != nil, let first = given.first {
            throw SourceError("\(words(first.part)) is not a list, and only elements of lists have ids", kind: .invalid)
        }
        return try mergedObjects(given)
    }

    private func mergedObjects(_ given: [(part: Int, value: JSONFragment)]) throws -> JSONFragment {
        var members: [ArraySlice<UInt8>] = []
        var owners: [ExactName: Int] = [:]
        for (part, value) in given {
            guard let parts = JSONScanner.parts(of: value.bytes, at: value.range) else {
                throw SourceError("\(words(part)) is neither a list nor an object", kind: .invalid)
            }
            for member in parts.parts {
                guard let quoted = member.name else { continue }
                let name = JSONScalar.string(value.bytes, at: quoted)
                if let owner = owners.updateValue(part, forKey: ExactName(name)) {
                    let both = owner == part ? "twice in \(words(part))" : "in \(words(owner)) and in \(words(part))"
                    throw SourceError("the member `\(name.shortened)` is \(both)", kind: .invalid)
                }
                members.append(value.bytes[quoted.lowerBound..<member.value.upperBound])
            }
        }
        let size = members.reduce(1) { $0 + $1.count + 1 } + (members.isEmpty ? 1 : 0)
        if size > limit { throw tooLarge(size) }
        return JSONFragment([UInt8(ascii: "{")] + members.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")])
    }

    /// Where the ids are, and the name of the member that is added.
    private typealias Join = (on: JSONPointer, toOn: JSONPointer, name: String)

    private func joined(_ pieces: [JSONFragment.Member], _ join: Join) throws -> JSONFragment? {
        guard let from = pieces.first?.value else { return nil }
        guard let to = pieces.last?.value else { return from }
        let (fromName, toName) = (words(0), words(1))
        guard let elements = Self.list(from) else { throw SourceError("\(fromName) is not a list", kind: .invalid) }
        guard let others = Self.list(to) else { throw SourceError("\(toName) is not a list", kind: .invalid) }
        var known: [ExactName: JSONFragment] = [:]
        for (position, other) in others.enumerated() {
            let id = try Reference.text(at: join.toOn, in: other.bytes, other.range, of: "element /\(position) of \(toName)", "element")
            if known.updateValue(other, forKey: ExactName(id)) != nil {
                throw SourceError("\(toName) has the id `\(id.shortened)` twice", kind: .invalid)
            }
        }
        var joined: [JSONFragment] = []
        // With brackets and commas. Looked at before the next copy is made: one element may belong to many.
        var size = 1
        for (position, element) in elements.enumerated() {
            let next = try self.joined(element, at: position, of: fromName, join, known, room: limit - size)
            size += next.range.count + 1
            joined.append(next)
        }
        return try JSONFragment.array(joined, limit: limit)
    }

    /// - Parameter room: the most bytes that it and what follows it may have.
    private func joined(
        _ element: JSONFragment, at position: Int, of from: String, _ join: Join, _ known: [ExactName: JSONFragment], room: Int
    ) throws -> JSONFragment {
        guard let parts = JSONScanner.parts(of: element.bytes, at: element.range), parts.isObject else {
            throw SourceError("\(from) at `/\(position)` is not an object", kind: .invalid)
        }
        guard let on = try JSONScanner.place(of: join.on, in: element.bytes, at: element.range) else { return element }
        let other: JSONFragment
        switch Reference(element.bytes, at: on.range) {
        case .null: return element
        case .invalid(let reason): throw SourceError("\(from) at `/\(position)\(join.on)`: \(reason)", kind: .invalid)
        case .id(let id):
            guard let found = known[ExactName(id)] else { return element }
            other = found
        }
        if parts.parts.contains(where: { $0.name.map { JSONScalar.string(element.bytes, at: $0).hasSameBytes(as: join.name) } ?? false }) {
            throw SourceError("\(from) at `/\(position)` has a member `\(join.name)` already", kind: .invalid)
        }
        let label = JSONSplice.label(join.name)
        let size = element.range.count + (parts.parts.isEmpty ? 0 : 1) + label.count + other.range.count
        if size + 1 > room { throw tooLarge(limit - room + size + 1) }
        // What stands before the closing bracket stays there.
        var bytes = Array(element.bytes[element.range.lowerBound..<parts.tail.lowerBound])
        if !parts.parts.isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes += label + other.bytes[other.range] + element.bytes[parts.tail.lowerBound..<element.range.upperBound]
        return JSONFragment(bytes)
    }
}
