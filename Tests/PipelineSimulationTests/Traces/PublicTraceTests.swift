import Foundation
import Pipeline
import PipelineSimulation
import Testing

/// One public trace in three formats, libCacheSim's `data/cloudPhysicsIO`. The variable TRACES names the folder that it is in; without it
/// nothing is tested.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["TRACES"] != nil))
struct PublicTraceTests {
    private func trace(_ name: String, columns: String? = nil) throws -> Trace {
        var rules = TraceRules()
        rules.columns = try columns.map { text throws(TraceError) in try TraceColumns(text) }
        let folder = ProcessInfo.processInfo.environment["TRACES"] ?? ""
        return try TraceReader(PipelineSpec("io", parameters: ["block"], tiers: []), rules).read(folder + "/" + name)
    }

    @Test func `the same requests are read from records, columns and words`() throws {
        let records = try trace("cloudPhysicsIO.oracleGeneral.bin")
        let columns = try trace("cloudPhysicsIO.csv", columns: "time=2,key=5,size=4")
        let words = try trace("cloudPhysicsIO.txt")

        #expect(records.requests.count == 113_872 && records.keys.count == 48_974)
        #expect(records.requests.map(\.key) == words.requests.map(\.key))
        #expect(records.keys == words.keys)
        #expect(columns.requests.map(\.key) == words.requests.map(\.key))
        #expect(records.isTimed && columns.isTimed && !words.isTimed)
    }
}
