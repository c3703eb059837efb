import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// An origin that needs nothing but arithmetic: the days of a year, as JSON.
    public static let calendar = SourcePlugin(
        "calendar", summary: "Computes the days of a year.", capabilities: [.neverMisses],
        fields: Field<TextTemplate>("year", "The year, usually a parameter.", example: "\"{year}\""),
        Field("first_weekday", default: Weekday.monday, "The day a week begins with."),
        Field("max_year", default: 9_999, range: 1...9_999, "Years after it are not found.")
    ) { context, year, firstWeekday, maxYear in
        CalendarSource(year: year, firstWeekday: firstWeekday, maxYear: maxYear, clock: context.clock)
    }
}

/// The day a week begins with.
public enum Weekday: String, FieldChoice {
    case monday
    case sunday
}
