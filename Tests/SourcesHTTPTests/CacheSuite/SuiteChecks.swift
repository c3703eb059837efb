import Testing

/// What the suite checks of an answer and of what the origin was asked, in its order.
struct SuiteChecks {
    private let request: SuiteRequest
    private let number: Int
    private let id: String

    /// - Parameter number: which request of the case it is, counted from 1.
    init(_ request: SuiteRequest, number: Int, id: String) {
        self.request = request
        self.number = number
        self.id = id
    }

    private func check(_ condition: Bool, _ part: SuiteRequest.Part, _ message: @autoclosure () -> String) throws(SuiteFailure) {
        try SuiteFailure.check(condition, preparing: request.isPreparation(part), "answer \(number): \(message())")
    }

    /// The same for what every case prepares with.
    private func prepare(_ condition: Bool, _ message: @autoclosure () -> String) throws(SuiteFailure) {
        try SuiteFailure.check(condition, preparing: true, "answer \(number): \(message())")
    }

    /// - Parameter moment: what dates of expected fields count from, in seconds since 1970.
    func check(_ answer: SuiteAnswer, at moment: Double) throws(SuiteFailure) {
        let asked = answer["Request-Numbers"]?.split(separator: " ") ?? []
        try prepare(Set(asked).count == asked.count, "a request was repeated")
        try checkType(of: answer)
        try checkStatus(of: answer)
        for expected in request.expectedFields ?? [] { try check(expected, of: answer, at: moment) }
        for expected in request.missingFields ?? [] {
            guard case .present(let name) = expected else { continue }
            try check(answer[name] == nil, .missingFields, "has \(name): \(answer[name] ?? "")")
        }
        try checkBody(of: answer)
    }

    private func checkType(of answer: SuiteAnswer) throws(SuiteFailure) {
        switch request.expectedType {
        case .cached:
            let isBare = answer.status == 304 && answer.number == nil
            try check(isBare || answer.number.map { $0 < number } ?? false, .type, "does not come from the cache")
        case .notCached: try check(answer.number == number, .type, "comes from the cache")
        case .confirmedByTag, .confirmedByDate, nil: break
        }
    }

    private func checkStatus(of answer: SuiteAnswer) throws(SuiteFailure) {
        guard !request.anyStatus else { return }
        if let expected = request.expectedStatus {
            try check(answer.status == expected, .status, "has the status \(answer.status), not \(expected)")
        } else if let expected = request.responseStatus?.code {
            try prepare(answer.status == expected, "has the status \(answer.status), not \(expected)")
        } else if answer.status == 599 || answer.status == 502 {
            try check(false, .type, "should have been asked for with a condition")
        } else {
            try prepare(answer.status == 200, "has the status \(answer.status), not 200")
        }
    }

    private func check(_ expected: SuiteExpectation, of answer: SuiteAnswer, at moment: Double) throws(SuiteFailure) {
        switch expected {
        case .present(let name): try check(answer[name] != nil, .responseFields, "has no \(name)")
        case .same(let name, let other):
            try check(answer[name] != nil && answer[name] == answer[other], .responseFields, "\(name) is not \(other)")
        case .over(let name, let least):
            let value = answer[name].flatMap { Int($0) }
            try check(value.map { $0 > least } ?? false, .responseFields, "\(name) is \(answer[name] ?? "missing"), not over \(least)")
        case .value(let name, let value):
            let expected = value.written(at: answer["Server-Now"].flatMap { Double($0) }.map { $0 / 1000 } ?? moment)
            try check(answer[name] == expected, .responseFields, "\(name) is \(answer[name] ?? "missing"), not \(expected)")
        }
    }

    private func checkBody(of answer: SuiteAnswer) throws(SuiteFailure) {
        guard request.checksBody != false, answer.status != 204, answer.status != 304 else { return }
        if let expected = request.expectedText {
            try check(answer.body == expected, .text, "the body is \(answer.body), not \(expected)")
        } else {
            let expected = request.responseBody ?? SuiteOrigin.body(of: id)
            try prepare(answer.body == expected, "the body is \(answer.body), not \(expected)")
        }
    }
}

extension SuiteChecks {
    /// What the origin was asked, beside the requests that it had to be asked for.
    static func check(_ asked: [SuiteOrigin.Asked], of played: SuiteCase) throws(SuiteFailure) {
        var rest = asked[...]
        for (index, request) in played.requests.enumerated() where request.expectedType != .cached {
            let checks = SuiteChecks(request, number: index + 1, id: played.id)
            try checks.check(rest.popFirst())
        }
    }

    private func check(_ asked: SuiteOrigin.Asked?) throws(SuiteFailure) {
        switch request.expectedType {
        case .notCached: try check(asked?.number == number, .type, "comes from the cache")
        case .confirmedByTag: try check(asked?.request["If-None-Match"] != nil, .type, "was asked for without If-None-Match")
        case .confirmedByDate: try check(asked?.request["If-Modified-Since"] != nil, .type, "was asked for without If-Modified-Since")
        case .cached, nil: break
        }
        for expected in request.expectedRequestFields ?? [] {
            switch expected {
            case .present(let name): try check(asked?.request[name] != nil, .requestFields, "was asked for without \(name)")
            case .value(let name, let value):
                let sent = asked?.request[name]
                try check(sent == value.written(at: 0), .requestFields, "was asked for with \(name): \(sent ?? "nothing")")
            case .same, .over: break
            }
        }
        for case .present(let name) in request.missingRequestFields ?? [] {
            try check(asked?.request[name] == nil, .missingRequestFields, "was asked for with \(name)")
        }
    }
}
