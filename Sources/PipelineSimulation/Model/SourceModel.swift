package import Pipeline
package import PipelineConfig

/// The behaviour of a source in a simulation.
package struct SourceModel: FieldObject {
    package var takes = AnswerTime.zero
    package var fails = Ratio(0)
    /// The part of all keys for which an origin has no value.
    package var lacks = Ratio(0)
    /// The number of reads that it answers at a time; the others wait in their order. Nil for any number.
    package var concurrency: Int?
    package var down: [TimeWindow] = []
    package var slow: [TimeWindow] = []
    package var hangs: [TimeWindow] = []
    /// The bytes of each value, where the trace does not say.
    package var size = Size(bytes: 0)
    /// The interval in which the value of each key changes.
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

    /// Indicates whether a read of it can fail, or can wait without an end.
    var mayFail: Bool { fails.value > 0 || !down.isEmpty || !hangs.isEmpty }
}

private struct ChangeRate: FieldObject {
    let every: Duration

    static let noun = "a rate of changes"

    static let fields = FieldGroup(
        Field<Duration>("every", "How long a value stays the same.", example: "1h").checked { $0 > .zero ? nil : "more than 0" }
    ) { ChangeRate(every: $0) }
}

extension SourceModel {
    /// The fields that say something other than their defaults, costs aside, which count for every source.
    private var written: [String] {
        [
            ("takes", takes != .zero), ("fails", fails.value > 0), ("lacks", lacks.value > 0), ("concurrency", concurrency != nil),
            ("down", !down.isEmpty), ("slow", !slow.isEmpty), ("hangs", !hangs.isEmpty), ("size", size.bytes > 0),
            ("changes", changes != nil),
        ].filter(\.1).map(\.0)
    }

    /// The fields that an origin alone has.
    private static let fieldsOfOrigins: Set = ["lacks", "size", "changes"]

    /// The fields that change nothing of what `source` does in a simulation, and why; nil if each has an effect.
    package func pointless(for source: SourceConfig) -> (fields: [String], reason: String)? {
        guard let reason = source.fixedInSimulation else {
            let fields = source.isWritable == true ? written.filter(Self.fieldsOfOrigins.contains) : []
            return fields.isEmpty ? nil : (fields, "it is a cache, and holds what others gave")
        }
        return written.isEmpty ? nil : (written, reason)
    }
}

extension SourceConfig {
    /// Indicates whether a simulation has the real source instead of what a model says: memory, which answers at once.
    var isRealInSimulation: Bool { isWritable == true && capabilities?.contains(.answersAtOnce) == true }

    /// The reason why no model changes what it does in a simulation; nil if one does.
    package var fixedInSimulation: String? {
        if tellsOfChanges == true { return "it reports changes, which are not played" }
        if isRealInSimulation { return "it is the real one, which answers at once and never fails" }
        return alwaysAnswers ? "it always answers" : nil
    }
}

/// The cost of a source: `0.002/call + 0.09/GB`, in any currency.
package struct SourceCost: Sendable, Equatable {
    package var perCall = 0.0
    /// The cost of 1,000,000,000 bytes that it sends.
    package var perGigabyte = 0.0

    /// The cost that `text` says; nil if it is none.
    package init?(_ text: String) {
        var seen: Set<String> = []
        for part in text.split(separator: "+", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "/", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            guard sides.count == 2, let value = Double(sides[0]), value >= 0, value.isFinite, seen.insert(sides[1]).inserted else {
                return nil
            }
            switch sides[1] {
            case "call": perCall = value
            case "GB": perGigabyte = value
            default: return nil
            }
        }
    }
}

extension SourceCost: FieldValue {
    package static var fieldType: FieldType { .string }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SourceCost? {
        guard let text = decoder.text(of: node, expecting: "a cost, as `0.002/call + 0.09/GB`") else { return nil }
        if let cost = SourceCost(text) { return cost }
        decoder.report(
            .malformed, "malformed cost for `\(decoder.fieldName)`: expected `0.002/call + 0.09/GB`, or one of the two", at: node)
        return nil
    }

    package var written: String? { nil }
}
