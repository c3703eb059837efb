package import Pipeline
package import PipelineConfig

/// What a source does in a simulation.
package struct SourceModel: FieldObject {
    package var takes = AnswerTime.zero
    package var fails = Ratio(0)
    /// The part of all keys for which an origin has no value.
    package var lacks = Ratio(0)
    /// How many reads it answers at a time; the others wait in their order. Nil for any number.
    package var concurrency: Int?
    package var down: [TimeWindow] = []
    package var slow: [TimeWindow] = []
    package var hangs: [TimeWindow] = []
    /// The bytes of each value, where the trace does not say.
    package var size = Size(bytes: 0)
    /// How often the value of each key changes.
    package var changes: Duration?
    package var cost: SourceCost?

    /// A source that takes no time and does not fail.
    package init() {}

    package static let noun = "a source of the model"

    package static let fields = FieldGroup(
        Field("takes", default: AnswerTime.zero, "How long it takes to answer: a duration, or a distribution.", example: "20ms"),
        Field("fails", default: Ratio(0), range: Ratio(0)...Ratio(1), "The part of its reads that fail.", example: "0.1%"),
        Field(
            "lacks", default: Ratio(0), range: Ratio(0)...Ratio(1), "The part of all keys for which an origin has no value.", example: "5%"),
        Field("concurrency", default: Int?.none, range: 1...1_000_000, "How many reads it answers at a time; others wait.", example: "50"),
        Field("down", default: TimeWindows(), "When each read fails at once: `{ from, for }`, or a list of these."),
        Field("slow", default: TimeWindows(), "When it takes longer, by `times`."),
        Field("hangs", default: TimeWindows(), "When it does not answer until a time limit ends the read."),
        Field(
            "size", default: Size(bytes: 0), range: Size(bytes: 0)...Size(bytes: 1 << 30),
            "The bytes of a value, where the trace does not say."),
        Field("changes", default: ChangeRate?.none, "How often the value of each key changes.", example: "{ every: 1h }"),
        Field("cost", default: SourceCost?.none, "What its reads cost.", example: "0.002/call + 0.09/GB")
    ) { takes, fails, lacks, concurrency, down, slow, hangs, size, changes, cost in
        var model = SourceModel()
        (model.takes, model.fails, model.lacks, model.concurrency) = (takes, fails, lacks, concurrency)
        (model.down, model.slow, model.hangs) = (down.windows, slow.windows, hangs.windows)
        (model.size, model.changes, model.cost) = (size, changes?.every, cost)
        return model
    }

    /// Whether a read of it can fail, or can wait without an end.
    var mayFail: Bool { fails.value > 0 || !down.isEmpty || !hangs.isEmpty }
}

private struct ChangeRate: FieldObject {
    let every: Duration

    static let noun = "a rate of changes"

    static let fields = FieldGroup(
        Field<Duration>("every", "How long a value stays the same.", example: "1h").checked { $0 > .zero ? nil : "more than 0" }
    ) { ChangeRate(every: $0) }
}
