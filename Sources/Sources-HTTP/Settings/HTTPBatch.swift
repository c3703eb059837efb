package import Pipeline
package import PipelineConfig
package import PipelineJSON

/// The settings of the field `batch`: one request for several values.
package struct HTTPBatch: Sendable {
    package let url: URLTemplate
    package var items = JSONPointer.whole
    package var id: JSONPointer
    package var max = 50
    package var window = Duration.zero
    package var missing = BatchAnswer.Missing.notFound
    /// The parameter that ``url`` has the ids in; nil if it has several and none is named.
    package let parameter: String?

    /// - Parameter parameter: the parameter of the ids; nil for the only one in the URL, or the one called `id`.
    package init(url: URLTemplate, id: JSONPointer, parameter: String? = nil) {
        self.url = url
        self.id = id
        let names = url.parameters.subtracting(Self.ofEveryKey)
        self.parameter = parameter ?? (names.count == 1 ? names.first : names.contains("id") ? "id" : nil)
    }

    /// The names that every template may have.
    static let ofEveryKey: Set = ["pipeline", "key"]
}

extension HTTPBatch: FieldObject {
    /// `a batch`
    package static var noun: String { "a batch" }

    /// The fields of one request for several values, and of their places in its response.
    package static let fields = FieldGroup(
        Field<URLTemplate>(
            "url",
            "The URL to request several values at once. The ids stand in the place of their parameter, each percent-encoded, with commas between them.",
            example: "https://api.example.org/users?ids={id}"
        ).checked(stating: .text(matching: "^[Hh][Tt][Tt][Pp][Ss]?://")) {
            ["http", "https"].contains($0.scheme) ? nil : "a URL that begins with `http://` or `https://`"
        },
        Field(
            "items", default: JSONPointer.whole, "Where the list of values stands in the response. The whole response by default.",
            example: "/data"),
        Field<JSONPointer>("id", "Where a value has its id: a string, or a number as it is written.", example: "/id"),
        Field("max", default: 50, range: 2...10_000, "The most ids of one request."),
        Field(
            "window", default: Duration.zero, range: Duration.zero...,
            "How long to collect ids from independent callers before sending. By default, only ids of one fetch share a request.",
            example: "5ms"),
        Field(
            "missing", default: BatchAnswer.Missing.notFound,
            "How to treat an id missing from the response: as `not_found`, or as an error (`unknown`)."
        ),
        Field(
            "parameter", default: String?.none,
            "The parameter whose values are the ids. By default, the only one in `url`, or the one called `id`.", example: "id")
    ) { url, items, id, max, window, missing, parameter in
        var batch = HTTPBatch(url: url, id: id, parameter: parameter)
        batch.items = items
        batch.max = max
        batch.window = window
        batch.missing = missing
        return batch
    }

    /// `up to 50 in one request`.
    package var explanation: String? { "up to \(max) in one request" }

    /// Checks that the URL has a place for the ids.
    package static func check(_ value: HTTPBatch, _ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        guard let url = members.last(where: { $0.key == "url" }) else { return }
        let names = value.url.parameters.subtracting(ofEveryKey).sorted()
        if let parameter = value.parameter {
            guard !names.contains(parameter) else { return }
            decoder.report(
                .malformed, "the `url` of a batch has no place for the ids: it does not name `{\(parameter)}`", at: url.value,
                help: names.count == 1 ? "write `parameter: \(names[0])`" : names.isEmpty ? help(for: parameter, in: url.value) : nil)
        } else if names.isEmpty {
            decoder.report(
                .malformed, "the `url` of a batch has no place for the ids: it names no parameter", at: url.value,
                help: help(for: "id", in: url.value))
        } else {
            let quoted = names.map { "`\($0)`" }.joined(separator: ", ")
            decoder.report(
                .malformed, "the `url` of a batch names several parameters, and not which has the ids: \(quoted)", at: url.value,
                help: "write `parameter: \(names[0])`, or another one of them")
        }
    }

    private static func help(for parameter: String, in url: ConfigNode) -> String {
        "add `\(url.scalarText?.contains("?") ?? false ? "&" : "?")ids={\(parameter)}`"
    }
}
