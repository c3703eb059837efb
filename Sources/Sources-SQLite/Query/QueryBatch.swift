internal import Pipeline
public import PipelineConfig
public import PipelineJSON

/// The settings of the field `batch`: one query for several values.
public struct QueryBatch: Sendable {
    let query: SQLQuery
    let id: JSONPointer
    let max: Int
    /// The parameter that ``query`` has the ids in; nil if it has several and none is named.
    let parameter: String?

    /// One query for several rows.
    ///
    /// - Parameters:
    ///   - query: has the parameter of the ids where a list of values can stand: `WHERE id IN (:id)`.
    ///   - id: where a row has its id, as `/id`.
    ///   - max: the most ids of one query; at least 2.
    ///   - parameter: the parameter whose values are the ids; nil for the only one in `query`, or the one called `id`.
    public init(query: SQLQuery, id: JSONPointer, max: Int = 500, parameter: String? = nil) {
        self.query = query
        self.id = id
        self.max = Swift.max(2, max)
        let names = Self.names(in: query)
        self.parameter = parameter ?? (names.count == 1 ? names[0] : names.contains("id") ? "id" : nil)
    }

    fileprivate static func names(in query: SQLQuery) -> [String] { query.parameters.filter { $0 != "pipeline" && $0 != "key" } }

    /// The query for `count` ids.
    func query(count: Int) -> SQLQuery { parameter.map { query.repeating($0, count: count) } ?? query }
}

extension QueryBatch: FieldObject {
    /// `a batch`
    public static var noun: String { "a batch" }

    /// The fields of one query for several values, and of their places in its result.
    public static let fields = FieldGroup(
        Field<SQLQuery>(
            "query",
            "A query for several rows. The ids are bound as values in the place of their parameter: `WHERE id IN (:id)`.",
            example: "SELECT id, name FROM people WHERE id IN (:id)"),
        Field<JSONPointer>("id", "Where a row has its id: the name of a column, after a `/`.", example: "/id"),
        Field("max", default: 500, range: 2...10_000, "The most ids of one query."),
        Field(
            "parameter", default: String?.none,
            "The parameter whose values are the ids. By default, the only one in `query`, or the one called `id`.", example: "id")
    ) { query, id, max, parameter in
        QueryBatch(query: query, id: id, max: max, parameter: parameter)
    }

    /// Checks that the query has a place for the ids.
    public static func check(_ value: QueryBatch, _ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        guard let query = members.last(where: { $0.key == "query" }) else { return }
        let names = names(in: value.query).sorted()
        if let parameter = value.parameter {
            guard !names.contains(parameter) else { return }
            decoder.report(
                .malformed, "the `query` of a batch has no place for the ids: it does not name `:\(parameter)`", at: query.value,
                help: names.count == 1 ? "write `parameter: \(names[0])`" : nil)
        } else if names.isEmpty {
            decoder.report(
                .malformed, "the `query` of a batch has no place for the ids: it names no parameter", at: query.value,
                help: "write `WHERE … IN (:id)`, with the name of the parameter")
        } else {
            let quoted = names.map { "`\($0)`" }.joined(separator: ", ")
            decoder.report(
                .malformed, "the `query` of a batch names several parameters, and not which has the ids: \(quoted)", at: query.value,
                help: "write `parameter: \(names[0])`, or another one of them")
        }
    }
}
