extension JSONPathParser {
    /// The kind of an expression of a filter (RFC 9535, section 2.4.1), as far as the grammar goes by it.
    private enum Operand {
        case literal
        /// A query for one value at most, which can be compared.
        case singularQuery
        case query
        /// A function that gives a value, nodes, or true and false.
        case value, nodes, logical

        var isComparable: Bool {
            switch self {
            case .literal, .singularQuery, .value: true
            case .query, .nodes, .logical: false
            }
        }

        /// Indicates whether it is true or false by itself: a query is, by whether it finds anything.
        var isTest: Bool {
            switch self {
            case .singularQuery, .query, .nodes, .logical: true
            case .literal, .value: false
            }
        }

        var isQuery: Bool {
            switch self {
            case .singularQuery, .query, .nodes: true
            case .literal, .value, .logical: false
            }
        }
    }

    /// Reads an expression that is true or false.
    mutating func logical() throws(Problem) {
        repeat {
            repeat {
                skipBlanks()
                try basic()
                skipBlanks()
            } while take("&&")
        } while take("||")
    }

    /// Reads the text between `&&` and `||`.
    private mutating func basic() throws(Problem) {
        let isNegated = take("!")
        if isNegated { skipBlanks() }
        if take("(") {
            try nested { parser throws(Problem) in try parser.logical() }
            guard take(")") else { throw problem("expected `)`") }
            return
        }
        let start = index
        let left = try operand()
        let end = index
        skipBlanks()
        guard takeComparison() else {
            index = end
            guard left.isTest else { throw problem("expected a comparison", at: start) }
            return
        }
        if isNegated { throw problem("`!` stands before a comparison, which needs parentheses", at: start) }
        skipBlanks()
        let second = index
        let right = try operand()
        guard left.isComparable else { throw problem("what may give several values, or none, cannot be compared", at: start) }
        guard right.isComparable else { throw problem("what may give several values, or none, cannot be compared", at: second) }
    }

    private mutating func takeComparison() -> Bool {
        take("==") || take("!=") || take("<=") || take(">=") || take("<") || take(">")
    }

    private mutating func operand() throws(Problem) -> Operand {
        switch peek {
        case "'", "\"":
            _ = try string()
            return .literal
        case .some("-"), .some("0"..."9"):
            try number()
            return .literal
        case "@", "$":
            index += 1
            return try nested { parser throws(Problem) in try parser.segments().isSingular ? .singularQuery : .query }
        case .some("a"..."z"): return try wordOrFunction()
        default: throw problem("expected a value, a query or a function")
        }
    }

    private mutating func wordOrFunction() throws(Problem) -> Operand {
        let start = index
        while let scalar = peek, "a"..."z" ~= scalar || scalar == "_" || Self.isDigit(scalar) { index += 1 }
        let name = text(start..<index)
        if peek == "(" { return try function(name, at: start) }
        guard ["true", "false", "null"].contains(name) else { throw problem("expected a value, a query or a function", at: start) }
        return .literal
    }

    /// A function with its arguments, each of the kind that it takes (RFC 9535, section 2.4).
    private mutating func function(_ name: String, at start: Int) throws(Problem) -> Operand {
        index += 1
        let arguments = try nested { parser throws(Problem) in try parser.arguments() }
        let wanted: (result: Operand, [(Operand) -> Bool])
        switch name {
        case "length": wanted = (.value, [\.isComparable])
        case "count": wanted = (.value, [\.isQuery])
        case "match", "search": wanted = (.logical, [\.isComparable, \.isComparable])
        case "value": wanted = (.value, [\.isQuery])
        default: throw problem("there is no function `\(name)`", at: start)
        }
        guard arguments.count == wanted.1.count else {
            throw problem("`\(name)` takes \(wanted.1.count == 1 ? "one argument" : "\(wanted.1.count) arguments")", at: start)
        }
        for (argument, isWanted) in zip(arguments, wanted.1) where !isWanted(argument) {
            throw problem("an argument of `\(name)` is of another kind than it takes", at: start)
        }
        return wanted.result
    }

    private mutating func arguments() throws(Problem) -> [Operand] {
        var arguments: [Operand] = []
        skipBlanks()
        if take(")") { return [] }
        repeat {
            skipBlanks()
            arguments.append(try argument())
            skipBlanks()
        } while take(",")
        guard take(")") else { throw problem("expected `,` or `)`") }
        return arguments
    }

    /// A value, a query, a function, or an expression of them.
    private mutating func argument() throws(Problem) -> Operand {
        let start = index
        if peek != "!", peek != "(" {
            let operand = try operand()
            skipBlanks()
            if peek == "," || peek == ")" { return operand }
        }
        index = start
        try logical()
        return .logical
    }
}
