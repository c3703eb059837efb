import Pipeline
import PipelineAnswers
import PipelineJSON
import Testing

@Suite struct PendingJobTests {
    private static let begin = Timestamp(nanoseconds: 0)

    /// Jobs that are played: what is asked, and when.
    private struct Play {
        var asked: [String] = []
        var end = ""
        var job: PendingJob

        /// - Parameter answers: each with the pause that it asks for, in seconds.
        init(_ rules: PendingRules, hosts: [String] = [], _ answers: [(answer: Answer, pause: Int?)]) {
            job = PendingJob(rules, links: .tested(hosts: hosts))
            play(answers)
        }

        private mutating func play(_ answers: [(answer: Answer, pause: Int?)]) {
            var (now, url) = (PendingJobTests.begin, AnswerURL.tested)
            for (answer, pause) in answers {
                let isValue = 200..<300 ~= answer.status
                switch job.take(answer, from: url, isValue: isValue, retryAfter: pause.map { .seconds($0) }, at: now) {
                case .poll(let poll):
                    #expect(poll == job.poll)
                    now = poll.moment
                    url = poll.link?.url ?? .tested
                    asked.append(
                        "\(now.nanoseconds / 1_000_000_000): \(poll.link.map { $0.url.text + ($0.isForeign ? " foreign" : "") } ?? "same")")
                case .done: return end = "done"
                case .fetch(let link): return end = "fetch \(link.url.text)\(link.isForeign ? " foreign" : "")"
                case .failed(let error):
                    #expect(error.kind == .invalid)
                    return end = error.reason
                }
            }
        }
    }

    private static let accepted = AnswerCondition(statuses: [202])

    @Test func `AP-72 a job is polled where Location says, when the server says, and ends with its value`() {
        let started = Answer("", status: 202, headers: ["Location": "/jobs/7"])

        let play = Play(PendingRules(when: Self.accepted), [(started, 2), (Answer("", status: 202), nil), (Answer("[1]"), nil)])

        #expect(play.asked == ["2: https://api.example.org/jobs/7", "3: https://api.example.org/jobs/7"])
        #expect(play.end == "done")
    }

    @Test func `AP-72 without a word of the server the pause doubles, up to half a minute`() {
        let pending = (answer: Answer("", status: 202), pause: Int?.none)

        let play = Play(PendingRules(when: Self.accepted, at: .same), Array(repeating: pending, count: 8))
        let slow = Play(PendingRules(when: Self.accepted, at: .same, every: .seconds(40)), Array(repeating: pending, count: 3))

        #expect(play.asked == [1, 3, 7, 15, 31, 61, 91, 121].map { "\($0): same" })
        #expect(slow.asked == [40, 80, 120].map { "\($0): same" })
        #expect(play.job.poll?.link == nil)
    }

    @Test func `A job can be at a place of the answer, and move`() {
        let rules = PendingRules(when: AnswerCondition(values: [(at("/state"), [.string("running")])]), at: .place(at("/url")))
        let answers = [
            #"{"state":"running","url":"/a"}"#, #"{"state":"running"}"#, #"{"state":"running","url":"b"}"#, #"{"state":"done"}"#,
        ]

        let play = Play(rules, answers.map { (Answer($0), 1) })

        #expect(play.asked == ["1: https://api.example.org/a", "2: https://api.example.org/a", "3: https://api.example.org/b"])
        #expect(play.end == "done")
    }

    @Test func `AP-73 the value of a job is where its end says, at a named host without what belongs to the source`() {
        let rules = PendingRules(when: Self.accepted, at: .same, result: at("/url"))
        let pending = (answer: Answer("", status: 202), pause: Int?.none)
        func play(_ body: String, hosts: [String] = []) -> String { Play(rules, hosts: hosts, [pending, (Answer(body), nil)]).end }

        #expect(play(#"{"url":"/export.json"}"#) == "fetch https://api.example.org/export.json")
        #expect(play(#"{"url":"https://s3.example.org/x"}"#, hosts: ["s3.example.org"]) == "fetch https://s3.example.org/x foreign")
        #expect(play(#"{"url":"https://s3.example.org/x"}"#) == "the value is at another host: s3.example.org")
        #expect(play(#"{"url":null}"#) == "the job is done, and no URL of its value stands at `/url`")
        #expect(play("<html>") == "the job is done, and no URL of its value stands at `/url`")
    }

    @Test func `AP-73 a redirect after the job leads to its value`() {
        let rules = PendingRules(when: Self.accepted, at: .same)
        let moved = Answer("", status: 303, headers: ["Location": "https://s3.example.org/x"])
        let pending = (answer: Answer("", status: 202), pause: Int?.none)

        #expect(Play(rules, hosts: ["s3.example.org"], [pending, (moved, nil)]).end == "fetch https://s3.example.org/x foreign")
        #expect(Play(rules, [pending, (moved, nil)]).end == "the value is at another host: s3.example.org")
        #expect(Play(rules, [(moved, nil)]).end == "done")
    }

    @Test func `An answer at once needs no job, with its value beside it or in it`() {
        let rules = PendingRules(when: Self.accepted, result: at("/url"))

        #expect(Play(rules, [(Answer("[1]"), nil)]).end == "done")
        #expect(Play(rules, [(Answer(#"{"url":"/x"}"#), nil)]).end == "fetch https://api.example.org/x")
        #expect(Play(rules, [(Answer("", status: 500), nil)]).end == "done")
        #expect(Play(rules, [(Answer(#"{"url":"/x"}"#, status: 500), nil)]).end == "done")
    }

    @Test func `A job whose place is not told, or is elsewhere, is invalid`() {
        let rules = PendingRules(when: Self.accepted)
        func end(_ location: String?) -> String {
            Play(rules, [(Answer("", status: 202, headers: location.map { ["Location": $0] } ?? [:]), nil)]).end
        }

        #expect(end(nil) == "the value is still being made, and no URL to ask again stands at the field `Location`")
        #expect(end("https://evil.example/") == "the job is at another host: evil.example")
        #expect(end("javascript:x") == "the URL of the job cannot be asked: `javascript` is neither http nor https")
    }

    @Test func `A job is polled a thousand times at most`() {
        let pending = (answer: Answer("", status: 202), pause: Int?.some(1))

        let play = Play(PendingRules(when: Self.accepted, at: .same), Array(repeating: pending, count: 1_002))

        #expect(play.asked.count == 1_000)
        #expect(play.end == "the job was not done after 1000 polls")
    }
}
