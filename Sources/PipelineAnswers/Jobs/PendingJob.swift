package import Pipeline
package import PipelineJSON

/// The rules for an answer that says that the value is still being made: `pending`.
package struct PendingRules: Sendable {
    /// The place to ask again.
    package enum Place: Sendable, Hashable {
        /// The URL in the field `Location`.
        case location
        /// The same request.
        case same
        /// The URL at a place of the answer.
        case place(JSONPointer)
    }

    /// The condition of an answer that comes before the value.
    package var when: AnswerCondition
    package var at: Place
    /// The pause before the first poll, where the server names none; it doubles.
    package var every: Duration
    /// The place of the URL of the value in the answer that ends the job; nil if that answer is the value.
    package var result: JSONPointer?

    package init(when: AnswerCondition, at: Place = .location, every: Duration = .seconds(1), result: JSONPointer? = nil) {
        (self.when, self.at, self.every, self.result) = (when, at, every, result)
    }

    /// The most polls of a job.
    package static let mostPolls = 1_000
    /// The longest pause that doubling comes to.
    static let longestPause = Duration.seconds(30)
}

/// A job at a server: where it is polled and when, and where its value is. It sends nothing; give it each answer. It is a value that can be kept
/// and gone on with later: ``poll`` says what comes next.
package struct PendingJob: Sendable {
    /// A poll that is due at a moment.
    package struct Poll: Sendable, Hashable {
        /// The URL to ask by GET; nil for the same request.
        package let link: LinkRule.Link?
        /// The moment from which it may be sent.
        package let moment: Timestamp
    }

    /// The step after an answer.
    package enum Step: Sendable {
        /// The job goes on: ask this, not before its moment.
        case poll(Poll)
        /// The answer is what the request comes to, whether it is a value or not.
        case done
        /// The job is done: ask for its value here by GET. The answer to that is what the request comes to.
        case fetch(LinkRule.Link)
        case failed(SourceError)
    }

    /// The poll that is out, or that comes next; nil before the server has said that there is a job.
    package private(set) var poll: Poll?
    private let rules: PendingRules
    private let links: LinkRule
    private var count = 0
    private var pause: Duration

    package init(_ rules: PendingRules, links: LinkRule) {
        (self.rules, self.links) = (rules, links)
        pause = rules.every
    }

    /// Takes the answer to the request, or to a poll, with the status that it is treated as.
    ///
    /// - Parameters:
    ///   - page: the URL that gave the answer.
    ///   - isValue: whether answers with this status are values.
    ///   - retryAfter: the pause that the server asks for; nil for none.
    ///   - now: when the answer came.
    package mutating func take(
        _ answer: Answer, from page: AnswerURL, isValue: Bool, retryAfter: Duration?, at now: Timestamp
    ) -> Step {
        do throws(SourceError) {
            guard try rules.when.fits(answer) else { return try end(answer, page, isValue) }
            return .poll(try next(answer, page, retryAfter, now))
        } catch {
            return .failed(error)
        }
    }

    private mutating func next(
        _ answer: Answer, _ page: AnswerURL, _ retryAfter: Duration?, _ now: Timestamp
    ) throws(SourceError) -> Poll {
        if count >= PendingRules.mostPolls { throw .unusable("the job was not done after \(count) polls") }
        count += 1
        let next = Poll(link: try place(in: answer, page), moment: now + (retryAfter ?? ownPause()))
        poll = next
        return next
    }

    private mutating func ownPause() -> Duration {
        defer { pause = min(pause * 2, max(rules.every, PendingRules.longestPause)) }
        return pause
    }

    /// Where to ask again; nil for the same request. A poll that names no place is repeated where it was.
    private func place(in answer: Answer, _ page: AnswerURL) throws(SourceError) -> LinkRule.Link? {
        let (text, words): (String?, String)
        switch rules.at {
        case .same: return nil
        case .location: (text, words) = (answer.headers.first("Location"), "the field `Location`")
        case .place(let pointer): (text, words) = (try url(at: pointer, in: answer), "`\(pointer.description.shortened)`")
        }
        if let text, !text.isEmpty { return try links.link(text, on: page, to: "the job") }
        guard let poll else { throw .unusable("the value is still being made, and no URL to ask again stands at \(words)") }
        return poll.link
    }

    private func end(_ answer: Answer, _ page: AnswerURL, _ isValue: Bool) throws(SourceError) -> Step {
        if poll != nil, [301, 302, 303, 307, 308].contains(answer.status), let location = answer.headers.first("Location") {
            return .fetch(try links.link(location, on: page, to: "the value"))
        }
        guard isValue, let result = rules.result else { return .done }
        if let url = try url(at: result, in: answer), !url.isEmpty { return .fetch(try links.link(url, on: page, to: "the value")) }
        if poll == nil { return .done }
        throw .unusable("the job is done, and no URL of its value stands at `\(result.description.shortened)`")
    }

    private func url(at pointer: JSONPointer, in answer: Answer) throws(SourceError) -> String? {
        let place = try answer.places(of: [pointer])[0]
        guard case .string(let url) = place.flatMap({ JSONScalar(answer.body, at: $0) }) else { return nil }
        return url
    }
}
