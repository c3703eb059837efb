import Pipeline
import PipelineConfig
import Testing

@testable import PipeRunKit
@testable import Pipeline

struct ContentsPrinterTests {
    @Test(arguments: [
        (0, false, "redis: nothing\n", false), (0, true, "redis: nothing so far\n", true),
        (1, true, "redis: 1 copy so far\n", true),
        (2, true, "redis: 2 copies so far\n", true), (3, true, "redis: the first 3 copies\n", false),
        (2, false, "redis: 2 copies\n", false),
    ])
    func `a cache that was not looked through says so`(copies: Int, hasMore: Bool, line: String, isNoted: Bool) {
        let entry = Entry([], created: .distantPast)
        let found = (0..<copies).map { number in
            let listed = CacheContents.Copy(key: Key(pipeline: "p\(number)"), entry: entry, size: 1)
            return TierContents.Copy(listed: listed, age: .zero, freshFor: nil)
        }
        let cache = TierContents(source: "redis", isInProcess: false, answer: .copies(found, hasMore: hasMore))
        let printer = ContentsPrinter(pipeline: "p", limit: 3, redactor: Redactor())

        #expect(printer.text([cache]).hasPrefix(line))
        let note = "note: `redis` has names that were not looked at, and perhaps copies among them; a `--limit` over 3 looks further"
        #expect(printer.gaps([cache]) == (isNoted ? [note] : []))
    }
}
