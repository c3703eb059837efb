import PipelineAnswers
import PipelineJSON
import Testing

@Suite struct GraphQLRequestTests {
    private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

    @Test func `a request has the text, the variables as they are, and the name of the operation`() {
        let body = GraphQLRequest.body(
            query: "query A {\n a(b: \"é\\\"\") }", variables: Array(#"{ "n": 1.10, "u": "\u00e9" }"#.utf8), operation: "A")

        #expect(text(body) == #"{"query":"query A {\n a(b: \"é\\\"\") }","variables":{ "n": 1.10, "u": "\u00e9" },"operationName":"A"}"#)
        #expect(JSONScanner.problem(of: body) == nil)
    }

    @Test func `without variables there is a place for a cursor`() {
        #expect(text(GraphQLRequest.body(query: "{a}")) == #"{"query":"{a}","variables":{}}"#)
    }

    @Test func `AP-76 the hash goes alone, then with the text`() {
        let extensions = #""extensions":{"persistedQuery":{"version":1,"sha256Hash":"ab01"}}"#

        #expect(text(GraphQLRequest.body(query: nil, hash: "ab01")) == #"{"variables":{},\#(extensions)}"#)
        #expect(
            text(GraphQLRequest.body(query: "{a}", operation: "A", hash: "ab01"))
                == #"{"query":"{a}","variables":{},"operationName":"A",\#(extensions)}"#)
    }
}

@Suite struct GraphQLAnswerTests {
    private func answer(_ text: String) throws -> GraphQLAnswer { try GraphQLAnswer(Array(text.utf8)) }

    @Test(arguments: [
        (#"{"data":{"a":1}}"#, #"{"a":1}"#), (#"{ "errors": [], "data" : [1] }"#, "[1]"), (#"{"data":null}"#, nil),
        (#"{"errors":[{}]}"#, nil), ("{}", nil), ("[]", nil), ("1", nil),
        (#"{"d\u0061ta":0,"x":{"data":1}}"#, "0"),
    ])
    func `data is there unless it is absent or null`(text: String, expected: String?) throws {
        let data = try answer(text).data
        #expect(data.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) } == expected)
    }

    @Test func `AP-74 errors say their words, their code and their place`() throws {
        let first = #"{"message":"too \"slow\"","path":["a",0,"b/c"],"extensions":{"code":"THROTTLED"}}"#
        let answer = try answer(#"{"data":{"a":null},"errors":[\#(first),{"message":2,"path":[]},"x",{"path":{}}]}"#)

        #expect(answer.data != nil && answer.message == "too \"slow\"" && !answer.wantsText)
        #expect(answer.failures.map(\.message) == ["too \"slow\"", nil, nil, nil])
        #expect(answer.failures.map(\.code) == ["THROTTLED", nil, nil, nil])
        #expect(answer.failures.map(\.place?.description) == ["/data/a/0/b~1c", "/data", nil, nil])
    }

    @Test(arguments: [
        (#"{"errors":[{"message":"PersistedQueryNotFound"}]}"#, true),
        (#"{"errors":[{"message":"no","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}"#, true),
        (#"{"errors":[{"message":"PERSISTED_QUERY_NOT_FOUND"}]}"#, false), (#"{"data":{"message":"PersistedQueryNotFound"}}"#, false),
        (#"{"errors":null}"#, false), ("{}", false),
    ])
    func `AP-76 a server that does not know the hash wants the text`(text: String, expected: Bool) throws {
        #expect(try answer(text).wantsText == expected)
    }

    @Test func `what stands twice is an error`() {
        #expect(throws: JSONScanner.Problem.self) { try answer(#"{"data":1,"data":2}"#) }
        #expect(throws: JSONScanner.Problem.self) { try answer(#"{"errors":[],"data":1,"errors":[]}"#) }
    }

    @Test func `of very many errors the first 1,000 are kept`() throws {
        let errors = (0..<1_200).map { "{\"message\":\"\($0)\"}" }.joined(separator: ",")

        let answer = try answer("{\"errors\":[\(errors)]}")
        #expect(answer.failures.count == 1_000 && answer.message == "0")
    }
}
