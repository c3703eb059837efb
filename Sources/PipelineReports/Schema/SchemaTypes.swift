internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineYAML

/// The types of fields as the members of a schema.
enum SchemaTypes {
    typealias Members = [(String, JSONText)]

    /// A mapping with the fields of `declarations` and no others.
    static func object(_ declarations: [FieldDeclaration], besides others: Members = []) -> Members {
        let required = declarations.filter(\.isRequired).map { JSONText.string($0.name) }
        let properties = others + declarations.map { ($0.name, JSONText.object(field($0))) }
        let needs = declarations.compactMap { field in field.need.map { (field.name, JSONText.array([.string($0.field)])) } }
        let eithers = declarations.compactMap { field in
            field.alternative.map { anyOf([field.name, $0].map { .object([("required", .array([.string($0)]))]) }) }
        }
        return [("type", .string("object")), ("properties", .object(properties))] + eithers
            + (required.isEmpty ? [] : [("required", .array(required))])
            + (needs.isEmpty ? [] : [("dependentRequired", .object(needs))]) + [("additionalProperties", .bool(false))]
    }

    /// One field: what can be written, and what an editor shows of it.
    static func field(_ declaration: FieldDeclaration) -> Members {
        let deprecation = declaration.replacement.map { " Deprecated: use `\($0)`." } ?? ""
        var members: Members = [("description", .string(declaration.documentation + deprecation))]
        members += type(declaration.type, bounds: declaration.bounds)
        switch declaration.rule {
        case .text(let pattern):
            // Of a number or a bool, which may stand where text does, a pattern says nothing.
            members.append(("allOf", .array([.object([anyOf([.object([("pattern", .string(pattern))]), SchemaDefinition.variable])])])))
        case .keys(let pattern): members.append(("propertyNames", .object([("pattern", .string(pattern))])))
        case nil: break
        }
        if let text = declaration.defaultText { members.append(("default", SchemaValue.ofDefault(text, of: declaration.type))) }
        if let example = declaration.example { members.append(("examples", .array([SchemaValue.ofYAML(example)]))) }
        if declaration.replacement != nil { members.append(("deprecated", .bool(true))) }
        return members
    }

    static func type(_ type: FieldType, bounds: FieldBounds? = nil) -> Members {
        switch type {
        case .string, .template, .secret: [SchemaDefinition.text.reference]
        case .path: [SchemaDefinition.path.reference]
        case .url: [SchemaDefinition.url.reference]
        case .query: scalar([.object(SchemaPattern.string(SchemaPattern.query))])
        case .bool: [SchemaDefinition.bool.reference]
        case .int: scalar([.object(SchemaBounds.integer(bounds))])
        case .duration: [(SchemaBounds.excludesZero(bounds, of: type) ? SchemaDefinition.positiveDuration : .duration).reference]
        case .size: size(bounds)
        case .ratio:
            scalar([.object(SchemaBounds.ratio(bounds)), .object(SchemaPattern.string(SchemaPattern.ratio(bounds)))])
        case .choice(let words): scalar([.object([("enum", .array(words.flatMap(SchemaValue.spellings)))])])
        case .word(let word): scalar(self.word(word))
        case .list(let element, let count): list(element, atLeast: count)
        case .map(let value, let keys, let count): map(value, keys: keys, atLeast: count)
        case .object(let declarations, let oneOf): object(declarations) + exactlyOne(of: oneOf)
        case .variants(let field, let variants): self.variants(variants, by: field)
        case .nothing: [("type", .string("null"))]
        case .any: []
        case .either(let types): [anyOf(types.map { .object(self.type($0, bounds: bounds)) })]
        }
    }
}

extension SchemaTypes {
    private static func anyOf(_ schemas: [JSONText]) -> (String, JSONText) { ("anyOf", .array(schemas)) }

    /// A scalar of one of these forms, or one whose value a variable gives.
    private static func scalar(_ forms: [JSONText]) -> Members { [anyOf(forms + [SchemaDefinition.variable])] }

    private static func size(_ bounds: FieldBounds?) -> Members {
        guard bounds != nil else { return [SchemaDefinition.size.reference] }
        let pattern = SchemaPattern.size(excludesZero: SchemaBounds.excludesZero(bounds, of: .size))
        return scalar([.object(SchemaBounds.bytes(bounds)), .object(SchemaPattern.string(pattern))])
    }

    private static func word(_ word: FieldWord) -> [JSONText] {
        var forms: [JSONText] = [.object(SchemaPattern.string(word.pattern))]
        if let numbers = word.numbers {
            forms.append(
                .object([
                    ("type", .string("integer")), ("minimum", .int(numbers.lowerBound)), ("maximum", .int(numbers.upperBound)),
                ]))
        }
        if word.allowsNumbers { forms.append(.object([("type", .string("number"))])) }
        if word.allowsBools { forms.append(.object([("type", .string("boolean"))])) }
        return forms
    }

    private static func list(_ element: FieldType, atLeast count: Int) -> Members {
        let isUnique = if case .word(let word) = element { word.isUnique } else { false }
        return [("type", .string("array")), ("items", .object(type(element)))] + (count > 0 ? [("minItems", .int(count))] : [])
            + (isUnique ? [("uniqueItems", .bool(true))] : [])
    }

