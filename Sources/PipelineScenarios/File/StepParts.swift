package import Pipeline
package import PipelineConfig
internal import PipelineSending

/// A step that fetches.
package struct FetchStep: Sendable {
    package var arguments = NamedValues<ScenarioText>()
    package var policy: FetchPolicy?
    package var timeout: Duration?
    package var order: Placed<[Placed<String>]>?
    package var times = 1
    package var atOnce = false
    package var expected = FetchExpectation()
}

extension FetchStep: FieldObject {
    package static let noun = "`fetch`"

    package static let fields = FieldGroup(
        Field("with", default: NamedValues<ScenarioText>(), "The arguments.", example: "{ user: 42 }"),
        Field("policy", default: FetchPolicy?.none, "What the fetch may read and write."),
        Field("timeout", default: Duration?.none, "The longest time for the fetch."),
        Field("order", default: Placed<AskedSources>?.none, "The sources to ask instead.", example: "[api, disk]"),
        Field("times", default: 1, range: 1...100_000, "How often it fetches."),
        Field("at_once", default: false, "Whether all the fetches begin at once."),
        FetchExpectation.isField, FetchExpectation.bytesField, FetchExpectation.jsonField, FetchExpectation.notFoundField,
        FetchExpectation.errorField, FetchExpectation.fromField, FetchExpectation.staleField, FetchExpectation.ageField,
        FetchExpectation.freshForField, FetchExpectation.tookField, FetchExpectation.tiersField, FetchExpectation.writesField,
        FetchExpectation.partsField, FetchExpectation.completeField, FetchExpectation.sendsField
    ) {
        arguments, policy, timeout, order, times, atOnce, value, bytes, json, notFound, error, source, isStale, age, freshFor, took, tiers,
        writes, parts, isComplete, sends in
        FetchStep(
            arguments: arguments, policy: policy, timeout: timeout, order: order.map { Placed($0.value.names, at: $0.range) }, times: times,
            atOnce: atOnce,
            expected: FetchExpectation(
                value: value, bytes: bytes, json: json, notFound: notFound, error: error, source: source, isStale: isStale, age: age,
                freshFor: freshFor, took: took, tiers: tiers, writes: writes, parts: parts, isComplete: isComplete, sends: sends))
    }
}

/// A step that stores a value.
package struct PutStep: FieldObject {
    package let arguments: NamedValues<ScenarioText>
    /// The payload; nil if the file gives none, which is reported.
    package let payload: [UInt8]

    package static let noun = "`put`"

    package static let fields = FieldGroup(
        Field("with", default: NamedValues<ScenarioText>(), "The arguments.", example: "{ user: 42 }"),
        Field<ScenarioText>("is", "The value.", example: "'[\"v1\"]'")
    ) { PutStep(arguments: $0, payload: $1.bytes) }
}

/// A step that sends.
package struct SendStep: Sendable {
    /// The kind of send.
    package let name: Placed<String>
    package var arguments = NamedValues<ScenarioText>()
    /// The payload; empty for none.
    package var payload: [UInt8] = []
    package var id: String?
    /// The name by which later steps know it.
    package var label: Placed<String>?
    package var state: Expected<String>?
    /// A text that the reason contains why it is not taken in.
    package var error: Expected<ScenarioText>?
    package var took: Expected<Duration>?
}

extension SendStep: OrderedExpectations {
    var all: [(any OrderedExpectation)?] { [state, error, took] }
}

extension SendStep: FieldObject {
    package static let noun = "`send`"

    package static let fields = FieldGroup(
        Field<Placed<String>>("name", "The kind of send: a name of `sends`.", example: "add_friend"),
        Field("with", default: NamedValues<ScenarioText>(), "The arguments.", example: "{ user: 42 }"),
        Field("is", default: ScenarioText?.none, "The payload; without it, there is none.", example: "'{\"name\":\"Ada\"}'"),
        Field("id", default: String?.none, "The id; the name of `as` by default, else `send-1`, `send-2` and so on."),
        Field("as", default: Placed<String>?.none, "The name by which `retry` and `drop` know it.", example: "first"),
        Field(
            "state", default: Expected<String>?.none,
            "The state when its first try has ended, or when it must wait: \(SendState.allCases.map(\.rawValue).joined(separator: ", ")).",
            example: "waiting"),
        Field(
            "error", default: Expected<ScenarioText>?.none,
            "A text that the reason contains why it is not taken in; `true` for any reason.", example: "the outbox is full"),
        Field("took", default: Expected<Duration>?.none, "How long that takes.")
    ) { name, arguments, payload, id, label, state, error, took in
        SendStep(
            name: name, arguments: arguments, payload: payload?.bytes ?? [], id: id, label: label, state: state, error: error, took: took)
    }
}

