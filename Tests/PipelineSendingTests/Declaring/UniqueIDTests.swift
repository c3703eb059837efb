import Pipeline
import Testing

@testable import PipelineSending

@Suite struct UniqueIDTests {
    private func moment(_ milliseconds: Int64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }

    @Test(arguments: [UInt64.min, .max, 0x0123_4567_89AB_CDEF])
    func `an id is a UUID of version 7, in lower case`(draw: UInt64) throws {
        let id = UniqueID.next(at: moment(0x0188_DEAD_BEEF), RandomGenerator { draw })

        let parts = id.split(separator: "-")
        #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
        #expect(id.hasPrefix("0188dead-beef-7"))
        #expect(try "89ab".contains(#require(parts[3].first)))
        #expect(id.allSatisfy { "0123456789abcdef-".contains($0) })
    }

    @Test func `the time and the random bits stand where RFC 9562 has them`() {
        // As in appendix A.6, but for the last 16 bits.
        let id = UniqueID.next(at: moment(0x017F_22E2_79B0), RandomGenerator { 0x18C4_DC0C_0C07_3CC3 })

        #expect(id == "017f22e2-79b0-7cc3-98c4-dc0c0c073cc3")
    }

    @Test func `ids of later milliseconds come later`() {
        let random = RandomGenerator.seeded(3)

        let ids = (0..<200).map { UniqueID.next(at: moment(1_700_000_000_000 + $0 * 7), random) }

        #expect(ids == ids.sorted())
        #expect(Set(ids).count == 200)
    }

    @Test func `ids of one moment differ`() {
        let random = RandomGenerator.seeded(3)

        #expect(Set((0..<1_000).map { _ in UniqueID.next(at: moment(5), random) }).count == 1_000)
    }

    @Test func `a clock before 1970 makes an id all the same`() {
        let id = UniqueID.next(at: moment(-5), .seeded(1))

        #expect(id.hasPrefix("00000000-0000-7"))
        #expect(id.count == 36)
    }
}
