internal import Pipeline
package import PipelineConfig

/// One step of a test.
package struct ScenarioStep: Sendable {
    package enum Action: Sendable {
        case fetch(FetchStep)
        case put(PutStep)
        case remove(NamedValues<ScenarioText>)
        case clear
        case wait(Duration)
        case set(NamedValues<SourceScript>)
        case start(StartStep)
        case finish(NamedValues<FetchExpectation>)
        case cancel([Placed<String>])
        case send(SendStep)
        case retry([Placed<String>])
        case drop([Placed<String>])
        case kill
        case restart(EndingStep)
        case flush(EndingStep)
        case wall(WallStep)
        case expect(NamedValues<SourceExpectation>)
        case message(NamedValues<MessageText>)
        case disconnect([Placed<String>])
        case reconnect([Placed<String>])
    }

    package let action: Action
    /// The word that names it: `fetch`.
    package let word: String
    /// The place of the word.
    package let range: TextRange
    /// Indicates whether it was drawn at random. It may be refused, and does nothing then; an `expect` tells what it could expect.
    let isDrawn: Bool

    package init(_ action: Action, word: String, range: TextRange) {
        self.init(action, word: word, range: range, isDrawn: false)
    }

    init(_ action: Action, word: String, range: TextRange, isDrawn: Bool) {
        (self.action, self.word, self.range, self.isDrawn) = (action, word, range, isDrawn)
    }
}

extension ScenarioStep {
    /// Indicates whether it can fail a test that runs in `orders` by what it expects.
    func expectsSomething(in orders: [String?], of known: [String]) -> Bool {
        switch action {
        case .fetch(let fetch): fetch.expected.applies(in: orders, of: known)
        case .finish(let finishes): finishes.members.contains { $0.value.applies(in: orders, of: known) }
        case .expect(let expectations): expectations.members.contains { $0.value.applies(in: orders, of: known) }
        case .restart(let ending), .flush(let ending): !ending.unwritten.isEmpty
        case .send(let send): send.applies(in: orders, of: known)
        case .put, .remove, .clear, .wait, .set, .start, .cancel, .retry, .drop, .kill, .wall, .message, .disconnect, .reconnect: false
        }
    }
}

extension ScenarioStep: FieldValue {
    /// The steps that need nothing else.
    private static let bare: [(word: String, action: Action)] = [
        ("fetch", .fetch(FetchStep())), ("remove", .remove(NamedValues())), ("clear", .clear), ("kill", .kill),
        ("restart", .restart(EndingStep())), ("flush", .flush(EndingStep())),
    ]

    package static var fieldType: FieldType { .either([.choice(bare.map(\.word)), StepFields.fieldType]) }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> ScenarioStep? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else { return word(node, with: decoder) }
            // A key without a value, as `- kill:`, is the word.
            if members.count == 1, members[0].value.target.isNull, let action = bare.first(where: { $0.word == members[0].key })?.action {
                return ScenarioStep(action, word: members[0].key, range: members[0].keyRange)
            }
            guard let fields = StepFields.decode(node, with: decoder) else { return nil }
            guard let first = fields.actions.first, let member = members.first(where: { $0.key == first.word }) else { return nil }
            if let other = members.first(where: { $0.key != first.word }) {
                decoder.report(
                    .notAllowed, "`\(other.key)` is not allowed beside `\(first.word)`: a step does one thing", range: other.keyRange,
                    help: "begin a step of its own with `-`")
                return nil
            }
            return ScenarioStep(first.action, word: first.word, range: member.keyRange)
        }
    }

    private static func word(_ node: ConfigNode, with decoder: FieldDecoder) -> ScenarioStep? {
        guard let text = decoder.text(of: node, expecting: "a step") else { return nil }
        if let action = bare.first(where: { $0.word == text })?.action { return ScenarioStep(action, word: text, range: node.range) }
        let known = Set(bare.map(\.word) + StepFields.fields.declarations.map(\.name)).sorted()
        let isStep = known.contains(text)
        decoder.report(
            isStep ? .missingField : .unknownInTest,
            isStep ? "`\(text)` needs more than its name" : "unknown step `\(text)`", at: node,
            help: isStep ? "write `\(text): …`" : NearestName.help(for: text, among: known, noun: "steps"))
        return nil
    }

    package var written: String? { nil }
}

/// The fields of a step, of which one is given.
private struct StepFields: FieldObject {
    let actions: [(word: String, action: ScenarioStep.Action)]

    static let noun = "a step"

