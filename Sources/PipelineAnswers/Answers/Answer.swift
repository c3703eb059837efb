import Pipeline
package import PipelineJSON

/// An answer as the rules of this module read it: the body is decoded, and JSON was made of it where `read` says so.
package struct Answer: Sendable {
    package let status: Int
    package let headers: AnswerHeaders
    package let body: [UInt8]
    /// The reason why the body is not JSON; nil if it is.
    package let problem: JSONScanner.Problem?

    /// An answer with this body; an empty one stands for a body that was not read.
    package init(status: Int, headers: AnswerHeaders = [:], body: [UInt8] = []) {
        self.init(status: status, headers: headers, body: body, problem: JSONScanner.problem(of: body))
    }

    private init(status: Int, headers: AnswerHeaders, body: [UInt8], problem: JSONScanner.Problem?) {
        (self.status, self.headers, self.body, self.problem) = (status, headers, body, problem)
    }

    /// This answer, as if it had come with another status.
    package func treated(as status: Int) -> Answer { Answer(status: status, headers: headers, body: body, problem: problem) }

    /// The first place of each of `paths` in the body, found in one pass; nil for each in a body that is not JSON.
    ///
    /// Throws where a name on the way to one of them occurs twice: it could be either.
    func places(of paths: [JSONPath]) throws(SourceError) -> [Range<Int>?] {
        guard problem == nil, !paths.isEmpty else { return Array(repeating: nil, count: paths.count) }
        return try SourceError.unusable { () throws(JSONScanner.Problem) in
            try JSONScanner.places(of: paths, in: body, isChecked: true).map { $0.first?.range }
        }
    }

    func places(of pointers: [JSONPointer]) throws(SourceError) -> [Range<Int>?] { try places(of: pointers.map { JSONPath($0) }) }
}

/// The fields of an answer's head, of which one name may have several.
package struct AnswerHeaders: Sendable {
    /// Names in lower case, values without the blanks around them.
    private let fields: [(name: String, value: String)]

    package init(_ fields: some Sequence<(name: String, value: String)>) {
        self.fields = fields.map { ($0.name.lowercased(), $0.value.trimmed) }
    }

    /// The values of the fields of this name, whatever its case, in the order in which they came.
    package subscript(name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
    }

    /// The value of the first field of this name; nil if there is none.
    package func first(_ name: String) -> String? { self[name].first }

    /// The media type of the body in lower case, without its parameters; nil if there is none.
    var mediaType: String? { first("Content-Type").map { String($0.prefix { $0 != ";" }).trimmed.lowercased() } }
}

extension AnswerHeaders: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) { self.init(elements.map { (name: $0, value: $1) }) }
}

extension SourceError {
    /// The error of an answer that cannot be used: another try would find the same. What the answer says in it stays on one line.
    static func unusable(_ reason: String) -> SourceError {
        SourceError(reason.shortened(to: 500), kind: .invalid, retry: .never())
    }

    /// Returns the result of `body`, which reads an answer. The answer cannot be used where that throws.
    ///
    /// - Parameter lead: the beginning of the reason: `` `drop`: ``.
    static func unusable<Value>(
        _ lead: String = "", _ body: () throws(JSONScanner.Problem) -> Value
    ) throws(SourceError) -> Value {
        do throws(JSONScanner.Problem) {
            return try body()
        } catch {
            throw .unusable(lead + error.message)
        }
    }
}

extension String {
    /// The words of an answer on one line of at most 1 KiB, controls replaced; nil if there are none. A word that is cut is left out: it could
    /// be a part of a secret, which masks seek as a whole.
    var asMessage: String? {
        let most = 1_024
        guard let line = excerpt(ofBytes: most) else { return nil }
        // With room for one more character an uncut line stays the same.
        guard excerpt(ofBytes: most + 4) != line else { return line }
        return line.lastIndex(of: " ").map { line[..<$0] + " …" }
    }
}
