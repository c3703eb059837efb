internal import Pipeline

/// The operations and fragments of a GraphQL text (GraphQL, October 2021), as far as they tell whether it can be fetched.
package struct GraphQLDocument: Sendable {
    /// The kind of an operation.
    package enum Kind: String, Sendable {
        case query
        case mutation
        case subscription
    }

    /// A variable that an operation declares.
    package struct Variable: Sendable, Equatable {
        /// The name without `$`.
        package let name: String
        /// The type as it is written, without white space: `[ID!]!`.
        package let type: String
        /// Indicates whether it has a default.
        package let hasDefault: Bool

        /// Indicates whether its value cannot be `null`.
        package var isNonNull: Bool { type.last == "!" }
        /// Indicates whether a request must have a value of it.
        package var isRequired: Bool { isNonNull && !hasDefault }
    }

    /// One operation of the text.
    package struct Operation: Sendable {
        package let kind: Kind
        /// The name; nil for one without.
        package let name: String?
        package let variables: [Variable]
        let offset: Int
        let body: Body
    }

    /// A reason why the text cannot be fetched, and its place.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        /// The reason in words: `no operation is called Search`.
        package let message: String
        /// The line, from 1; LF, CR and CR LF end one.
        package let line: Int
        /// The column, from 1, in Unicode scalars.
        package let column: Int

        /// The message, after its place.
        package var description: String { "\(line):\(column): \(message)" }
    }

    /// The names in the directives and the fields of an operation or a fragment.
    struct Body: Sendable {
        struct Name: Sendable {
            let name: String
            let offset: Int
        }

        var variables: [Name] = []
        var fragments: [Name] = []
    }

    /// The operations in the order of the text.
    package internal(set) var operations: [Operation] = []
    var fragments: [String: Body] = [:]
    let text: [UInt8]

    /// Reads `text`. Throws what is wrong with its syntax, and where.
    package init(parsing text: String) throws(Problem) {
        self.text = Array(text.utf8)
        var parser = try GraphQLParser(self.text)
        (operations, fragments) = try parser.definitions()
    }
}

extension GraphQLDocument {
    /// The operation called `name`; without a name the only one. Throws where that says none.
    package func operation(named name: String?) throws(Problem) -> Operation {
        guard let first = operations.first else { throw problem("no operation: expected a query", at: text.count) }
        if let name {
            guard let found = operations.first(where: { $0.name == name }) else {
                throw problem("no operation is called `\(name.shortened)`\(expectation(for: name))", at: first.offset)
            }
            return found
        }
        guard operations.count == 1 else {
            throw problem("\(operations.count) operations, and `operation` names none\(expectation(for: nil))", at: operations[1].offset)
        }
        return first
    }

    /// The names that `operation` may have in place of `name`, as the end of a sentence.
    private func expectation(for name: String?) -> String {
        let names = operations.compactMap(\.name)
        if names.isEmpty { return ": none has a name" }
        if let name { return NearestName.help(for: name, among: names, noun: "operations").map { ": \($0)" } ?? "" }
        return ": expected " + names.prefix(8).map { "`\($0.shortened)`" }.joined(separator: " or ") + (names.count > 8 ? " or …" : "")
    }

    /// The names of the variables that an operation uses, itself and in its fragments, without `$`, in no order.
    package func variables(usedBy operation: Operation) -> Set<String> {
        Set(bodies(of: operation).flatMap(\.variables).map(\.name))
    }

    /// The reasons why the operation called `name`, without a name the only one, cannot be fetched; none if it can be.
    ///
    /// - Parameter cursor: a variable, without `$`, that requests set: it must be declared and used.
    package func problems(operation name: String?, setting cursor: String? = nil) -> [Problem] {
        do throws(Problem) {
            let operation = try operation(named: name)
            guard operation.kind == .query else {
                return [problem("a \(operation.kind) is not fetched: expected a query", at: operation.offset)]
            }
            return problems(of: operation) + problems(of: operation, setting: cursor)
        } catch {
            return [error]
        }
    }

    private func problems(of operation: Operation) -> [Problem] {
        let declared = Set(operation.variables.map(\.name))
        let bodies = bodies(of: operation)
        var (problems, named): ([Problem], Set<String>) = ([], declared)
        for use in bodies.flatMap(\.variables) where named.insert(use.name).inserted {
            problems.append(problem("`$\(use.name.shortened)` is used and not declared", at: use.offset))
        }
        named = Set(fragments.keys)
        for spread in bodies.flatMap(\.fragments) where named.insert(spread.name).inserted {
            problems.append(problem("no fragment is called `\(spread.name.shortened)`", at: spread.offset))
        }
        return problems
    }

    private func problems(of operation: Operation, setting cursor: String?) -> [Problem] {
        guard let cursor else { return [] }
        if !operation.variables.contains(where: { $0.name == cursor }) {
            return [problem("`$\(cursor.shortened)` is not declared, and no page could be asked for", at: operation.offset)]
        }
        if !variables(usedBy: operation).contains(cursor) {
            return [problem("`$\(cursor.shortened)` is declared and not used, and each page would be the first", at: operation.offset)]
        }
        return []
    }

    /// The operation's own body, and those of the fragments that it comes to, each once.
    private func bodies(of operation: Operation) -> [Body] {
        var bodies = [operation.body]
        var (index, seen): (Int, Set<String>) = (0, [])
        while index < bodies.count {
            for spread in bodies[index].fragments where seen.insert(spread.name).inserted {
                if let fragment = fragments[spread.name] { bodies.append(fragment) }
            }
            index += 1
        }
        return bodies
    }

    private func problem(_ message: String, at offset: Int) -> Problem { Problem(message, at: offset, in: text) }
}

extension GraphQLDocument.Problem {
    /// - Parameter offset: that of a byte of `text`, or its end.
    init(_ message: String, at offset: Int, in text: [UInt8]) {
        var (line, column, index) = (1, 1, 0)
        while index < offset {
            let byte = text[index]
            let isBreak = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            // The second half of CR LF ends no further line.
            if byte == UInt8(ascii: "\r"), index + 1 < offset, text[index + 1] == UInt8(ascii: "\n") { index += 1 }
            index += 1
            if isBreak { (line, column) = (line + 1, 1) } else if byte & 0xC0 != 0x80 { column += 1 }
        }
        self.init(message: message, line: line, column: column)
    }
}
