import Pipeline
import Testing

@testable import SourcesRedis

@Suite struct ServerErrorTests {
    @Test(arguments: [
        "ERR unknown command `AUTH`, with args beginning with: `hunter2`, ", "ERR unknown command 'AUTH' hunter2",
        "ERR unknown command AUTH hunter2",
    ])
    func `a server that does not know AUTH does not have the password told`(reply: String) {
        #expect(SourceError(reply, from: "h:1").reason == "h:1 does not know the command AUTH")
    }
}
