internal import Pipeline

extension FieldDecoder {
    /// A moment of the decoding, to ask later what went wrong after it.
    struct Mark {
        fileprivate let errors: Int
        fileprivate let missingValues: Int
    }

    /// How many tiers of `source` keep copies for ever, with this one.
    func noteEndless(_ source: ExactName) -> Int {
        endlessTiers[source, default: 0] += 1
        return endlessTiers[source] ?? 0
    }

    /// Now.
    var mark: Mark { Mark(errors: errorCount, missingValues: missingValueCount) }

    /// How many errors were reported after `mark`.
    func errors(since mark: Mark) -> Int { errorCount - mark.errors }

    /// Whether nothing but variables and files without a value was reported after `mark`.
    func isSoundInForm(since mark: Mark) -> Bool {
        errorCount - mark.errors == missingValueCount - mark.missingValues
    }

    /// Reads a field with a role, and remembers what the rules need to know of it.
    func noting<Value: FieldValue>(
        _ role: FieldRole, of name: String, in members: [ConfigNode.Member], _ read: () throws -> Value
    ) throws -> Value {
        let mark = mark
        let uses = parameterUses.count
        let result = Result { try read() }
        let value = try? result.get()
        let place = members.last { $0.key == name }.map { member in withValue(of: member) { self.place(of: $0.range) } }
        let isKnown = errors(since: mark) == 0
        fieldNotes.append(
            FieldNote(
                role: role, name: name, place: place,
                text: isKnown ? value.flatMap { $0.location ?? $0.written } : nil,
                duration: isKnown ? value as? Duration : nil, isSound: isSoundInForm(since: mark),
                parameters: Set(parameterUses.dropFirst(uses).map(\.parameter))))
        return try result.get()
    }
}
