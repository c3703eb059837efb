/// A field, and what its value sets in what the mapping is read as.
struct FieldSetting<Draft: Sendable>: Sendable {
    let declaration: FieldDeclaration
    /// Whether it is read also where it is not given.
    let isAlwaysRead: Bool
    /// Sets the default; nothing for a field that must be given.
    let setDefault: @Sendable (inout Draft) -> Void
    /// Sets the value of the field with this number; throws ``UnknownValue``, as the field does.
    let read: @Sendable (Int, FieldMembers, FieldDecoder, inout Draft) throws -> Void

    // Inlined as the initializers of the field are.
    @inline(__always)
    init<Value>(_ field: Field<Value>, _ set: @escaping @Sendable (inout Draft, Value) -> Void) {
        declaration = field.declaration
        isAlwaysRead = field.defaultValue == nil || field.declaration.role != nil
        setDefault = { draft in if let value = field.defaultValue { set(&draft, value) } }
        read = { number, members, decoder, draft in set(&draft, try field.value(number: number, of: members, with: decoder)) }
    }
}

extension FieldGroup where Output: Sendable {
    /// A group of fields that set parts of one value.
    ///
    /// - Parameter start: the value before any field was read; what a field has a default for need not be right in it.
    init(_ settings: [FieldSetting<Output>], from start: Output) {
        var whole = start
        for setting in settings { setting.setDefault(&whole) }
        self.init(settings.map(\.declaration)) { [whole] members, decoder in
            var (output, isKnown) = (whole, true)
            for number in settings.indices where settings[number].isAlwaysRead || members.isGiven(number) {
                // The fields after one that is not known are read for their problems, so that one run finds all.
                do { try settings[number].read(number, members, decoder, &output) } catch { isKnown = false }
            }
            return isKnown ? output : nil
        }
    }
}
