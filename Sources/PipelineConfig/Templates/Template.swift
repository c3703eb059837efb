public import Pipeline

/// A text with places for parameters: `{user}`, `{pipeline}`, `{key}`.
///
/// What fills a place is data. Each kind of template says how a value is encoded so that it cannot leave its place.
public struct Template: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    /// A problem of the text, at an offset in Unicode scalars.
    struct Problem {
        let message: String
        /// What to write in its place; nil where that is not known.
        var meant: String?
        let offset: Int
        let length: Int
    }

    /// Where a parameter is named, as an offset in Unicode scalars of the scalar it stands in.
    struct Use {
        let parameter: String
        let offset: Int
    }

    private(set) var pieces: [Piece] = []
    private(set) var problems: [Problem] = []
    private(set) var uses: [Use] = []

    /// Reads the literal parts of `text`; what came from variables is taken as it is, encoded by `encodingValue`.
    ///
    /// - Parameters:
    ///   - isLenient: whether a brace that is not a parameter's is text, as in a JSON body.
    ///   - limit: how many parameters and problems are read; what stands behind them is left out.
    init(
        _ text: InterpolatedText, isLenient: Bool = false, limit: Int = .max,
        encodingValue: (_ value: String, _ before: String) -> String = { value, _ in value }
    ) {
        var before = ""
        for piece in text.pieces {
            switch piece {
            case .literal(let literal, let offset):
                if literal.hasByte(UInt8(ascii: "{")) {
                    read(Array(literal.unicodeScalars), at: offset, isLenient: isLenient, limit: limit)
                } else {
                    append(literal: literal)
                }
                before += literal
            case .value(let value, _):
                let encoded = encodingValue(value, before)
                append(literal: encoded)
                before += encoded
            }
        }
    }

    private mutating func append(literal: String) {
        guard !literal.isEmpty else { return }
        guard case .literal(var last)? = pieces.last else { return pieces.append(.literal(literal)) }
        // Taken out, so that the text grows in place: a copy for each value would take time with the square of their number.
        pieces.removeLast()
        last += literal
        pieces.append(.literal(last))
    }

    private mutating func read(_ scalars: [Unicode.Scalar], at base: Int, isLenient: Bool, limit: Int) {
        var literal = ""
        var index = 0
        while index < scalars.count, uses.count + problems.count < limit {
            if scalars[index] == "{" {
                if let name = Self.name(in: scalars, at: index + 1) {
                    append(literal: literal)
                    literal = ""
                    pieces.append(.parameter(name))
                    uses.append(Use(parameter: name, offset: base + index))
                    index += name.utf8.count + 2
                    continue
                }
                if !isLenient {
                    let problem = Self.problem(in: scalars, at: index)
                    problems.append(
                        Problem(message: problem.message, meant: problem.meant, offset: base + index, length: problem.length))
                    index += problem.length
                    continue
                }
            }
            literal.unicodeScalars.append(scalars[index])
            index += 1
        }
        append(literal: literal)
    }

    /// What is wrong with the brace at `start`, which begins no parameter.
    private static func problem(in scalars: [Unicode.Scalar], at start: Int) -> Problem {
        if let twice = Lookalike.doubleBraces(in: scalars, at: start) {
            return Problem(
                message: "`{{\(twice.name.shortened)}}` has two pairs of braces", meant: "{\(twice.name.shortened)}", offset: start,
                length: twice.range.count)
        }
        guard let end = scalars[start...].firstIndex(of: "}") else {
            let rest = scalars[(start + 1)...]
            let name = String(String.UnicodeScalarView(rest.prefix(while: Identifier.canContain)))
            let after = String(String.UnicodeScalarView(rest.dropFirst(name.unicodeScalars.count)))
            return Problem(
                message: "`{` without its `}`", meant: Identifier.isValid(name) && after.count < 60 ? "{\(name)}\(after)" : nil,
                offset: start,
                length: scalars.count - start)
        }
        let inside = String(String.UnicodeScalarView(scalars[(start + 1)..<end]))
        let name = inside.filter { !$0.isWhitespace }
        let isSpaced = Identifier.isValid(name) && inside.hasPrefix(" ")
        return Problem(
            message: "`{\(inside.shortened)}` does not name a parameter", meant: isSpaced ? "{\(name.shortened)}" : nil, offset: start,
            length: end - start + 1)
    }

    /// The name that stands at `start` with a `}` after it.
    private static func name(in scalars: [Unicode.Scalar], at start: Int) -> String? {
        var end = start
        while end < scalars.count, Identifier.canContain(scalars[end]) { end += 1 }
        guard end < scalars.count, scalars[end] == "}" else { return nil }
        var name = ""
        for scalar in scalars[start..<end] { name.unicodeScalars.append(scalar) }
        return Identifier.isValid(name) ? name : nil
    }

    /// The names of the parameters in it, each once.
    var parameters: Set<String> { Set(uses.map(\.parameter)) }

    /// The text for `key`, each value through `encoding`.
    func filled(for key: Key, encoding: (String) -> String) -> String {
        var result = ""
        for piece in pieces {
            switch piece {
            case .literal(let text): result += text
            case .parameter("pipeline"): result += encoding(key.pipeline)
            case .parameter("key"): result += encoding(key.text)
            case .parameter(let name): result += encoding(key[name] ?? "")
            }
        }
        return result
    }

    /// The text for `keys`, which differ in `parameter` alone: its values stand in its place, divided by commas.
    func filled(for keys: [Key], joining parameter: String, encoding: (String) -> String) -> String {
        guard let first = keys.first else { return "" }
        return pieces.map { piece in
            if case .parameter(parameter) = piece { return keys.map { encoding($0[parameter] ?? "") }.joined(separator: ",") }
            return Template(piece).filled(for: first, encoding: encoding)
        }.joined()
    }

    private init(_ piece: Piece) {
        pieces = [piece]
    }

    mutating func replacePrefix(_ text: some StringProtocol) {
        if case .literal? = pieces.first { pieces.removeFirst() }
        pieces.insert(.literal(String(text)), at: 0)
    }

    /// The text before the first parameter.
    var prefix: String {
        if case .literal(let text)? = pieces.first { text } else { "" }
    }

    /// Two templates are equal when they give the same texts.
    public static func == (left: Template, right: Template) -> Bool { left.pieces == right.pieces }
    /// Feeds the text into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(pieces) }
}

