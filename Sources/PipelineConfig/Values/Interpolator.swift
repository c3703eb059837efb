internal import Pipeline

/// Reads `${NAME}`, `${NAME:-default}`, `${NAME:?what to do}`, `${file:path}` and `$$` in one scalar.
struct Interpolator {
    /// What is wrong with a reference, at an offset in scalars.
    enum Problem: Error, Equatable {
        case malformed(String, meant: MeantReference? = nil, offset: Int, length: Int)
        case notSet(name: String, advice: String?, offset: Int, length: Int)
        case noFile(path: String, reason: String, offset: Int, length: Int)
        /// The values together have more bytes than there is room for.
        case tooLarge(offset: Int, length: Int)

        /// Whether only a value is missing, and the rest of the text is sound.
        var isMissingValue: Bool {
            switch self {
            case .notSet, .noFile: true
            case .malformed, .tooLarge: false
            }
        }
    }

    let lookUp: (String) -> String?
    let readFile: (String) -> Result<String, ConfigEnvironment.FileProblem>

    /// How many bytes of values there is room for.
    private(set) var room: Int
    /// How many references, and dollars that are text, may be read.
    private let limit: Int
    /// How many of them were read; more than there may be where the text has more.
    private(set) var count = 0
    private(set) var result = InterpolatedText()
    private(set) var problems: [Problem] = []
    /// The references to variables of credentials that are set, but empty.
    private(set) var emptyCredentials: [(name: String, offset: Int, length: Int)] = []
    /// The values that are credentials, as the names of their variables and files say.
    private(set) var credentials: [String] = []

    init(
        room: Int = .max, limit: Int = .max, lookUp: @escaping (String) -> String?,
        readFile: @escaping (String) -> Result<String, ConfigEnvironment.FileProblem>
    ) {
        self.room = room
        self.limit = limit
        self.lookUp = lookUp
        self.readFile = readFile
    }

    mutating func interpolate(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        append(scalars[...], depth: 0)
    }

    private mutating func append(_ scalars: ArraySlice<Unicode.Scalar>, depth: Int) {
        var literal = ""
        var start = scalars.startIndex
        var index = scalars.startIndex
        func peek(_ offset: Int) -> Unicode.Scalar? {
            index + offset < scalars.endIndex ? scalars[index + offset] : nil
        }
        while index < scalars.endIndex, room >= 0, count <= limit {
            if scalars[index] == "$", peek(1) == "$" {
                count += 1
                literal += "$"
                flush(&literal, offset: start)
                index += 2
                start = index
            } else if scalars[index] == "$", peek(1) == "{" {
                flush(&literal, offset: start)
                count += 1
                guard let end = closingBrace(of: scalars, from: index + 2) else {
                    problems.append(
                        .malformed(
                            "`${` without its `}`", meant: MeantReference(unclosed: scalars[(index + 2)...]), offset: index,
                            length: scalars.endIndex - index))
                    return
                }
                if let meant = MeantReference(doubleBraces: scalars[(index + 2)..<end]), end + 1 < scalars.endIndex, scalars[end + 1] == "}"
                {
                    problems.append(.malformed("`${{…}}` has two pairs of braces", meant: meant, offset: index, length: end + 2 - index))
                    index = end + 2
                    start = index
                    continue
                }
                appendReference(scalars[(index + 2)..<end], offset: index, depth: depth)
                index = end + 1
                start = index
            } else {
                literal.unicodeScalars.append(scalars[index])
                index += 1
            }
        }
        flush(&literal, offset: start)
    }

    private mutating func flush(_ literal: inout String, offset: Int) {
        if !literal.isEmpty { result.pieces.append(.literal(literal, offset: offset)) }
        literal = ""
    }

    private func closingBrace(of scalars: ArraySlice<Unicode.Scalar>, from start: Int) -> Int? {
        var depth = 0
        var index = start
        while index < scalars.endIndex {
            if scalars[index] == "$", index + 1 < scalars.endIndex, scalars[index + 1] == "{" {
                depth += 1
                index += 1
            } else if scalars[index] == "}" {
                if depth == 0 { return index }
                depth -= 1
            }
            index += 1
        }
        return nil
    }

