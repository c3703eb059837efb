internal import Pipeline

/// The definitions of a GraphQL text, by the grammar of what can be executed (section 2.2).
struct GraphQLParser {
    typealias Problem = GraphQLDocument.Problem
    private typealias Token = GraphQLScanner.Token

    /// The deepest nesting of selections, values and types.
    private static let maximumDepth = 200

    private var scanner: GraphQLScanner
    private var token: Token
    private var depth = 0
    /// The names in the definition that is read, so far.
    private var body = GraphQLDocument.Body()

    init(_ text: [UInt8]) throws(Problem) {
        scanner = GraphQLScanner(text)
        token = try scanner.next()
    }

    mutating func definitions() throws(Problem) -> (operations: [GraphQLDocument.Operation], fragments: [String: GraphQLDocument.Body]) {
        var operations: [GraphQLDocument.Operation] = []
        var fragments: [String: GraphQLDocument.Body] = [:]
        repeat {
            body = GraphQLDocument.Body()
            if try take(word: "fragment") {
                let start = token.range.lowerBound
                let name = try fragmentName()
                try skipTypeCondition()
                try skipDirectives()
                try skipSelections()
                if fragments.updateValue(body, forKey: name) != nil {
                    throw scanner.problem("two fragments are called `\(name.shortened)`", at: start)
                }
            } else {
                let operation = try operation()
                if let name = operation.name, operations.contains(where: { $0.name == name }) {
                    throw scanner.problem("two operations are called `\(name.shortened)`", at: operation.offset)
                }
                operations.append(operation)
            }
        } while token.kind != .end
        return (operations, fragments)
    }

    private mutating func operation() throws(Problem) -> GraphQLDocument.Operation {
        let start = token.range.lowerBound
        guard token.kind != .sign(UInt8(ascii: "{")) else {
            try skipSelections()
            return GraphQLDocument.Operation(kind: .query, name: nil, variables: [], offset: start, body: body)
        }
        guard token.kind == .name, let kind = GraphQLDocument.Kind(rawValue: scanner.word(token.range)) else {
            throw expected("a query or a fragment")
        }
        try advance()
        let name = token.kind == .name ? try self.name() : nil
        let variables = try self.variables()
        try skipDirectives()
        try skipSelections()
        return GraphQLDocument.Operation(kind: kind, name: name, variables: variables, offset: start, body: body)
    }

    private mutating func variables() throws(Problem) -> [GraphQLDocument.Variable] {
        var variables: [GraphQLDocument.Variable] = []
        guard try take("(") else { return [] }
        repeat {
            let start = token.range.lowerBound
            try expect("$")
            let name = try name()
            if variables.contains(where: { $0.name == name }) { throw scanner.problem("`$\(name.shortened)` is declared twice", at: start) }
            try expect(":")
            let type = try type()
            let hasDefault = try take("=")
            if hasDefault { try skipValue(isConstant: true) }
            try skipDirectives(isConstant: true)
            variables.append(GraphQLDocument.Variable(name: name, type: type, hasDefault: hasDefault))
        } while try !take(")")
        return variables
    }

    private mutating func type() throws(Problem) -> String {
        try nested { parser throws(Problem) in
            var type: String
            if try parser.take("[") {
                type = "[" + (try parser.type()) + "]"
                try parser.expect("]")
            } else {
                type = try parser.name("a type")
            }
            if try parser.take("!") { type += "!" }
            return type
        }
    }
}

extension GraphQLParser {
    private mutating func skipSelections() throws(Problem) {
        try nested { parser throws(Problem) in
            try parser.expect("{")
            repeat { try parser.skipSelection() } while try !parser.take("}")
        }
    }

    private mutating func skipSelection() throws(Problem) {
        if token.kind == .spread {
            try advance()
            if token.kind == .name, scanner.word(token.range) != "on" {
                let start = token.range.lowerBound
                body.fragments.append(GraphQLDocument.Body.Name(name: try name(), offset: start))
                return try skipDirectives()
            }
            if token.kind == .name { try skipTypeCondition() }
            try skipDirectives()
            return try skipSelections()
        }
        _ = try name("a field")
        if try take(":") { _ = try name("a field") }
        try skipArguments()
        try skipDirectives()
        if token.kind == .sign(UInt8(ascii: "{")) { try skipSelections() }
    }

    private mutating func fragmentName() throws(Problem) -> String {
        guard token.kind == .name, scanner.word(token.range) != "on" else { throw expected("the name of a fragment") }
        return try name()
    }

    private mutating func skipTypeCondition() throws(Problem) {
        guard try take(word: "on") else { throw expected("`on`") }
        _ = try name("a type")
    }

    private mutating func skipDirectives(isConstant: Bool = false) throws(Problem) {
        while try take("@") {
            _ = try name()
            try skipArguments(isConstant: isConstant)
        }
    }

    private mutating func skipArguments(isConstant: Bool = false) throws(Problem) {
        guard try take("(") else { return }
        repeat { try skipNamedValue(isConstant: isConstant) } while try !take(")")
    }

    private mutating func skipNamedValue(isConstant: Bool) throws(Problem) {
        _ = try name()
        try expect(":")
        try skipValue(isConstant: isConstant)
    }

    private mutating func skipValue(isConstant: Bool) throws(Problem) {
        let start = token.range.lowerBound
        switch token.kind {
        case .name, .number, .string: try advance()
        case .sign(UInt8(ascii: "$")):
            if isConstant { throw scanner.problem("a default cannot have a variable", at: start) }
            try advance()
            body.variables.append(GraphQLDocument.Body.Name(name: try name(), offset: start))
        case .sign(UInt8(ascii: "[")):
            try advance()
            try nested { parser throws(Problem) in
                while try !parser.take("]") { try parser.skipValue(isConstant: isConstant) }
            }
        case .sign(UInt8(ascii: "{")):
            try advance()
            try nested { parser throws(Problem) in
                while try !parser.take("}") { try parser.skipNamedValue(isConstant: isConstant) }
            }
        default: throw expected("a value")
        }
    }
}

extension GraphQLParser {
    private mutating func advance() throws(Problem) { token = try scanner.next() }

    private mutating func take(_ sign: Unicode.Scalar) throws(Problem) -> Bool {
        guard token.kind == .sign(UInt8(ascii: sign)) else { return false }
        try advance()
        return true
    }

    private mutating func take(word: String) throws(Problem) -> Bool {
        guard token.kind == .name, scanner.word(token.range) == word else { return false }
        try advance()
        return true
    }

    private mutating func expect(_ sign: Unicode.Scalar) throws(Problem) {
        guard try take(sign) else { throw expected("`\(sign)`") }
    }

    private mutating func name(_ kind: String = "a name") throws(Problem) -> String {
        guard token.kind == .name else { throw expected(kind) }
        let name = scanner.word(token.range)
        try advance()
        return name
    }

    private func expected(_ words: String) -> Problem {
        let found = token.kind == .end ? "the end" : token.kind == .string ? "a string" : "`\(scanner.word(token.range).shortened)`"
        return scanner.problem("expected \(words), found \(found)", at: token.range.lowerBound)
    }

    private mutating func nested<Result>(_ read: (inout GraphQLParser) throws(Problem) -> Result) throws(Problem) -> Result {
        if depth == Self.maximumDepth { throw scanner.problem("nested deeper than \(depth)", at: token.range.lowerBound) }
        depth += 1
        defer { depth -= 1 }
        return try read(&self)
    }
}
