import Pipeline
import PipelineConfig

/// Answers with the length of a year and the weekday of its first day.
struct CalendarSource: Source {
    let year: TextTemplate
    let firstWeekday: Weekday
    let maxYear: Int
    let clock: PipelineClock

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let text = year.filled(for: key)
        // Text that is no number is the caller's fault, and says so; a year that does not exist is an answer.
        guard let year = Int(text) else { throw SourceError("`\(text)` is not a year", kind: .rejected) }
        guard 1...maxYear ~= year else { return .notFound(created: clock.now) }
        let json = #"{"year":\#(year),"days":\#(isLeap(year) ? 366 : 365),"first_day":\#(weekday(year))}"#
        return Entry(Array(json.utf8), created: clock.now, contentType: "application/json")
    }

    private func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// The place of 1 January in its week, from 0.
    private func weekday(_ year: Int) -> Int {
        let before = year - 1
        let days = before * 365 + before / 4 - before / 100 + before / 400
        return (days + (firstWeekday == .monday ? 0 : 1)) % 7
    }
}
