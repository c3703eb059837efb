import TestSupport
import Testing

@testable import SourcesSQLite

/// Names by which one process can tell that another has ended.
@Suite struct OutboxHolderTests {
    @Test func `a name says who holds, and each holder of a process has its own`() throws {
        let (one, two) = (OutboxHolder(), OutboxHolder())

        #expect(OutboxHolder(one.name) == one)
        #expect(one.process == two.process && one.start == two.start && one.name != two.name)
        #expect(!one.hasEnded)
    }

    @Test(arguments: ["", "x", "1.2.3", "0.2.3.4", "-1.2.3.4", "x.2.3.4", "1.2.3.4.5", "99999999999.1.2.3"])
    func `a text that is no name is that of no process`(name: String) { #expect(OutboxHolder(name) == nil) }

    #if os(Linux)
    @Test func `a process that has ended is told from one that runs`() throws {
        let child = try ChildProcess(["sleep", "600"])
        let holder = OutboxHolder(process: child.identifier)
        #expect(holder.start != nil && holder.machine != nil && !holder.hasEnded)

        child.end()

        #expect(holder.hasEnded)
    }

    @Test func `a process whose parent has not asked for its end has ended`() async throws {
        let child = try ChildProcess(["/bin/true"])
        let holder = OutboxHolder(process: child.identifier)

        try await yieldUntil { holder.hasEnded }

        child.wait()
    }

    @Test func `a later process with the same number is another one`() throws {
        let own = OutboxHolder()
        let parts = own.name.split(separator: ".")
        let earlier = try #require(OutboxHolder("\(parts[0]).1.\(parts[2]).\(parts[3])"))
        let unknown = try #require(OutboxHolder("\(parts[0])..\(parts[2]).\(parts[3])"))
        let elsewhere = try #require(OutboxHolder("\(parts[0]).1.0123456789abcdef.\(parts[3])"))
        let nowhere = try #require(OutboxHolder("\(parts[0]).1..\(parts[3])"))

        #expect(earlier.hasEnded)
        #expect(!unknown.hasEnded && !elsewhere.hasEnded && !nowhere.hasEnded)
    }
    #endif

    private static let lines: [(String, UInt64, Bool)] = [
        ("7 (true) Z 1 2 3 4 -1 5 6 7 8 9 0 0 0 0 20 0 1 0 1447532 0 0", 1_447_532, true),
        ("7 (a) b) Z (c) S 1 2 3 4 -1 5 6 7 8 9 0 0 0 0 20 0 3 0 99 0 0", 99, false),
        ("7 (main has ended) Z 1 2 3 4 -1 5 6 7 8 9 0 0 0 0 20 0 4 0 99 0 0", 99, false),
        ("7 (gone) X 1 2 3 4 -1 5 6 7 8 9 0 0 0 0 20 0 0 0 99 0 0", 99, true),
    ]

    @Test(arguments: lines)
    func `a line of the system says when a process started, and whether it has ended`(line: String, start: UInt64, hasEnded: Bool) throws {
        let status = try #require(ProcessStatus(line))

        #expect(status.start == start && status.hasEnded == hasEnded)
    }

    @Test(arguments: ["", "7 (x) S 1", "7 S 1 2 3"]) func `any other line says nothing`(line: String) {
        #expect(ProcessStatus(line) == nil)
    }
}
