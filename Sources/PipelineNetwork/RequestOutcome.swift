/// How a request ended.
public enum RequestOutcome: Hashable, Sendable {
    /// The whole answer came, with the status that ``RequestPermit/head(status:isValue:retryAfter:)`` gave.
    case answered
    /// The connection broke, the body was cut or broken, or the attempt's time was over.
    case failed
    /// The request was surely not processed: the connection was refused, the name was not found, or the origin said so.
    case unprocessed
    /// The caller no longer needs the answer.
    case cancelled
    /// The second request of a hedge was faster.
    case overtaken
}
