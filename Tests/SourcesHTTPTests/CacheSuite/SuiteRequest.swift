/// One request of a case: what the client sends, what the origin answers, and what is to be seen.
struct SuiteRequest: Decodable, Sendable {
    enum Kind: String, Decodable {
        case cached
        case notCached = "not_cached"
        case confirmedByTag = "etag_validated"
        case confirmedByDate = "lm_validated"
    }

    /// A part of what is checked, which the suite counts as preparation where a case says so.
    enum Part: String, Decodable {
        case type = "expected_type"
        case method = "expected_method"
        case status = "expected_status"
        case responseFields = "expected_response_headers"
        case missingFields = "expected_response_headers_missing"
        case text = "expected_response_text"
        case requestFields = "expected_request_headers"
        case missingRequestFields = "expected_request_headers_missing"
    }

    let requestMethod: String?
    let requestHeaders: [SuiteField]?
    let queryArgument: String?
    let fetchMode: String?
    let adaptsDate: Bool?
    let oldDates: [String]?
    let hasInterim: Bool
    let pausesAfter: Bool?

    let responseHeaders: [SuiteField]?
    let responseStatus: SuiteStatus?
    let responseBody: String?
    let responsePause: Int?
    let disconnects: Bool?

    let expectedType: Kind?
    let expectedStatus: Int?
    /// Whether any status will do.
    let anyStatus: Bool
    let expectedText: String?
    let expectedFields: [SuiteExpectation]?
    let missingFields: [SuiteExpectation]?
    let expectedRequestFields: [SuiteExpectation]?
    let missingRequestFields: [SuiteExpectation]?
    let checksBody: Bool?
    private let isSetup: Bool?
    private let setupParts: [Part]?

    private enum CodingKeys: String, CodingKey {
        case requestMethod = "request_method"
        case requestHeaders = "request_headers"
        case queryArgument = "query_arg"
        case fetchMode = "cache"
        case adaptsDate = "magic_ims"
        case oldDates = "rfc850date"
        case interim = "interim_responses"
        case pausesAfter = "pause_after"
        case responseHeaders = "response_headers"
        case responseStatus = "response_status"
        case responseBody = "response_body"
        case responsePause = "response_pause"
        case disconnects = "disconnect"
        case expectedType = "expected_type"
        case expectedStatus = "expected_status"
        case expectedText = "expected_response_text"
        case expectedFields = "expected_response_headers"
        case missingFields = "expected_response_headers_missing"
        case expectedRequestFields = "expected_request_headers"
        case missingRequestFields = "expected_request_headers_missing"
        case checksBody = "check_body"
        case isSetup = "setup"
        case setupParts = "setup_tests"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        requestMethod = try values.decodeIfPresent(String.self, forKey: .requestMethod)
        requestHeaders = try values.decodeIfPresent([SuiteField].self, forKey: .requestHeaders)
        queryArgument = try values.decodeIfPresent(String.self, forKey: .queryArgument)
        fetchMode = try values.decodeIfPresent(String.self, forKey: .fetchMode)
        adaptsDate = try values.decodeIfPresent(Bool.self, forKey: .adaptsDate)
        oldDates = try values.decodeIfPresent([String].self, forKey: .oldDates)
        hasInterim = values.contains(.interim)
        pausesAfter = try values.decodeIfPresent(Bool.self, forKey: .pausesAfter)
        responseHeaders = try values.decodeIfPresent([SuiteField].self, forKey: .responseHeaders)
        responseStatus = try values.decodeIfPresent(SuiteStatus.self, forKey: .responseStatus)
        responseBody = try values.decodeIfPresent(String.self, forKey: .responseBody)
        responsePause = try values.decodeIfPresent(Int.self, forKey: .responsePause)
        disconnects = try values.decodeIfPresent(Bool.self, forKey: .disconnects)
        expectedType = try values.decodeIfPresent(Kind.self, forKey: .expectedType)
        expectedStatus = try values.decodeIfPresent(Int.self, forKey: .expectedStatus)
        anyStatus = values.contains(.expectedStatus) && expectedStatus == nil
        expectedText = try values.decodeIfPresent(String.self, forKey: .expectedText)
        expectedFields = try values.decodeIfPresent([SuiteExpectation].self, forKey: .expectedFields)
        missingFields = try values.decodeIfPresent([SuiteExpectation].self, forKey: .missingFields)
        expectedRequestFields = try values.decodeIfPresent([SuiteExpectation].self, forKey: .expectedRequestFields)
        missingRequestFields = try values.decodeIfPresent([SuiteExpectation].self, forKey: .missingRequestFields)
        checksBody = try values.decodeIfPresent(Bool.self, forKey: .checksBody)
        isSetup = try values.decodeIfPresent(Bool.self, forKey: .isSetup)
        setupParts = try values.decodeIfPresent([Part].self, forKey: .setupParts)
    }

    /// Whether a failure of `part` says that the case could not be played, and nothing of the cache.
    func isPreparation(_ part: Part) -> Bool {
        isSetup == true || setupParts?.contains(part) == true
    }

    /// The text that the origin answers with for this field of its answer.
    func written(_ field: SuiteField, at moment: Double) -> String {
        field.written(at: moment, inOldForm: oldDates?.contains(field.name.lowercased()) ?? false)
    }
}
