package import PipelineJSON

/// The body of a GraphQL request (GraphQL over HTTP, section 5).
package enum GraphQLRequest {
    /// The JSON of a request. It always has `variables`, so that a cursor has a place: `/variables/after`.
    ///
    /// - Parameters:
    ///   - query: the text; nil for the hash alone.
    ///   - variables: a JSON object, which is copied as it is; nil for none.
    ///   - operation: the name of one of several operations.
    ///   - hash: the SHA-256 of the text in hexadecimal digits, for a server that may know it (automatic persisted queries, version 1).
    package static func body(query: String?, variables: [UInt8]? = nil, operation: String? = nil, hash: String? = nil) -> [UInt8] {
        var members: [(String, JSONText)] = []
        if let query { members.append(("query", .string(query))) }
        members.append(("variables", variables.map { .raw($0) } ?? .object([])))
        if let operation { members.append(("operationName", .string(operation))) }
        if let hash {
            members.append(("extensions", .object([("persistedQuery", .object([("version", .int(1)), ("sha256Hash", .string(hash))]))])))
        }
        return Array(JSONText.object(members).text.utf8)
    }
}

/// The data and the errors of a GraphQL answer.
package struct GraphQLAnswer: Sendable {
    /// One of its errors.
    package struct Failure: Sendable, Equatable {
        /// The words; nil where there are none.
        package let message: String?
        /// The text at `extensions.code`: `PERSISTED_QUERY_NOT_FOUND`.
        package let code: String?
        /// The place in the answer that the error is of; nil where it says none.
        package let place: JSONPointer?
    }

    /// The most errors of an answer that are kept.
    private static let mostFailures = 1_000

    /// The range of `data`; nil where that is absent or `null`.
    package let data: Range<Int>?
    /// The errors in the order of the text.
    package let failures: [Failure]

    /// The message of the first error; nil where there is none.
    package var message: String? { failures.first?.message }

    /// Indicates whether the server does not know the hash that stood for a text, and wants the text.
    package var wantsText: Bool { failures.contains { $0.code == "PERSISTED_QUERY_NOT_FOUND" || $0.message == "PersistedQueryNotFound" } }

    /// - Parameter payload: JSON that was checked. Throws where `data` or `errors` stands twice in it.
    package init(_ payload: [UInt8]) throws(JSONScanner.Problem) {
        let places = try JSONScanner.places(
            of: [JSONPath(JSONPointer(tokens: ["data"])), JSONPath(JSONPointer(tokens: ["errors"]))], in: payload, isChecked: true)
        data = places[0].first.map(\.range).flatMap { payload[$0].first == UInt8(ascii: "n") ? nil : $0 }
        var failures: [Failure] = []
        if let errors = places[1].first?.range, payload[errors].first == UInt8(ascii: "[") {
            _ = JSONScanner.forEachPart(of: payload, at: errors) { error in
                if failures.count < Self.mostFailures { failures.append(Failure(payload, at: error.value)) }
            }
        }
        self.failures = failures
    }
}

extension GraphQLAnswer.Failure {
    fileprivate init(_ payload: [UInt8], at range: Range<Int>) {
        func text(_ tokens: String...) -> String? {
            guard case .string(let text) = JSONScanner.scalar(at: JSONPointer(tokens: tokens), in: payload, at: range) else { return nil }
            return text
        }
        var tokens: [String] = []
        let path = JSONScanner.range(of: JSONPointer(tokens: ["path"]), in: payload, at: range)
        let list = path.flatMap { path in
            JSONScanner.forEachPart(of: payload, at: path) { step in
                if let scalar = JSONScalar(payload, at: step.value) { tokens.append(scalar.text) }
            }
        }
        let place = list?.isObject == false ? JSONPointer(tokens: ["data"] + tokens) : nil
        self.init(message: text("message"), code: text("extensions", "code"), place: place)
    }
}
