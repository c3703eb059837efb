import Foundation
import PipelineJSON
import Testing

/// The compliance suite of JSONPath (jsonpath-standard/jsonpath-compliance-test-suite), whose `cts.json` the variable JSONPATH_SUITE names.
@Suite struct JSONPathSuiteTests {
    private static let file = ProcessInfo.processInfo.environment["JSONPATH_SUITE"] ?? ""

    /// A path and what it finds in a document: one order of the places, or any of several.
    private struct Case: Decodable {
        let name: String
        let selector: String
        let invalid_selector: Bool?
        let result_paths: [String]?
        let results_paths: [[String]]?
    }

    private struct Suite: Decodable {
        let tests: [Case]
    }

    @Test(.enabled(if: !file.isEmpty, "JSONPATH_SUITE names no file"))
    func `Of the compliance suite, what is invalid is refused, what is run finds the same places, and the rest is not supported here`()
        throws
    {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: Self.file)))
        let tests = try JSONDecoder().decode(Suite.self, from: Data(bytes)).tests
        let documents = try JSONScanner.places(of: [JSONPath("$.tests[*]"), JSONPath("$.tests[*].document")], in: bytes)
        var counts = (invalid: 0, run: 0, unsupported: 0)
        for (index, test) in tests.enumerated() {
            let problem: JSONPath.Problem?
            var path: JSONPath?
            do {
                path = try JSONPath(query: test.selector)
                problem = nil
            } catch {
                problem = error
            }
            if test.invalid_selector == true {
                counts.invalid += 1
                #expect(problem?.isMalformed == true, "\(test.name): \(test.selector)")
            } else if let path {
                counts.run += 1
                let whole = documents[0][index].range
                let document = try #require(documents[1].first { whole.contains($0.range.lowerBound) })
                let payload = Array(bytes[document.range])
                let found = try JSONScanner.places(of: path, in: payload)
                let places = found.map { found.normalizedPath(of: $0, in: payload) }
                let orders = test.results_paths ?? [test.result_paths ?? []]
                // The same places, each once, in the order of the text.
                #expect(orders.contains { Set($0) == Set(places) }, "\(test.name): \(test.selector) found \(places)")
                #expect(Set(places).count == places.count && found.map(\.range.lowerBound) == found.map(\.range.lowerBound).sorted())
            } else {
                counts.unsupported += 1
                let isBeyond = test.selector.contains("?") || test.selector.contains("..")
                #expect(problem?.isMalformed == false && isBeyond, "\(test.name): \(test.selector): \(String(describing: problem))")
            }
        }
        #expect(counts.invalid > 200 && counts.run > 100 && counts.unsupported > 100, "\(counts)")
    }
}
