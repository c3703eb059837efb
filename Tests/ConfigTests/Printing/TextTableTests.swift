import Testing

@testable import PipelineReports

/// Tables for people.
@Suite struct TextTableTests {
    @Test func `a column in which no row has anything is left out, the first one stays`() {
        let rows = [["api", "6", "-", "", "1 ms"], ["-", "12", "-", "", "-"]]

        #expect(
            TextTable.text(rows, head: ["ORIGIN", "LIMIT", "REST", "NOTE", "P50"])
                == "ORIGIN  LIMIT  P50\napi     6      1 ms\n-       12     -\n")
        #expect(TextTable.text([["-"]], head: ["ORIGIN"]) == "ORIGIN\n-\n")
    }

    @Test func `without a head the place of a column is its name, and each stays`() {
        #expect(TextTable.text([["a", "-", "b"], ["cc", "-", "d"]], indented: "  ") == "  a   -  b\n  cc  -  d\n")
    }

    @Test func `figures stand to the right, and wide characters take two columns`() {
        #expect(TextTable.text([["友", "9"], ["abc", "10"]], head: ["", "n"], figures: true) == "      n\n友    9\nabc  10\n")
    }
}
