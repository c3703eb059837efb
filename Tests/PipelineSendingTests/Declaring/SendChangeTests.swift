import Pipeline
import PipelineJSON
import PipelineLive
import Testing

@testable import PipelineSending

/// The item that a send changes, and its id.
@Suite struct SendChangeTests {
    private func change(
        _ operation: SendChange.Operation, item: String = "", id: [String] = ["/id"], target: SendText? = nil
    ) throws -> SendChange {
        var change = SendChange(of: "friends", operation, merging: MergePolicy(id: try id.map { try #require(JSONPointer($0)) }))
        change.item = try #require(JSONPointer(item))
        change.target = target
        return change
    }

    /// The id, the item and whether the id is a temporary one, as text.
    private func found(_ change: SendChange, _ payload: String, with arguments: [String: String] = [:]) -> String {
        do throws(SendProblem) {
            let found = try change.item(in: Array(payload.utf8), with: arguments, orTemporary: "~s1")
            return "\(found.id?.text ?? "-") \(String(decoding: found.item, as: UTF8.self))" + (found.isTemporary ? " temporary" : "")
        } catch {
            return error.reason
        }
    }

    @Test(arguments: [SendChange.Operation.upsert, .patch, .delete])
    func `the id stands in the item`(operation: SendChange.Operation) throws {
        #expect(found(try change(operation), #"{"id":"a","n":1}"#) == #"a {"id":"a","n":1}"#)
        #expect(found(try change(operation), #"{"id":7.0,"n":1}"#) == #"7 {"id":7.0,"n":1}"#)
        #expect(found(try change(operation, item: "/friend/0"), #"{"friend":[ {"id":"a"} ]}"#) == #"a {"id":"a"}"#)
        #expect(found(try change(operation, id: ["/meta/key/id"]), #"{"meta":{"key":{"id":1}}}"#) == #"1 {"meta":{"key":{"id":1}}}"#)
        #expect(found(try change(operation, id: ["/a", "/b"]), #"{"a":1,"b":"x/y"}"#) == #"1/x~1y {"a":1,"b":"x/y"}"#)
    }

    @Test(arguments: [SendChange.Operation.upsert, .patch, .delete])
    func `or the target says it, whatever stands in the item`(operation: SendChange.Operation) throws {
        let change = try change(operation, target: .parameter("id"))

        #expect(found(change, #"{"id":"b"}"#, with: ["id": "a"]) == #"a {"id":"b"}"#)
        #expect(found(change, #"{"n":1}"#, with: ["id": "~s0"]) == #"~s0 {"n":1}"#)
    }

    @Test func `a delete needs no payload where the target says the id`() throws {
        #expect(found(try change(.delete, target: "a"), "") == "a ")
        #expect(found(try change(.delete), "") == "the item has no id at `/id`, which `op: delete` needs")
    }

    @Test func `a new item without an id gets a temporary one where its id stands`() throws {
        #expect(found(try change(.upsert), #"{"n":1}"#) == #"~s1 {"n":1,"id":"~s1"} temporary"#)
        #expect(found(try change(.upsert), "{}") == #"~s1 {"id":"~s1"} temporary"#)
        #expect(found(try change(.upsert), #"{"id":null}"#) == #"~s1 {"id":"~s1"} temporary"#)
        #expect(found(try change(.upsert, id: ["/meta/id"]), #"{"n":1}"#) == #"~s1 {"n":1,"meta":{"id":"~s1"}} temporary"#)
        #expect(found(try change(.upsert, id: ["/meta/id"]), #"{"meta":{"n":1}}"#) == #"~s1 {"meta":{"n":1,"id":"~s1"}} temporary"#)
        #expect(found(try change(.upsert, item: "/friend"), #"{"friend":{"n":1}}"#) == #"~s1 {"n":1,"id":"~s1"} temporary"#)
    }

    @Test(
        arguments: [
            (SendChange.Operation.patch, ["/id"], #"{"n":1}"#, "the item has no id at `/id`, which `op: patch` needs"),
            (.delete, ["/id"], #"{"n":1}"#, "the item has no id at `/id`, which `op: delete` needs"),
            (.upsert, ["/a", "/b"], #"{"a":1}"#, "the item has no id at `/a`, `/b`, which `op: upsert` needs"),
            (.upsert, ["/id"], "[1]", "the item has no id at `/id`, which `op: upsert` needs"),
            (.upsert, ["/id"], "1", "the item has no id at `/id`, which `op: upsert` needs"),
            // A list that is an object keyed by id: only the target can say it.
            (.upsert, [], #"{"id":1}"#, "the item has no id at , which `op: upsert` needs"),
        ] as [(SendChange.Operation, [String], String, String)])
    func `SD-02 what has no id, and can have no temporary one, is not taken in`(
        operation: SendChange.Operation, id: [String], payload: String, reason: String
    ) throws {
        #expect(found(try change(operation, id: id), payload) == reason)
    }

    @Test(arguments: [SendChange.Operation.upsert, .patch])
    func `SD-02 what has no item is not taken in`(operation: SendChange.Operation) throws {
        #expect(found(try change(operation, item: "/friend"), #"{"n":1}"#) == "the payload has no item at `/friend`")
        #expect(found(try change(operation, target: "a"), "") == "there is no payload, and `op: \(operation.rawValue)` needs an item")
    }

    @Test func `a list that is an object keyed by id takes the id of the target`() throws {
        #expect(found(try change(.upsert, id: [], target: "a"), #"{"n":1}"#) == #"a {"n":1}"#)
        #expect(found(try change(.delete, id: [], target: "a"), "") == "a ")
    }

    @Test func `replace takes the payload as it is, or what stands at item`() throws {
        #expect(found(try change(.replace), " [1] ") == "-  [1] ")
        #expect(found(try change(.replace, item: "/value"), #"{"value": {"n":1} }"#) == #"- {"n":1}"#)
        #expect(found(try change(.replace), "text, no JSON") == "- text, no JSON")
    }

    @Test func `refresh changes no item`() throws {
        #expect(found(try change(.refresh), #"{"id":1}"#) == "- ")
        #expect(found(try change(.refresh), "") == "- ")
    }
}
