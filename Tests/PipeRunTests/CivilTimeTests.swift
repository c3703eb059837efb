import Pipeline
import PipelineServer
import Testing

@testable import PipeRunKit

@Suite struct CivilTimeTests {
    @Test(
        arguments: [
            (1_769_903_999_123, "2026-01-31T23:59:59.123Z", "Sat, 31 Jan 2026 23:59:59 GMT"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z", "Thu, 29 Feb 2024 00:00:00 GMT"),
            (0, "1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "1969-12-31T23:59:59.999Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
            (978_265_801_050, "2000-12-31T12:30:01.050Z", "Sun, 31 Dec 2000 12:30:01 GMT"),
            (4_107_542_400_007, "2100-03-01T00:00:00.007Z", "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] as [(Int64, String, String)])
    func `a moment in the log and in a header`(milliseconds: Int64, inLog: String, inHTTP: String) {
        let time = CivilTime(Timestamp(nanoseconds: milliseconds * 1_000_000))

        #expect(time.inLog == inLog && time.inHTTP == inHTTP)
    }
}
