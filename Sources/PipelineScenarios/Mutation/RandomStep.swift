internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON

/// A step that is drawn at random: it can be played, and written as YAML.
enum RandomStep: Hashable {
    enum Answer: Hashable {
        case payload(String)
        case slow(String, Duration)
        case errorThen(String)
        /// One call is answered, after a moment, every further one fails.
        case once(String)
        case error(String)
        case word(String)
        /// The answer to a send, which is lost.
        case lost(String)
        /// The answer to one send is lost, every further one comes.
        case lostThen(String)
    }

    /// A send, known by its id.
    struct Send: Hashable {
        let name: String
        let id: String
        var arguments: [String: String] = [:]
        /// Empty for none.
        let payload: String
        /// The number in the payload that no other step has.
        let number: Int
    }

    case fetch
    /// A fetch with a time limit of its own.
    case fetchWithin(Duration)
    /// Many fetches at once.
    case crowd
    case wait(Duration)
    case answer(String, Answer)
    /// `true`, `false`, `reads` or `writes`.
    case down(String, String)
    /// A cache holds this payload, which was stored so long ago. `key` has the arguments, as `user=42`; it is empty without any.
    case holds(String, key: String, String, age: Duration)
    /// The time a cache takes for each read and each write.
    case takes(String, Duration)
    case put(String)
    /// A message of a change source, with the name of its event; a signal without content where there is no payload.
    case message(String, String?, event: String?)
    case disconnect(String)
    case send(Send)
    case retry(String)
    case drop(String)
    /// What came to sources that take sends, and what outboxes have.
    case look([String])
    case remove
    case kill
    case restart
    case flush
}

extension RandomStep {
    /// Indicates whether it fetches, so that a test can expect something of it.
    var isFetch: Bool {
        switch self {
        case .fetch, .fetchWithin, .crowd: true
        default: false
        }
    }
}

/// The step as it is played.
extension RandomStep {
    func step(with arguments: NamedValues<ScenarioText>) -> ScenarioStep {
        ScenarioStep(action(arguments), word: word, range: .beginning, isDrawn: true)
    }

    private var word: String {
        switch self {
        case .fetch, .fetchWithin, .crowd: "fetch"
        case .wait: "wait"
        case .answer, .down, .holds, .takes: "set"
        case .put: "put"
        case .message: "message"
        case .disconnect: "disconnect"
        case .send: "send"
        case .retry: "retry"
        case .drop: "drop"
        case .look: "expect"
        case .remove: "remove"
        case .kill: "kill"
        case .restart: "restart"
        case .flush: "flush"
        }
    }

    private func action(_ arguments: NamedValues<ScenarioText>) -> ScenarioStep.Action {
        switch self {
        case .fetch: .fetch(FetchStep(arguments: arguments))
        case .fetchWithin(let limit): .fetch(FetchStep(arguments: arguments, timeout: limit))
        case .crowd: .fetch(FetchStep(arguments: arguments, times: 5, atOnce: true))
        case .wait(let duration): .wait(duration)
        case .answer(let source, let answer): .set(Self.script(source, .answers(answer.list)))
        case .down(let source, let word): .set(Self.script(source, .cache(CacheScript(down: Self.outage(word)))))
        case .holds(let source, let key, let payload, let age):
            .set(Self.script(source, .cache(CacheScript(holds: Self.copies(payload, for: key), age: age))))
        case .takes(let source, let takes): .set(Self.script(source, .cache(CacheScript(takes: takes))))
        case .put(let payload): .put(PutStep(arguments: arguments, payload: Array(payload.utf8)))
        case .message(let source, let payload, let event):
            .message(
                NamedValues([
                    NamedValues.Member(
                        name: source, range: .beginning, value: MessageText(payload: payload.map { Array($0.utf8) }, event: event))
                ]))
        case .disconnect(let source): .disconnect([Placed(source, at: .beginning)])
        case .send(let send): .send(send.step)
        case .retry(let id): .retry([Placed(id, at: .beginning)])
        case .drop(let id): .drop([Placed(id, at: .beginning)])
        case .look(let sources):
            .expect(NamedValues(sources.map { NamedValues.Member(name: $0, range: .beginning, value: SourceExpectation()) }))
        case .remove: .remove(arguments)
        case .kill: .kill
        case .restart: .restart(EndingStep())
        case .flush: .flush(EndingStep())
        }
    }

    private static func script(_ source: String, _ content: SourceScript.Content) -> NamedValues<SourceScript> {
        NamedValues([NamedValues.Member(name: source, range: .beginning, value: SourceScript(content: content, range: .beginning))])
    }

