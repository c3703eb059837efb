public import PipelineConfig

/// The method a source asks with.
public enum RequestMethod: String, FieldChoice {
    /// Asks for the value; the only method, with ``query``, whose answers can be confirmed later.
    case get = "GET"
    /// Sends a body and takes the answer as the value, as GraphQL and RPC interfaces do.
    case post = "POST"
    /// Stores the body at the URL.
    case put = "PUT"
    /// Changes what is at the URL.
    case patch = "PATCH"
    /// Removes what is at the URL.
    case delete = "DELETE"
    /// Asks with a body, and changes nothing.
    case query = "QUERY"

    /// Whether asking twice is the same as asking once (RFC 9110, section 9.2.2; QUERY is safe).
    var isRepeatable: Bool { self != .post && self != .patch }

    /// Whether an answer may be confirmed by its validators: the others have no `304` (RFC 9110, section 13.1.2).
    var isConditional: Bool { self == .get || self == .query }
}
