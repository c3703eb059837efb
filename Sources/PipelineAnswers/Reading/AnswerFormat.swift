internal import PipelineJSON

/// The language of an answer's body. Of any but JSON, a JSON value is made before anything else reads the answer.
package enum AnswerFormat: String, CaseIterable, Sendable {
    /// JSON, which stays as it came.
    case json
    /// A JSON value on each line: a list of them.
    case ndjson
    /// Rows of values (RFC 4180) below one of names: a list of objects, each value a string.
    case csv
    /// An element: a string without attributes and children, else an object with a list for each name of children.
    case xml

    /// A reason why a body cannot be read, and where that was noticed.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        /// The reason in words: `a quotation mark that is not closed`.
        package let message: String
        /// The line, from 1; nil for the body as a whole.
        package let line: Int?

        init(_ message: String, line: Int? = nil) { (self.message, self.line) = (message, line) }

        /// The message, after its line.
        package var description: String { line.map { "line \($0): \(message)" } ?? message }
    }
}

extension AnswerFormat {
    /// The JSON value of `body`, of no more than `limit` bytes and nested no deeper than ``JSONScanner/maximumDepth``. JSON itself is neither
    /// changed nor checked.
    ///
    /// - Parameter contentType: the media type, whose charset counts where the body has no byte order mark.
    package func read(_ body: [UInt8], contentType: String?, limit: Int) throws(Problem) -> [UInt8] {
        func text() throws(Problem) -> [UInt8] { try AnswerCharset.text(of: body, contentType: contentType, isXML: self == .xml) }
        return switch self {
        case .json: body
        case .ndjson: try Self.list(ofLines: text(), limit: limit)
        case .csv: try CSVReader.json(of: text(), limit: limit)
        case .xml: try XMLReader.json(of: text(), limit: limit)
        }
    }

    /// The line, from 1, on which whatever follows `text` stands; LF, CR and CR LF end one.
    static func line(after text: some Sequence<UInt8>) -> Int {
        var (line, last): (Int, UInt8) = (1, 0)
        for byte in text {
            if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && last != UInt8(ascii: "\r") { line += 1 }
            last = byte
        }
        return line
    }

    private static func list(ofLines text: [UInt8], limit: Int) throws(Problem) -> [UInt8] {
        var list = JSONListWriter()
        var (start, line) = (0, 1)
        while start < text.count {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            let element = JSONFragment(text, at: start..<end)
            if !element.range.isEmpty {
                if let problem = JSONScanner.problem(of: element.payload) { throw Problem(problem.message, line: line) }
                list.add(element)
            }
            (start, line) = (end + 1, line + 1)
        }
        do throws(JSONScanner.Problem) {
            return try list.list(limit: limit).payload
        } catch {
            throw Problem(error.message)
        }
    }
}
