import Pipeline
import PipelineLive
internal import PipelineJSON

extension Composite {
    /// The whole of these pieces, one for each part: every byte of a value is copied as it is. Nil where the part is left out that it is made of.
    func assembled(_ pieces: [JSONFragment.Member]) throws(SourceError) -> [UInt8]? {
        guard let whole = try shaped(pieces) else { return nil }
        if spec.pick.isEmpty { return whole.payload }
        do throws(JSONPick.Failure) {
            return try JSONPick(spec.pick).picked(from: whole, limit: limit).value.payload
        } catch {
            switch error {
            case .refusal(let refusal): throw SourceError(refusal)
            case .problem(let problem): throw SourceError(problem)
            }
        }
    }

    private var limit: Int { spec.maxSize.bytes }

    /// The part at `index` in a sentence.
    private func words(_ index: Int) -> String { parts[index].words }

    private func shaped(_ pieces: [JSONFragment.Member]) throws(SourceError) -> JSONFragment? {
        if pieces.contains(where: { $0.value.map { $0.bytes.count >= PiecesByID.mostBytes } ?? false }) {
            throw SourceError("a part has more than 4 GiB", kind: .invalid)
        }
        switch spec.shape {
        case .object: return try Self.expect { () throws(JSONScanner.Problem) in try JSONFragment.object(pieces, limit: limit) }
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

    /// Begins an element of a list of the whole.
    private func begin(_ list: inout JSONListWriter, size: Int) throws(SourceError) {
        try Self.expect { () throws(JSONScanner.Problem) in try list.begin(size: size, limit: limit) }
    }

    private func fragment(of list: consuming JSONListWriter) throws(SourceError) -> JSONFragment {
        do throws(JSONScanner.Problem) { return try list.list(limit: limit) } catch { throw SourceError(error) }
    }

    private static func expect<Value>(_ body: () throws(JSONScanner.Problem) -> Value) throws(SourceError) -> Value {
        do throws(JSONScanner.Problem) { return try body() } catch { throw SourceError(error) }
    }
}

extension SourceError {
    fileprivate init(_ refusal: JSONRefusal) { self.init(refusal.reason, kind: .invalid) }

    fileprivate init(_ problem: JSONScanner.Problem) { self.init("the whole cannot be assembled: \(problem.message)", kind: .invalid) }
}

extension Composite {
    private func merged(
        _ pieces: [JSONFragment.Member], by place: JSONPointer?, _ prefer: CompositeSpec.Preference
    ) throws(SourceError) -> JSONFragment {
        let given = pieces.enumerated().compactMap { index, piece in piece.value.map { (part: index, value: $0) } }
        if let list = given.first(where: { $0.value.isArray }) {
            if let other = given.first(where: { !$0.value.isArray }) {
                throw SourceError("\(words(list.part)) is a list, and \(words(other.part)) is not: they cannot be merged", kind: .invalid)
            }
        } else if !given.isEmpty {
            if place != nil, let first = given.first {
                throw SourceError("\(words(first.part)) is not a list, and only elements of lists have ids", kind: .invalid)
            }
            return try mergedObjects(given)
        }
        guard let place else { return try concatenated(given) }
        var elements = PiecesByID()
        for (number, (part, value)) in given.enumerated() {
            let name = words(part)
            try value.forEachElement(orThrow: SourceError.init) { position, range throws(SourceError) in
                let id = try Reference.text(at: place, in: value.bytes, range, of: "element /\(position) of \(name)", "element")
                let isNew = elements.add(ItemID(id).mark, number, range, replacing: prefer == .last) == nil
                if isNew, elements.count > JSONPlaces.most { throw SourceError(JSONRefusal.tooMany(elements.count)) }
            }
        }
        var list = JSONListWriter()
        for piece in elements.pieces {
            try begin(&list, size: piece.range.count)
            list.add(given[piece.text].value.bytes, piece.range)
        }
        return try fragment(of: list)
    }

    private func concatenated(_ given: [(part: Int, value: JSONFragment)]) throws(SourceError) -> JSONFragment {
        var list = JSONListWriter()
        var count = 0
        for (_, value) in given {
            try value.forEachElement(orThrow: SourceError.init) { _, range throws(SourceError) in
                count += 1
                guard count <= JSONPlaces.most else { return }
                try begin(&list, size: range.count)
                list.add(value.bytes, range)
            }
        }
        if count > JSONPlaces.most { throw SourceError(JSONRefusal.tooMany(count)) }
        return try fragment(of: list)
    }

    private func mergedObjects(_ given: [(part: Int, value: JSONFragment)]) throws(SourceError) -> JSONFragment {
        var members = PiecesByID()
        for (number, (part, value)) in given.enumerated() {
            var failure: SourceError?
            let object = JSONScanner.forEachPart(of: value.bytes, at: value.range) { member in
                guard failure == nil, let quoted = member.name else { return }
                let name = JSONScalar.string(value.bytes, at: quoted)
                if let known = members.add(ItemID(name).mark, number, quoted.lowerBound..<member.value.upperBound, replacing: false) {
                    let owner = given[known.text].part
                    let both = owner == part ? "twice in \(words(part))" : "in \(words(owner)) and in \(words(part))"
                    failure = SourceError("the member `\(name.shortened)` is \(both)", kind: .invalid)
                } else if members.count > JSONPlaces.most {
                    failure = SourceError(JSONRefusal.tooMany(members.count))
                }
            }
            if let failure { throw failure }
            guard object != nil else { throw SourceError("\(words(part)) is neither a list nor an object", kind: .invalid) }
        }
        let size = members.pieces.reduce(1) { $0 + $1.range.count + 1 } + (members.count == 0 ? 1 : 0)
        if size > limit { throw tooLarge(size) }
        var text = [UInt8(ascii: "{")]
        text.reserveCapacity(size)
        for piece in members.pieces {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += given[piece.text].value.bytes[piece.range]
        }
        text.append(UInt8(ascii: "}"))
        return JSONFragment(text)
    }

    /// Where the ids are, and the name of the member that is added.
    private typealias Join = (on: JSONPointer, toOn: JSONPointer, name: String)

    private func joined(_ pieces: [JSONFragment.Member], _ join: Join) throws(SourceError) -> JSONFragment? {
        guard let from = pieces.first?.value else { return nil }
        guard let to = pieces.last?.value else { return from }
        let (fromName, toName) = (words(0), words(1))
        guard from.isArray else { throw SourceError("\(fromName) is not a list", kind: .invalid) }
        guard to.isArray else { throw SourceError("\(toName) is not a list", kind: .invalid) }
        var others = PiecesByID()
        try to.forEachElement(orThrow: SourceError.init) { position, range throws(SourceError) in
            let id = try Reference.text(at: join.toOn, in: to.bytes, range, of: "element /\(position) of \(toName)", "element")
            if others.add(ItemID(id).mark, 0, range, replacing: false) != nil {
                throw SourceError("\(toName) has the id `\(id.shortened)` twice", kind: .invalid)
            }
        }
        let label = JSONSplice.label(join.name)
        var list = JSONListWriter()
        try from.forEachElement(orThrow: SourceError.init) { position, range throws(SourceError) in
            guard let (other, tail, isEmpty) = try self.other(for: from, at: range, position, of: fromName, join, others) else {
                try begin(&list, size: range.count)
                return list.add(from.bytes, range)
            }
            try begin(&list, size: range.count + (isEmpty ? 0 : 1) + label.count + other.count)
            // What stands before the closing bracket stays there.
            list.add(from.bytes, range.lowerBound..<tail)
            list.add(isEmpty ? label[...] : [UInt8(ascii: ",")] + label)
            list.add(to.bytes, other, within: 1)
            list.add(from.bytes[tail..<range.upperBound])
        }
        return try fragment(of: list)
    }

    /// What an element is joined with, where it goes, and whether it is the first member there; nil where the element stays as it is.
    private func other(
        for from: JSONFragment, at range: Range<Int>, _ position: Int, of name: String, _ join: Join, _ others: PiecesByID
    ) throws(SourceError) -> (other: Range<Int>, tail: Int, isEmpty: Bool)? {
        var (isEmpty, isTaken) = (true, false)
        let object = JSONScanner.forEachPart(of: from.bytes, at: range) { part in
            isEmpty = false
            if let name = part.name, JSONScalar.string(from.bytes, at: name).hasSameBytes(as: join.name) { isTaken = true }
        }
        guard let object, object.isObject else { throw SourceError("\(name) at `/\(position)` is not an object", kind: .invalid) }
        let on = try Self.expect { () throws(JSONScanner.Problem) in try JSONScanner.place(of: join.on, in: from.bytes, at: range) }
        guard let on else { return nil }
        let other: Range<Int>
        switch Reference(from.bytes, at: on.range) {
        case .null: return nil
        case .invalid(let reason): throw SourceError("\(name) at `/\(position)\(join.on)`: \(reason)", kind: .invalid)
        case .id(let id):
            guard let found = others[ItemID(id).mark] else { return nil }
            other = found.range
        }
        if isTaken { throw SourceError("\(name) at `/\(position)` has a member `\(join.name)` already", kind: .invalid) }
        return (other, object.tail.lowerBound, isEmpty)
    }
}