    static let fields = FieldGroup(
        Field("fetch", default: FetchStep?.none, "Fetches the value, and says what is expected of it."),
        Field("put", default: PutStep?.none, "Stores a value as if an origin had given it."),
        Field("remove", default: CallStep?.none, "Removes the value."),
        Field("clear", default: EmptyStep?.none, "Removes every value of the pipeline."),
        Field("wait", default: Duration?.none, "Lets time pass."),
        Field("set", default: NamedValues<SourceScript>?.none, "Changes what sources answer or hold from here on."),
        Field("start", default: StartStep?.none, "Begins a fetch that goes on in the background."),
        Field("finish", default: NamedValues<FetchExpectation>?.none, "Waits for a fetch that was started."),
        Field("cancel", default: NameList?.none, "Cancels a fetch that was started."),
        Field(
            "send", default: SendStep?.none,
            "Sends, and lets time pass until the first try has ended, or until the send must wait. Says what is expected of it."),
        Field("retry", default: NameList?.none, "Puts a send back that is held or has failed."),
        Field("drop", default: NameList?.none, "Gives a send up."),
        Field("kill", default: EmptyStep?.none, "Ends the process at once: what waits to be written is lost. Another one begins."),
        Field("restart", default: EndingStep?.none, "Ends the process, which writes what waits first. Another one begins."),
        Field("flush", default: EndingStep?.none, "Writes what waits to be written."),
        Field("wall", default: WallStep?.none, "Steps the wall clock; no time passes."),
        Field("expect", default: NamedValues<SourceExpectation>?.none, "What is expected of sources."),
        Field("message", default: NamedValues<MessageText>?.none, "What change sources tell, to every process that is connected."),
        Field("disconnect", default: NameList?.none, "Ends the connections of a change source."),
        Field("reconnect", default: NameList?.none, "Waits until a change source is connected again.")
    ) {
        fetch, put, remove, clear, wait, set, start, finish, cancel, send, retry, drop, kill, restart, flush, wall, expect, message,
        disconnect, reconnect in
        var actions: [(String, ScenarioStep.Action)] = []
        func add(_ word: String, _ action: ScenarioStep.Action?) {
            if let action { actions.append((word, action)) }
        }
        add("fetch", fetch.map { .fetch($0) })
        add("put", put.map { .put($0) })
        add("remove", remove.map { .remove($0.arguments) })
        add("clear", clear.map { _ in .clear })
        add("wait", wait.map { .wait($0) })
        add("set", set.map { .set($0) })
        add("start", start.map { .start($0) })
        add("finish", finish.map { .finish($0) })
        add("cancel", cancel.map { .cancel($0.names) })
        add("send", send.map { .send($0) })
        add("retry", retry.map { .retry($0.names) })
        add("drop", drop.map { .drop($0.names) })
        add("kill", kill.map { _ in .kill })
        add("restart", restart.map { .restart($0) })
        add("flush", flush.map { .flush($0) })
        add("wall", wall.map { .wall($0) })
        add("expect", expect.map { .expect($0) })
        add("message", message.map { .message($0) })
        add("disconnect", disconnect.map { .disconnect($0.names) })
        add("reconnect", reconnect.map { .reconnect($0.names) })
        return StepFields(actions: actions)
    }
}

/// The message of a change source: its text, or the bare word `signal` for a message without content.
package struct MessageText: Sendable {
    /// The bytes of the message; nil for a signal.
    package let payload: [UInt8]?
    package var event: String?
    /// The key that it is for; nil for every connection.
    package var arguments: NamedValues<ScenarioText>?
}

extension MessageText: FieldValue {
    package static var fieldType: FieldType { .either([.string, MessageFields.fieldType]) }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> MessageText? {
        decoder.places.withTarget(of: node) { node in
            if case .mapping = node.content { return MessageFields.decode(node, with: decoder)?.message }
            return ScenarioText.decode(node, with: decoder).map { text in
                MessageText(payload: text.isPlain && text.text == "signal" ? nil : text.bytes)
            }
        }
    }

    package var written: String? { nil }
}

private struct MessageFields: FieldObject {
    let message: MessageText

    static let noun = "a message"

    static let fields = FieldGroup(
        Field("is", default: ScenarioText?.none, "The message, as text; without it, it has no content."),
        Field("json", default: JSONValue?.none, "The message, as JSON that is written in YAML."),
        Field("event", default: String?.none, "The name of the event, where the protocol names one."),
        Field("with", default: NamedValues<ScenarioText>?.none, "The arguments of the key whose connection it comes through.")
    ) { text, json, event, arguments in
        MessageFields(
            message: MessageText(payload: text?.bytes ?? json.map { Array($0.text.utf8) }, event: event, arguments: arguments))
    }
}