    private static func outage(_ word: String) -> Outage {
        var outage = Outage()
        outage.reads = word == "true" || word == "reads"
        outage.writes = word == "true" || word == "writes"
        return outage
    }

    private static func copies(_ payload: String, for key: String) -> HeldCopies {
        let copy = Placed(HeldCopies.Copy.payload(Array(payload.utf8)), at: .beginning)
        return HeldCopies(copies: [(key.isEmpty ? nil : Placed(key, at: .beginning), copy)])
    }
}

extension CacheScript {
    fileprivate init(holds: HeldCopies? = nil, age: Duration? = nil, down: Outage? = nil, takes: Duration? = nil) {
        self.init(holds: holds, age: age, freshFor: nil, down: down, takes: takes)
    }
}

extension RandomStep.Send {
    fileprivate var step: SendStep {
        let arguments = arguments.sorted { $0.key < $1.key }.map {
            NamedValues.Member(name: $0.key, range: .beginning, value: ScenarioText($0.value))
        }
        return SendStep(
            name: Placed(name, at: .beginning), arguments: NamedValues(arguments), payload: Array(payload.utf8),
            label: Placed(id, at: .beginning))
    }

    /// The fields as YAML.
    fileprivate var fields: [String] {
        let with = arguments.sorted { $0.key < $1.key }.map { "\(RandomStep.key($0.key)): \(RandomStep.quoted($0.value))" }
        return ["name: \(RandomStep.word(name))"] + (with.isEmpty ? [] : ["with: { \(with.joined(separator: ", ")) }"])
            + (payload.isEmpty ? [] : ["is: \(RandomStep.singleQuoted(payload))"]) + ["as: \(id)"]
    }
}

extension RandomStep.Answer {
    /// The time that a load takes so that fetches at once meet in it.
    private static let onceTakes = Duration.milliseconds(50)

    fileprivate var list: AnswerList {
        func answer(_ content: OriginAnswer.Content, takes: Duration = .zero, isLost: Bool = false) -> OriginAnswer {
            OriginAnswer(content: content, takes: takes, isLost: isLost, range: .beginning)
        }
        func payload(_ text: String) -> OriginAnswer.Content { .payload(Array(text.utf8)) }
        let (answers, always): ([OriginAnswer], OriginAnswer) =
            switch self {
            case .payload(let text): ([], answer(payload(text)))
            case .slow(let text, let takes): ([], answer(payload(text), takes: takes))
            case .errorThen(let text): ([answer(.error("error"))], answer(payload(text)))
            case .once(let text): ([answer(payload(text), takes: Self.onceTakes)], answer(.error("error")))
            case .error(let reason): ([], answer(.error(reason)))
            case .lost(let text): ([], answer(payload(text), isLost: true))
            case .lostThen(let text): ([answer(payload(text), isLost: true)], answer(payload(text)))
            case .word("not_found"): ([], answer(.notFound))
            case .word("invalid"): ([], answer(.invalid))
            case .word: ([], answer(.hangs))
            }
        return AnswerList(answers: answers, always: always, range: .beginning)
    }

    /// The value as YAML.
    fileprivate var text: String {
        switch self {
        case .payload(let text): RandomStep.singleQuoted(text)
        case .slow(let text, let takes): "{ is: \(RandomStep.singleQuoted(text)), takes: \(takes.spelling) }"
        case .errorThen(let text): "[error, always: \(RandomStep.singleQuoted(text))]"
        case .once(let text): "[{ is: \(RandomStep.singleQuoted(text)), takes: \(Self.onceTakes.spelling) }, always: error]"
        case .error(let reason): reason == "error" ? reason : "{ error: \(reason) }"
        case .word(let word): word
        case .lost(let text): "{ is: \(RandomStep.singleQuoted(text)), lost: true }"
        case .lostThen(let text):
            "[{ is: \(RandomStep.singleQuoted(text)), lost: true }, always: \(RandomStep.singleQuoted(text))]"
        }
    }
}