/// A template for plain text, such as a request body or a query value. The one who uses it encodes the values.
public struct TextTemplate: Sendable, Hashable {
    let template: Template

    /// Indicates whether the template gives one text for every key.
    public var isConstant: Bool { template.uses.isEmpty }

    /// The names of the parameters in it.
    public var parameters: Set<String> { template.parameters }

    init(template: Template) {
        self.template = template
    }

    /// The template that is written `text`, without variables: for tests and for pipelines written in Swift.
    public init(_ text: String) {
        template = Template(InterpolatedText(pieces: [.literal(text, offset: 0)]), isLenient: true)
    }

    /// The text for `key`; every value goes through `encoding`, the text of the file does not.
    public func filled(for key: Key, encoding: (String) -> String = { $0 }) -> String {
        template.filled(for: key, encoding: encoding)
    }

    /// The parameter that the text begins with; nil if something else stands before it, or there is none.
    package var leadingParameter: String? {
        if case .parameter(let name)? = template.pieces.first { name } else { nil }
    }

    /// The text before the first parameter.
    public var prefix: String { template.prefix }
}

/// A template whose text is secret, such as a header's value. It prints as `***`.
public struct SecretTemplate: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    let template: Template

    /// Indicates whether the template gives one text for every key.
    public var isConstant: Bool { template.uses.isEmpty }

    /// The names of the parameters in it.
    public var parameters: Set<String> { template.parameters }

    /// The text before the first parameter.
    package var prefix: String { template.prefix }

    /// The text for `key`; every value goes through `encoding`, the text of the file does not.
    public func revealed(for key: Key, encoding: (String) -> String = { $0 }) -> String {
        template.filled(for: key, encoding: encoding)
    }

    /// `***`
    public var description: String { "***" }
    /// `***`
    public var debugDescription: String { "***" }
}