/// A step that begins a fetch under a name.
package struct StartStep: FieldObject {
    package let fetch: FetchStep
    package let name: Placed<String>

    package static let noun = "`start`"

    package static let fields = FieldGroup(
        Field<StartedFetch>("fetch", "The fetch.", example: "{}"),
        Field<Placed<String>>("as", "The name by which `finish` and `cancel` know it.", example: "slow")
    ) { StartStep(fetch: $0.fetch, name: $1) }

    /// Checks a start, of which nothing is known yet: what is expected of the fetch stands in `finish`.
    package static func check(_ value: StartStep, _ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        let fields = members.last { $0.key == "fetch" }?.value.target.members ?? []
        for field in fields where StartedFetch.expectations.contains(field.key) {
            let text = field.value.target.scalarText.map(RandomStep.word) ?? "…"
            decoder.report(
                .unknownInTest, "unknown field `\(field.key)` in the `fetch` of `start`", range: field.keyRange,
                help: "write it in `finish: { \(value.name.value): { \(field.key): \(text) } }`".shortened(to: 200))
        }
    }
}

/// The fetch of a step that begins one: it expects nothing.
private struct StartedFetch: FieldValue {
    let fetch: FetchStep

    static let expectations = Set(FetchExpectation.fields.declarations.map(\.name))

    static var fieldType: FieldType { .object(FetchStep.fields.declarations.filter { !expectations.contains($0.name) }) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> StartedFetch? {
        FetchStep.decode(node, with: decoder).map { StartedFetch(fetch: $0) }
    }

    var written: String? { nil }
}

/// A step that writes what waits: `restart` and `flush`.
package struct EndingStep: FieldObject {
    /// The caches that cannot be written, which is expected; empty for none.
    package var unwritten: [Placed<String>] = []

    package static let noun = "`restart`"

    package static let fields = FieldGroup(
        Field(
            "unwritten", default: [Placed<String>](),
            "The caches that cannot be written, which is expected. Otherwise a value that is not written fails the test.",
            example: "[disk]")
    ) { EndingStep(unwritten: $0) }
}

/// The arguments of a step that takes nothing else.
struct CallStep: FieldObject {
    let arguments: NamedValues<ScenarioText>

    static let noun = "`remove`"

    static let fields = FieldGroup(
        Field("with", default: NamedValues<ScenarioText>(), "The arguments.", example: "{ user: 42 }")
    ) { CallStep(arguments: $0) }
}

/// A step without anything: `{}`.
struct EmptyStep: FieldValue {
    static var fieldType: FieldType { .nothing }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> EmptyStep? {
        if node.target.isNull || (node.target.members.isEmpty && node.target.kind == "a mapping") { return EmptyStep() }
        decoder.report(.wrongType, "`\(decoder.fieldName)` takes nothing", at: node, help: "write `- \(decoder.fieldName)`")
        return nil
    }

    var written: String? { nil }
}

/// A name, or a list of names.
struct NameList: FieldValue {
    let names: [Placed<String>]

    static var fieldType: FieldType { .either([.string, .list(.string, atLeast: 1)]) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> NameList? {
        if case .sequence = node.target.content { return [Placed<String>].decode(node, with: decoder).map { NameList(names: $0) } }
        return Placed<String>.decode(node, with: decoder).map { NameList(names: [$0]) }
    }

    var written: String? { nil }
}

/// The sources that a step asks, as a list.
struct AskedSources: FieldValue {
    let names: [Placed<String>]

    static var fieldType: FieldType { [Placed<String>].fieldType }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> AskedSources? {
        guard node.target.scalarText != nil else { return [Placed<String>].decode(node, with: decoder).map { AskedSources(names: $0) } }
        decoder.report(
            .wrongType, "expected a list for `\(decoder.fieldName)`, found \(node.target.kind)", at: node,
            help: "a step lists the sources to ask, as in `order: [api, disk]`; an order of `orders` is named by `in` of the test")
        return nil
    }

    var written: String? { nil }
}

/// The distance by which the wall clock is stepped: `+1d`, `-1h`.
package struct WallStep: FieldValue {
    package let step: Duration

    package static var fieldType: FieldType { .string }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> WallStep? {
        guard let text = decoder.text(of: node, expecting: "a duration with a sign, as `+1d`") else { return nil }
        let digits = text.hasPrefix("+") || text.hasPrefix("-") ? String(text.dropFirst()) : text
        guard let duration = try? Quantity.duration(digits) else {
            decoder.report(
                .malformed, "malformed duration `\(text)` for `\(decoder.fieldName)`", at: node, help: "write `+1d`, or `-1h`")
            return nil
        }
        return WallStep(step: text.hasPrefix("-") ? .zero - duration : duration)
    }

    package var written: String? { nil }
}
