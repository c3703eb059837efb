import NIOHTTP1

extension ConnectionFailure {
    /// The words for an answer that cannot be read as HTTP; nil for any other `cause`.
    package func unreadableAnswer(_ cause: any Error) -> String? {
        if let error = cause as? AnswerFraming.UnknownCoding {
            return "the answer from \(url.authority) is in the transfer coding `\(error.names.prefix(60))`, which is unknown"
        }
        let problem: String? =
            switch cause {
            case let error as HTTPParserError: Self.problem(error)
            case is NIOHTTPDecoderError: "it came without a request"
            default: nil
            }
        return problem.map { "the answer from \(url.authority) is not HTTP: \($0)" }
    }

    private static func problem(_ error: HTTPParserError) -> String {
        switch error {
        case .invalidConstant: "it does not begin with `HTTP/`"
        case .invalidVersion: "its version is neither 1.0 nor 1.1"
        case .invalidStatus: "its status is not a number of three digits"
        case .headerOverflow: "it has too many header bytes"
        case .invalidHeaderToken: "a header field is malformed"
        case .invalidContentLength, .unexpectedContentLength: "its length is malformed, or said twice"
        case .invalidChunkSize: "the size of a chunk is malformed"
        case .lfExpected, .strictModeAssertion: "a line does not end as it must"
        default: "it is malformed"
        }
    }
}
