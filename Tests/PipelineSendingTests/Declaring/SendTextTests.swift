import Testing

@testable import PipelineSending

@Suite struct SendTextTests {
    private let text = SendText([.text("account "), .parameter("user"), .text("/"), .parameter("id"), .parameter("user")])

    @Test func `values stand in the places of the parameters`() {
        #expect(text.filled(with: ["user": "42", "id": "a b"]) == "account 42/a b42")
    }

    @Test func `a value is never read as a template`() {
        #expect(text.filled(with: ["user": "{id}", "id": "{user}"]) == "account {id}/{user}{id}")
        #expect(SendText("{user}").filled(with: ["user": "42"]) == "{user}")
    }

    @Test func `a missing value is empty`() {
        #expect(text.filled(with: [:]) == "account /")
    }

    @Test func `the parameters are those in it, in their order`() {
        #expect(text.parameters == ["user", "id", "user"])
        #expect(SendText("plain").parameters == [])
        #expect(SendText.parameter("user").parameters == ["user"])
    }
}