    private mutating func appendReference(_ inside: ArraySlice<Unicode.Scalar>, offset: Int, depth: Int) {
        let length = inside.count + 3
        let text = String(String.UnicodeScalarView(inside))
        if inside.starts(with: "file:".unicodeScalars) {
            return appendFile(String(String.UnicodeScalarView(inside.dropFirst(5))), offset: offset, length: length)
        }
        let name = String(String.UnicodeScalarView(inside.prefix(while: Identifier.canContain)))
        guard Identifier.isValid(name) else {
            problems.append(
                .malformed(
                    "`${\(text.shortened)}` does not begin with the name of a variable", meant: MeantReference(inside: text),
                    offset: offset,
                    length: length))
            return
        }
        // By scalars, as the name: a combining mark that follows it is one of the rest, and belongs to no name.
        let rest = inside.dropFirst(name.unicodeScalars.count)
        let value = lookUp(name)
        if rest.isEmpty {
            appendVariable(name, value, advice: nil, offset: offset, length: length)
        } else if rest.starts(with: ":-".unicodeScalars) {
            if let value, !value.isEmpty {
                append(value, name: name, offset: offset, length: length)
            } else {
                appendDefault(rest.dropFirst(2), name: name, depth: depth)
            }
        } else if rest.starts(with: ":?".unicodeScalars) {
            let advice = String(String.UnicodeScalarView(rest.dropFirst(2)))
            appendVariable(name, value?.isEmpty == true ? nil : value, advice: advice, offset: offset, length: length)
        } else {
            problems.append(
                .malformed(
                    "`${\(text.shortened)}` is not one of `${NAME}`, `${NAME:-default}`, `${NAME:?what to do}`, `${file:path}`",
                    meant: MeantReference(inside: text), offset: offset, length: length))
        }
    }

    /// A default stands for the variable's value: it is one value, in which further references are looked up.
    private mutating func appendDefault(_ scalars: ArraySlice<Unicode.Scalar>, name: String, depth: Int) {
        guard depth < 8 else {
            problems.append(.malformed("defaults nested more than 8 deep", offset: scalars.startIndex, length: scalars.count))
            return
        }
        var inner = Interpolator(room: room, limit: limit - count, lookUp: lookUp, readFile: readFile)
        inner.append(scalars, depth: depth + 1)
        (room, count) = (inner.room, count + inner.count)
        problems += inner.problems
        credentials += inner.credentials
        emptyCredentials += inner.emptyCredentials
        // The default of a credential is one itself.
        if Credential.isOrigin(name), !inner.result.text.isEmpty { credentials.append(inner.result.text) }
        result.pieces.append(.value(inner.result.text, name: name))
    }

    private mutating func appendVariable(_ name: String, _ value: String?, advice: String?, offset: Int, length: Int) {
        if let value {
            if value.isEmpty, Credential.isOrigin(name) { emptyCredentials.append((name, offset, length)) }
            append(value, name: name, offset: offset, length: length)
        } else {
            problems.append(.notSet(name: name, advice: advice, offset: offset, length: length))
        }
    }

    private mutating func append(_ value: String, name: String, offset: Int, length: Int) {
        if Credential.isOrigin(name) { credentials.append(value) }
        room -= value.utf8.count
        if room >= 0 {
            result.pieces.append(.value(value, name: name))
        } else {
            problems.append(.tooLarge(offset: offset, length: length))
        }
    }

    private mutating func appendFile(_ path: String, offset: Int, length: Int) {
        guard !path.isEmpty else {
            problems.append(.malformed("`${file:}` does not name a file", offset: offset, length: length))
            return
        }
        switch readFile(path) {
        case .success(let text):
            append(Self.value(of: text), name: "file:" + path, offset: offset, length: length)
        case .failure(let problem):
            problems.append(.noFile(path: path, reason: problem.reason, offset: offset, length: length))
        }
    }

    /// The text of a file without what editors put around it: a byte order mark before, and one line break behind.
    private static func value(of text: String) -> String {
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        return text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}

/// A scalar with its variables (`${NAME}`) looked up, kept apart from what the file itself says.
///
/// A value from outside is data: it is never searched for parameters, and each kind of template encodes it for its place.
package struct InterpolatedText {
    package enum Piece: Equatable {
        /// Text of the file; `offset` counts the Unicode scalars before it.
        case literal(String, offset: Int)
        /// The value of a variable or a file.
        case value(String, name: String)
    }

    package var pieces: [Piece]

    package init(pieces: [Piece] = []) {
        self.pieces = pieces
    }

    /// The whole text, values in their places.
    var text: String {
        pieces.map {
            switch $0 {
            case .literal(let text, _): text
            case .value(let text, _): text
            }
        }.joined()
    }

    /// The names of the variables in it.
    var variables: [String] {
        pieces.compactMap { if case .value(_, let name) = $0 { name } else { nil } }
    }
}