    private static func map(_ value: FieldType, keys: FieldWord?, atLeast count: Int) -> Members {
        let names = keys.map { JSONText.object([("pattern", .string($0.pattern))]) } ?? .object([SchemaDefinition.name.reference])
        return [("type", .string("object")), ("additionalProperties", .object(type(value))), ("propertyNames", names)]
            + (count > 0 ? [("minProperties", .int(count))] : [])
    }

    private static func exactlyOne(of fields: [String]) -> Members {
        guard !fields.isEmpty else { return [] }
        return [("oneOf", .array(fields.map { .object([("required", .array([.string($0)]))]) }))]
    }

    /// Each variant on a condition of its own, so that an editor tells of the one that is meant.
    private static func variants(_ variants: [FieldVariant], by field: String) -> Members {
        let words = variants.map { variant in
            JSONText.object([("const", .string(variant.name)), ("description", .string(variant.documentation))])
        }
        let conditions = variants.map { variant in
            let isMeant = JSONText.object([
                ("properties", .object([(field, .object([("const", .string(variant.name))]))])), ("required", .array([.string(field)])),
            ])
            let members = object(variant.declarations, besides: [(field, .bool(true))]) + exactlyOne(of: variant.alternatives)
            return JSONText.object([("if", isMeant), ("then", .object(members))])
        }
        return [
            ("type", .string("object")), ("properties", .object([(field, .object(scalar(words)))])),
            ("required", .array([.string(field)])), ("allOf", .array(conditions)),
        ]
    }
}

/// The bounds of fields as the members of a schema.
enum SchemaBounds {
    typealias Members = [(String, JSONText)]

    static func integer(_ bounds: FieldBounds?) -> Members {
        if let bounds, let only = bounds.lower, only == bounds.upper { return [("const", .number(only))] }
        return number("integer", lower: bounds?.lower, upper: bounds?.upper, areExcluded: bounds?.areExcluded ?? false)
    }

    /// A number of bytes; a size is never negative.
    static func bytes(_ bounds: FieldBounds?) -> Members {
        func bytes(_ text: String?) -> String? { text.flatMap { try? Quantity.size($0) }.map { "\($0.bytes)" } }
        return number("integer", lower: bytes(bounds?.lower) ?? "0", upper: bytes(bounds?.upper), areExcluded: bounds?.areExcluded ?? false)
    }

    static func ratio(_ bounds: FieldBounds?) -> Members {
        number("number", lower: bounds?.lower, upper: bounds?.upper, areExcluded: bounds?.areExcluded ?? false)
    }

    /// Indicates whether a duration or a size of nothing is out of bounds. More of their bounds than that a pattern does not tell.
    static func excludesZero(_ bounds: FieldBounds?, of type: FieldType) -> Bool {
        guard let bounds, let lower = bounds.lower else { return false }
        let isZero = type == .size ? (try? Quantity.size(lower))?.bytes == 0 : (try? Quantity.duration(lower)) == .zero
        return bounds.areExcluded || !isZero
    }

    private static func number(_ type: String, lower: String?, upper: String?, areExcluded: Bool) -> Members {
        var members: Members = [("type", .string(type))]
        if let lower { members.append((areExcluded ? "exclusiveMinimum" : "minimum", .number(lower))) }
        if let upper { members.append((areExcluded ? "exclusiveMaximum" : "maximum", .number(upper))) }
        return members
    }
}

/// Values of a configuration as JSON, by the core schema of YAML 1.2.2 (section 10.3.2).
enum SchemaValue {
    /// The value of `text` in a file; the text itself if it is no YAML.
    static func ofYAML(_ text: String) -> JSONText {
        ConfigFile(text: Array(text.utf8), name: "").root.map(json) ?? .string(text)
    }

    /// A default as it is declared: a text is not YAML.
    static func ofDefault(_ text: String, of type: FieldType) -> JSONText {
        switch type {
        case .string, .template, .secret, .path, .url, .choice, .word: .string(text)
        default: ofYAML(text)
        }
    }

    /// The value of `word` with quotes, and without them if that is another.
    static func spellings(_ word: String) -> [JSONText] {
        switch plain(word) {
        case .string, .null: [.string(word)]
        case let other: [.string(word), other]
        }
    }

    private static func json(_ node: ConfigNode) -> JSONText {
        switch node.content {
        case .scalar(let scalar): scalar.isPlain ? plain(scalar.text) : .string(scalar.text)
        case .sequence(let elements): .array(elements.map(json))
        case .mapping(let members): .object(members.map { ($0.key, json($0.value)) })
        case .alias(let target): json(target)
        }
    }

    private static func plain(_ text: String) -> JSONText {
        if CoreSchema.isNull(text) { return .null }
        if let bool = CoreSchema.coreBool(text) { return .bool(bool) }
        if let int = CoreSchema.int(text) { return .int(int) }
        if text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?/) != nil, let double = Double(text), double.isFinite {
            return .number("\(double)")
        }
        return .string(text)
    }
}
