import Pipeline
import PipelineConfig
import PipelineTesting
import Testing

@testable import SourcesCalendar

@Suite struct CalendarTests {
    @Test func `the source keeps the contract of an origin`() async throws {
        let violations = await SourceConformance.ofOrigin(
            make: { CalendarSource(year: try template("{year}"), firstWeekday: .monday, maxYear: 9_999, clock: .system) },
            existing: Key(pipeline: "years", parameters: ["year": "2024"]),
            expected: Array(#"{"year":2024,"days":366,"first_day":0}"#.utf8),
            missing: Key(pipeline: "years", parameters: ["year": "0"]))

        #expect(violations.isEmpty)
    }

    private func template(_ text: String) throws -> TextTemplate {
        TextTemplate(text)
    }
}
