import NIOHTTP1
import Pipeline
import Testing

@testable import PipelineServer

/// The field `Priority` of a request (RFC 9218).
@Suite struct ClientPriorityTests {
    @Test(
        arguments: [
            ("u=0", .high), ("u=2", .high), ("u=3", .normal), ("u=4", .low), ("u=5", .low), ("u=6", .background), ("u=7", .background),
            ("i, u=1", .high), ("u=1, i", .high), (" u=5 , i=?0", .low), ("u=1;x=2", .high), ("u=1, u=7", .background),
            ("x-own=\"a\", u=6", .background),
        ] as [(String, Priority)])
    func `an urgency is a priority`(_ field: String, _ priority: Priority) {
        #expect(ClientPriority.of(["Priority": field]) == priority)
    }

    @Test(arguments: ["", "i", "u", "u=8", "u=-1", "u=1.5", "u=high", "U=1", "u=", "u=1,", "u=1, =", "=1", "1", "u = 1"])
    func `what is no urgency is ignored`(_ field: String) {
        #expect(ClientPriority.of(["Priority": field]) == nil)
    }

    @Test func `several fields are one list, and none says nothing`() {
        #expect(ClientPriority.of(HTTPHeaders([("Priority", "u=1"), ("priority", "i")])) == .high)
        #expect(ClientPriority.of([:]) == nil)
    }
}
