import Foundation
import PipelineSending
import PipelineTesting
import Testing

@testable import PipeRunKit
@testable import Pipeline
@testable import PipelineServer

/// Sends as programs and people read them.
@Suite struct SendEnvelopeTests {
    private let time = ManualClock()
    private let redactor = Redactor { $0.replacing("s3cret", with: "***") }

    private func send(_ state: SendState, _ change: (inout SendRow) -> Void = { _ in }) -> SendStatus {
        var row = SendRow(
            number: 12, id: "my-1", name: "add_friend", arguments: ["user": "s3cret", "a": "b"], payload: Array(#"{ "id": 1 }"#.utf8),
            owner: "", taken: time.now, state: state)
        change(&row)
        return SendStatus(row)
    }

    private func line(_ status: SendStatus, _ changes: [SendEnvelope.Change] = []) -> String {
        SendEnvelope(status, changes: changes, at: time.now, redactor: redactor).line
    }

    @Test func `has the members of the contract in their order`() {
        let status = send(.waiting) { row in
            (row.tries, row.reason, row.next, row.status) = (2, "status 503", time.now + .seconds(4), 503)
        }
        let key = Key(pipeline: "friends", parameters: ["user": "s3cret"])

        #expect(
            line(status, [SendEnvelope.Change(.upsert, of: key, isShown: true)])
                == #"{"send":"add_friend","id":"my-1","number":12,"parameters":{"a":"b","user":"***"},"state":"waiting","tries":2,"#
                + #""reason":"status 503","next_ms":4000,"temporary_id":"~my-1","#
                + #""changes":[{"pipeline":"friends","parameters":{"user":"***"},"op":"upsert","shown":true}],"#
                + #""answer":{"status":503,"id":null,"value":null},"error":null}"#)
    }

    @Test func `the body of the answer is named for what it is`() {
        func answer(_ body: [UInt8]) -> String {
            let text = line(
                send(.sent) { row in
                    (row.status, row.answer, row.madeID) = (201, body, "7")
                })
            return String(text.components(separatedBy: #""answer":"#)[1])
        }

        #expect(answer([]) == #"{"status":201,"id":7,"value":null},"error":null}"#)
        #expect(answer(Array("{ \"a\": 1 }".utf8)) == #"{"status":201,"id":7,"value":{"a":1}},"error":null}"#)
        #expect(answer(Array("a b".utf8)) == #"{"status":201,"id":7,"value_text":"a b"},"error":null}"#)
        #expect(answer([0xFF]) == #"{"status":201,"id":7,"value_base64":"/w=="},"error":null}"#)
    }

    @Test(
        arguments: [
            (.failed, #"{"code":"failed","message":"the name *** is taken"}"#), (.held, #"{"code":"held","message":"no ***"}"#),
            (.dropped, #"{"code":"dropped","message":"no ***"}"#), (.merged, "null"), (.sending, "null"),
        ] as [(SendState, String)])
    func `what went wrong has the words of the origin, masked`(state: SendState, error: String) {
        let status = send(state) { row in
            (row.reason, row.detail) = ("no s3cret", "the name s3cret is taken")
        }

        #expect(line(status).hasSuffix(#","error":\#(error)}"#), "\(line(status))")
    }

    @Test func `a payload is there if it is asked for`() {
        func payload(_ bytes: [UInt8]) -> String {
            let envelope = SendEnvelope(send(.waiting) { $0.payload = bytes }, changes: [], at: time.now, redactor: redactor)
            return String(envelope.lineWithPayload.components(separatedBy: #""error":null,"#)[1])
        }

        #expect(payload(Array("[ 1 ]".utf8)) == #""payload":[1]}"#)
        #expect(payload([]) == #""payload":null}"#)
        #expect(payload(Array("a\"b".utf8)) == #""payload_text":"a\"b"}"#)
        #expect(payload([0xFF]) == #""payload_base64":"/w=="}"#)
    }

    @Test func `the line for people has the reason, the words of a refusal, the tries and the next one, and no payload`() {
        let printer = SendPrinter(redactor: redactor, now: time.now)
        let waiting = send(.waiting) { row in (row.tries, row.reason, row.next) = (1, "status 503", time.now + .seconds(4)) }
        let failed = send(.failed) { row in (row.tries, row.reason, row.detail) = (2, "status 422", "no\ns3cret") }

        #expect(printer.line(waiting) == "add_friend a=b user=***: waiting, status 503, 1 try, again in 4s, id my-1")
        #expect(printer.line(failed) == "add_friend a=b user=***: failed, status 422: no ***, 2 tries, id my-1")
        #expect(printer.line(send(.sent), wasKnown: true) == "add_friend a=b user=***: sent, taken in before, id my-1")
        #expect(printer.list([], of: "outbox") == "outbox: nothing\n")
        #expect(
            printer.list([waiting], of: "outbox")
                == "outbox: 1 send\n  12  waiting  add_friend a=b user=***  age 0ms  status 503, 1 try, again in 4s  my-1\n")
    }
}