/// The step as YAML.
extension RandomStep {
    /// - Parameters:
    ///   - with: the arguments, as `with: { … }`; empty without any.
    ///   - expected: what a fetch or a send expects, as `tiers: [ … ]`, or a look, as `add: { calls: 1 }`.
    func text(_ with: String, expecting expected: String = "") -> String {
        let own =
            switch self {
            case .fetchWithin(let limit): "timeout: \(limit.spelling)"
            case .crowd: "times: 5, at_once: true"
            default: ""
            }
        let fields = [with, own, expected].filter { !$0.isEmpty }.joined(separator: ", ")
        switch self {
        case .fetch, .fetchWithin, .crowd: return fields.isEmpty ? "fetch" : "fetch: { \(fields) }"
        case .wait(let duration): return "wait: \(duration.spelling)"
        case .answer, .down, .holds, .takes: return "set: { \(scriptText) }"
        case .put(let payload): return "put: { \(with.isEmpty ? "" : with + ", ")is: \(Self.singleQuoted(payload)) }"
        case .message(let source, let payload, let event):
            let text = payload.map(Self.singleQuoted) ?? "signal"
            let fields = event.map { "{ \(payload == nil ? "" : "is: \(text), ")event: \(Self.quoted($0)) }" } ?? text
            return "message: { \(Self.key(source)): \(fields) }"
        case .disconnect(let source): return "disconnect: \(Self.word(source))"
        case .send(let send): return "send: { \((send.fields + [expected].filter { !$0.isEmpty }).joined(separator: ", ")) }"
        case .retry(let id): return "retry: \(id)"
        case .drop(let id): return "drop: \(id)"
        case .look(let sources):
            return "expect: { \(expected.isEmpty ? sources.map { "\(Self.key($0)): {}" }.joined(separator: ", ") : expected) }"
        case .remove: return with.isEmpty ? "remove" : "remove: { \(with) }"
        case .kill, .restart, .flush: return word
        }
    }

    /// `api: '[1]'`, of a step that sets something; else empty.
    var scriptText: String {
        switch self {
        case .answer(let source, let answer): "\(Self.key(source)): \(answer.text)"
        case .down(let source, let word): "\(Self.key(source)): { down: \(word) }"
        case .holds(let source, let arguments, let payload, let age):
            "\(Self.key(source)): { holds: \(Self.held(payload, for: arguments))\(age == .zero ? "" : ", age: \(age.spelling)") }"
        case .takes(let source, let takes): "\(Self.key(source)): { takes: \(takes.spelling) }"
        default: ""
        }
    }

    /// The source that it sets.
    var source: String? {
        switch self {
        case .answer(let source, _), .down(let source, _), .holds(let source, _, _, _), .takes(let source, _): source
        default: nil
        }
    }

    /// `'[1]'`, or `{ "user=42": '[1]' }`.
    private static func held(_ payload: String, for arguments: String) -> String {
        arguments.isEmpty ? singleQuoted(payload) : "{ \(quoted(arguments)): \(singleQuoted(payload)) }"
    }

    /// A name, or a value, within quotes.
    static func quoted(_ text: String) -> String { "\"\(JSONText.escaped(text))\"" }

    /// A payload within single quotes.
    static func singleQuoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

    /// A name as it stands before a colon.
    static func key(_ name: String) -> String { Identifier.isValid(name) ? name : quoted(name) }
}

/// Rows of steps as tests.
extension RandomStep {
    /// The number of the first steps that say for the first time what a source does.
    private static func givenCount(_ steps: [RandomStep]) -> Int {
        var sources: Set<String> = []
        return steps.prefix { $0.source.map { sources.insert($0).inserted } ?? false }.count
    }

    /// The steps without those that `isMeant` can do without. The first answer of each origin stays, and the last step.
    static func shrink(_ steps: [RandomStep], _ isMeant: ([RandomStep]) -> Bool) -> [RandomStep] {
        var steps = steps
        let answers = steps.prefix { if case .answer = $0 { true } else { false } }
        let kept = givenCount(Array(answers))
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for index in steps.indices.dropLast().reversed() where index >= kept {
                var fewer = steps
                fewer.remove(at: index)
                if isMeant(fewer) { (steps, hasChanged) = (fewer, true) }
            }
        }
        return steps
    }

    /// The test as YAML, of which the last step expects `expected`.
    static func test(
        named name: String, pipeline: String, _ steps: [RandomStep], _ arguments: NamedValues<ScenarioText>, expecting expected: String
    ) -> String {
        let given = Array(steps.prefix(givenCount(steps)))
        let with = arguments.members.map { "\(key($0.name)): \(quoted($0.value.text))" }.joined(separator: ", ")
        var lines = ["  - name: \(quoted(name))", "    pipeline: \(quoted(pipeline))"]
        if !given.isEmpty { lines.append("    given: { \(given.map(\.scriptText).joined(separator: ", ")) }") }
        lines.append("    steps:")
        for (index, step) in steps.enumerated().dropFirst(given.count) {
            lines.append(
                "      - " + step.text(with.isEmpty ? "" : "with: { \(with) }", expecting: index == steps.count - 1 ? expected : ""))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A word of a list, within quotes where it needs them.
    static func word(_ text: String) -> String { text.contains { "[]{},:#\"'".contains($0) } ? quoted(text) : text }
}
