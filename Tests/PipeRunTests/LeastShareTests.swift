import Testing

@testable import PipeRunKit

/// `--min-coverage` and `--min-score`.
struct LeastShareTests {
    @Test(arguments: [
        ("100%", 40, 41, false), ("100%", 41, 41, true), ("97.56%", 40, 41, true), ("97.57%", 40, 41, false), ("80%", 4, 5, true),
        ("80%", 79_999, 100_000, false), ("0%", 0, 9, true), ("100%", 0, 0, true),
    ])
    func `a share is exact`(argument: String, count: Int, all: Int, isMet: Bool) throws {
        let share = try #require(LeastShare(argument: argument))

        #expect(share.isMet(by: count, of: all) == isMet)
    }

    @Test(arguments: ["80", "0.8", "%", "-1%", "101%", "100.1%", "8 %", "1.%", "1.2.3%", "٨%", "99999999999999999999%"])
    func `what is no share up to 100% is refused`(argument: String) {
        #expect(LeastShare(argument: argument) == nil)
    }
}
