public import PipelineConfig

/// How many rows of a query are the value.
public enum QueryRows: String, FieldChoice, Sendable {
    /// Every row, as the objects of an array; an empty array when there is none.
    case many
    /// The one row there is, as an object; none is `not_found`, and several are an error.
    case one
}
