import PipeRunKit
import Pipeline
import PipelineConfig
import SourcesFile
import SourcesMemory

// The Swift of the article *Writing a source*, which shows it line by line.

struct DaysSource: Source {
    let year: TextTemplate
    let maxYear: Int
    let clock: PipelineClock

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let text = year.filled(for: key)
        guard let year = Int(text) else { throw SourceError("`\(text)` is not a year", kind: .rejected) }
        guard 1...maxYear ~= year else { return .notFound(created: clock.now) }
        return Entry(Array("\(isLeap(year) ? 366 : 365)".utf8), created: clock.now, contentType: "application/json")
    }

    private func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

extension SourcePlugin {
    static let days = SourcePlugin(
        origin: "days", summary: "Counts the days of a year.",
        fields: Field<TextTemplate>("year", "The year, usually a parameter.", example: "\"{year}\""),
        Field("max_year", default: 9_999, range: 1...9_999, "Years after it are not found.")
    ) { context, year, maxYear in
        DaysSource(year: year, maxYear: maxYear, clock: context.clock)
    }
}

func runWithDays() async {
    await PipeRun.main(plugins: [.memory, .file, .days])
}
