package import Pipeline
package import PipelineJSON

/// The shape that an answer gets before anything is kept: `drop` removes from it, `select` takes a part, `pick` takes members of that. Every byte
/// that stays is copied as it is.
package struct AnswerShape: Sendable {
    /// The part of an answer that is used.
    package enum Selection: Sendable, Hashable {
        /// The value at a pointer.
        case place(JSONPointer)
        /// A list of the places of a JSONPath, which may be none.
        case places(JSONPath)
        /// The text of a field as a JSON string; of several fields of the name, divided by commas.
        case header(String)

        /// The selection of what `path` names: of one place where it is a pointer.
        package init(_ path: JSONPath) { self = path.isPointer ? .place(path.placeOfChoice) : .places(path) }
    }

    /// A value that is shaped.
    package struct Shaped: Sendable {
        package let payload: [UInt8]
        /// An oddity of it, in words for the person who wrote the rules, to be told once; nil if there is none.
        package let notice: String?
    }

    package var format: AnswerFormat
    package var drop: [JSONPath]
    /// The lists of a walk as they are written; nil for what follows from ``select``.
    package var lists: [PageList]?
    package var select: Selection?
    /// The JSON in place of what ``select`` does not find; nil for an error. Nothing is picked from it.
    package var defaultValue: [UInt8]?
    package var pick: [(name: String, at: JSONPointer)]
    /// A text that tells one GraphQL request from another; nil for none.
    package var graphql: String?

    package init(
        format: AnswerFormat = .json, drop: [JSONPath] = [], lists: [PageList]? = nil, select: Selection? = nil,
        default defaultValue: [UInt8]? = nil, pick: [(name: String, at: JSONPointer)] = [], graphql: String? = nil
    ) {
        (self.format, self.drop, self.lists, self.select) = (format, drop, lists, select)
        (self.defaultValue, self.pick, self.graphql) = (defaultValue, pick, graphql)
    }

    /// Indicates whether nothing of an answer is changed once it is JSON.
    package var isPlain: Bool { drop.isEmpty && select == nil && pick.isEmpty }

    /// The lists of a walk: those that are written, else the one at the place of ``select``, up to its first `[*]`; all of an answer without
    /// either.
    package var gathered: [PageList] {
        if let lists { return lists }
        return switch select {
        case .place(let pointer): [PageList(at: pointer)]
        case .places(let path): [PageList(at: path.placeOfChoice)]
        case .header, nil: [PageList(at: .whole)]
        }
    }
}

extension AnswerShape {
    /// Shapes an answer. A plain shape gives its body as it came, also one that is not JSON.
    ///
    /// - Parameter limit: the most bytes of it.
    package func shaped(_ answer: Answer, limit: Int) throws(SourceError) -> Shaped {
        if isPlain { return Shaped(payload: answer.body, notice: nil) }
        // A field needs no body.
        if answer.problem != nil, case .header = select, pick.isEmpty { return try shaped(gathered: [], answer.headers, limit: limit) }
        if let problem = answer.problem { throw .unusable("the answer is not JSON: \(problem)") }
        return try shaped(gathered: try dropped(from: answer.body), answer.headers, limit: limit)
    }

    /// The answer without what `drop` names; what is not there is fine.
    ///
    /// - Parameter body: JSON that was checked.
    package func dropped(from body: [UInt8]) throws(SourceError) -> [UInt8] {
        if drop.isEmpty { return body }
        return try SourceError.unusable("`drop`: ") { () throws(JSONScanner.Problem) in
            var splice = JSONSplice(body)
            for places in try JSONScanner.places(of: drop, in: body, isChecked: true) { places.forEach { splice.remove($0) } }
            return try splice.assembled(limit: .max)
        }
    }

    /// Shapes a value from which `drop` was removed, of a walk with all that was gathered.
    ///
    /// - Parameters:
    ///   - value: JSON that was checked.
    ///   - headers: the fields of the answer, of a walk those of its first.
    package func shaped(gathered value: [UInt8], _ headers: AnswerHeaders, limit: Int) throws(SourceError) -> Shaped {
        guard let selected = try selected(from: value, headers, limit: limit) else {
            guard let defaultValue else { throw .unusable("nothing stands at \(words)") }
            return Shaped(payload: defaultValue, notice: nil)
        }
        return try picked(from: selected, limit: limit)
    }

    /// Picks from a value: from each value where several came in one answer.
    package func picked(from value: JSONFragment, limit: Int) throws(SourceError) -> Shaped {
        if pick.isEmpty { return Shaped(payload: value.payload, notice: nil) }
        do throws(JSONPick.Failure) {
            let picked = try JSONPick(pick).picked(from: value, limit: limit, isChecked: true)
            let notice = picked.isBare ? "nothing that `pick` names is there" : nil
            return Shaped(payload: picked.value.payload, notice: notice)
        } catch {
            switch error {
            case .refusal(let refusal): throw .unusable(refusal.reason)
            case .problem(let problem): throw .unusable("`pick`: \(problem.message)")
            }
        }
    }

    private func selected(from value: [UInt8], _ headers: AnswerHeaders, limit: Int) throws(SourceError) -> JSONFragment? {
        try SourceError.unusable("`select`: ") { () throws(JSONScanner.Problem) -> JSONFragment? in
            switch select {
            case nil: return JSONFragment(value)
            case .place(let pointer):
                let places = try JSONScanner.places(of: [JSONPath(pointer)], in: value, isChecked: true)[0]
                return places.first.map { JSONFragment(value, at: $0.range) }
            case .places(let path):
                let places = try JSONScanner.places(of: [path], in: value, isChecked: true)[0]
                return JSONFragment(try JSONFragment.list(of: places.lazy.map { (value, $0.range) }, limit: limit))
            case .header(let name):
                let texts = headers[name]
                return texts.isEmpty ? nil : JSONFragment(string: texts.joined(separator: ", "))
            }
        }
    }

    /// The place of what is selected, for messages.
    private var words: String {
        switch select {
        case .place(let pointer): "`\(pointer.description.shortened)`"
        case .places(let path): "`\(path.description.shortened)`"
        case .header(let name): "the field `\(name.shortened)`"
        case nil: "the answer"
        }
    }
}

extension AnswerShape {
    /// A short text by which a copy knows of which shape it is; nil if nothing is shaped. It is the same in every process, and changes with
    /// the format, with what is dropped, gathered, selected and picked, and with the GraphQL request.
    package var fingerprint: String? {
        if format == .json, isPlain, lists == nil, graphql == nil { return nil }
        let drops = drop.map(\.description).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let members: [(String, JSONText?)] = [
            ("read", format == .json ? nil : .string(format.rawValue)),
            ("drop", drops.isEmpty ? nil : .array(drops.map { .string($0) })),
            ("lists", lists.map { .array($0.map { .array([.string($0.at.description), .optional($0.id?.description)]) }) }),
            ("select", select.map(Self.text)),
            ("default", defaultValue.map { .string(String(decoding: $0, as: UTF8.self)) }),
            ("pick", pick.isEmpty ? nil : .array(pick.map { .array([.string($0.name), .string($0.at.description)]) })),
            ("graphql", graphql.map { .string($0) }),
        ]
        let text = JSONText.object(members.compactMap { name, value in value.map { (name, $0) } }).text
        return KeyHash.digits(of: KeyHash.hash(of: text))
    }

    private static func text(of select: Selection) -> JSONText {
        switch select {
        case .place(let pointer): .object([("at", .string(pointer.description))])
        case .places(let path): .object([("path", .string(path.description))])
        case .header(let name): .object([("header", .string(name.lowercased()))])
        }
    }
}
