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

    @Test(arguments: ["ERR DB index is out of range", "ERR invalid DB index"])
    func `a database that there is not is no question of credentials`(reply: String) {
        let error = SourceError(reply, from: "h:1")

        #expect(error.kind == .refused && error.reason == "h:1 has no database of that number")
        #expect(error.help == "correct the number at the end of `url`, as `/0`")
    }
}
