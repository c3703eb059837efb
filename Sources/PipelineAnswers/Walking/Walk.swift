package import Pipeline
import PipelineJSON

/// The requests for all pages of one value, and what has come of them.
///
/// It sends nothing: ask for the page of ``request``, give the answer to ``take(_:from:isValue:)``, and do what that returns. Where a page is
/// refused, or no answer comes, nothing changes: whoever keeps the walk can go on with the same ``request`` later. A copy of it that is kept
/// meanwhile makes each page cost as much as all before.
package struct Walk: Sendable {
    /// The step after a page.
    package enum Step: Sendable {
        /// Ask for this page.
        case ask(PageRequest)
        /// The list changed, for this reason: what has come is forgotten, and all is asked for once more, from this page.
        case again(PageRequest, reason: String)
        /// All has come: the first page, without what is dropped, with all elements in its lists. What comes next is ``AnswerShape/select``.
        case done([UInt8])
        /// The first page is as it was, and with it all of the value.
        case confirmed
        /// There is no such value.
        case notFound
        /// The answer is no value: the walk fails as its status says, for this page.
        case refused(page: Int)
        /// The answers cannot be put together.
        case failed(SourceError)
    }

    /// The pages that have come since the walk began from the start.
    private struct Progress {
        var page = 1
        var lists: GatheredLists
        var counter: PageCounter?
        var total: Int?
        /// The pages by the cursors that they were asked for with.
        var asked: [ItemMark: Int] = [:]
    }

    /// The request that is out, or that comes next.
    package private(set) var request: PageRequest
    private let rules: PageRules
    private let shape: AnswerShape
    private let links: LinkRule
    private let limit: Int
    private var progress: Progress
    /// The number of elements that each walk before came to.
    private var counts: [Int] = []

    /// - Parameters:
    ///   - shape: what is dropped from each page.
    ///   - links: where the next page may be.
    ///   - limit: the most bytes of the value, after what is dropped.
    package init(_ rules: PageRules, _ shape: AnswerShape, links: LinkRule, limit: Int) {
        (self.rules, self.shape, self.links, self.limit) = (rules, shape, links, limit)
        progress = Self.beginning(rules, links, limit)
        request = PageRequest(walk: 1, page: 1, change: .none)
        request = PageRequest(walk: 1, page: 1, change: firstChange)
    }

    private static func beginning(_ rules: PageRules, _ links: LinkRule, _ limit: Int) -> Progress {
        var progress = Progress(lists: GatheredLists(rules.lists, limit: limit), counter: PageCounter(rules))
        // The first page has no cursor, but a URL.
        if rules.to == nil { progress.asked[ItemMark(links.url.text)] = 1 }
        return progress
    }

    /// About how many bytes it takes in memory.
    package var footprint: Int { progress.lists.footprint }

    /// The value of the pages that have come, for a walk that does not come to its end; nil if none has.
    package func incomplete() -> [UInt8]? { progress.page > 1 ? try? progress.lists.whole(first: rules.first) : nil }

    /// Indicates whether an answer that is no value says something of the walk all the same: that the page is the last one, that a cursor has
    /// expired, or that nothing has changed. Such an answer is no failure; give it to ``take(_:from:isValue:)``.
    package func expects(_ answer: Answer) -> Bool {
        if progress.page == 1 { return isConfirmation(answer) }
        guard let words = try? PageWords(answer, rules) else { return false }
        return words.isLast || words.isExpired
    }

    /// Takes the answer to ``request``, with the status that it is treated as.
    ///
    /// - Parameters:
    ///   - page: the URL that gave the answer, after redirects.
    ///   - isValue: whether answers with this status are values.
    package mutating func take(_ answer: Answer, from page: AnswerURL, isValue: Bool) -> Step {
        do throws(SourceError) {
            return try step(answer, page, isValue)
        } catch {
            return .failed(error)
        }
    }

    private func isConfirmation(_ answer: Answer) -> Bool { answer.status == 304 && rules.confirmsFirst && progress.page == 1 }

    private mutating func step(_ answer: Answer, _ url: AnswerURL, _ isValue: Bool) throws(SourceError) -> Step {
        let page = progress.page
        if isConfirmation(answer) { return .confirmed }
        guard isValue else { return try refusal(answer) }
        let words = try Self.on(page) { () throws(SourceError) in try PageWords(answer, rules) }
        if page > 1, words.isExpired { return try again("the cursor of page \(page) has expired") }
        if let problem = answer.problem {
            if page > 1, words.isLast { return try finish() }
            throw .unusable("page \(page): the answer is not JSON: \(problem)")
        }
        let (news, total) = try Self.on(page) { () throws(SourceError) in
            (try progress.lists.read(try shape.dropped(from: answer.body)), rules.first == nil ? try words.total() : nil)
        }
        progress.total = total ?? progress.total
        let isCounted = progress.counter != nil
        let counted = count(news, total)
        switch counted {
        case .back(let number): return try ask(try change(to: PageWords.Cursor(number)))
        case .lost: return try again("nothing of page \(page) was seen before")
        case .ask, .end, nil: break
        }
        try Self.on(page) { () throws(SourceError) in try progress.lists.add(news, skippingRepeats: isCounted) }
        if let first = rules.first, progress.lists.count >= first { return try done() }
        if words.isLast || counted == .end { return try finish() }
        if case .ask(let number) = counted { return try ask(try change(to: PageWords.Cursor(number))) }
        return try follow(words, from: url, bringsNothing: news.isEmpty)
    }

    /// The step after an answer that is no value.
    private mutating func refusal(_ answer: Answer) throws(SourceError) -> Step {
        let page = progress.page
        if page == 1 { return [404, 410].contains(answer.status) ? .notFound : .refused(page: page) }
        guard let words = try? PageWords(answer, rules) else { return .refused(page: page) }
        if words.isExpired { return try again("the cursor of page \(page) has expired") }
        return words.isLast ? try finish() : .refused(page: page)
    }

    /// The step after the page where pages are counted; nil if they are not.
    private mutating func count(_ page: GatheredLists.Page, _ total: Int?) -> PageCounter.Step? {
        guard let news = page.news.first else { return nil }
        let gathered = progress.lists.count + news.fresh
        return progress.counter?.take(news, gathered: gathered, total: total, known: progress.total)
    }

    /// Goes on by the cursor of the next page.
    private mutating func follow(_ words: PageWords, from url: AnswerURL, bringsNothing: Bool) throws(SourceError) -> Step {
        let page = progress.page
        guard let cursor = try Self.on(page, { () throws(SourceError) in try words.next() }) else {
            if rules.ends != nil { throw .unusable("not the last page, and no next one") }
            return try finish()
        }
        var (change, identity) = (PageRequest.Change.none, cursor.text)
        if rules.to == nil {
            if cursor.isNumber { throw .unusable("page \(page): the cursor of the next page is a number, and no URL") }
            let link = try links.link(cursor.text, on: url, to: "the next page")
            (change, identity) = (.link(link), link.url.text)
        } else {
            change = try self.change(to: cursor)
        }
        if let earlier = progress.asked[ItemMark(identity)] {
            if bringsNothing { return try finish() }
            throw .unusable("page \(page) leads back to page \(earlier)")
        }
        progress.asked[ItemMark(identity)] = page + 1
        return try ask(change)
    }

    /// Returns the result of `body`; an error that it throws is of the page of this number.
    private static func on<Value>(_ page: Int, _ body: () throws(SourceError) -> Value) throws(SourceError) -> Value {
        do throws(SourceError) {
            return try body()
        } catch {
            throw .unusable("page \(page): \(error.reason)")
        }
    }
}

extension Walk {
    private mutating func ask(_ change: PageRequest.Change) throws(SourceError) -> Step {
        if progress.page >= rules.max { throw .unusable("more than \(rules.max) page\(rules.max == 1 ? "" : "s") (max)") }
        progress.page += 1
        request = PageRequest(walk: counts.count + 1, page: progress.page, change: change)
        return .ask(request)
    }

    /// The end of the list has come.
    private mutating func finish() throws(SourceError) -> Step {
        if rules.first == nil, let total = progress.total, total != progress.lists.count {
            return try again("\(progress.lists.count) of \(total) elements came")
        }
        return try done()
    }

    private mutating func done() throws(SourceError) -> Step {
        let value = try progress.lists.whole(first: rules.first)
        // What follows makes a copy of its own.
        progress = Self.beginning(rules, links, limit)
        return .done(value)
    }

    /// Forgets what has come, and begins from the start.
    private mutating func again(_ reason: String) throws(SourceError) -> Step {
        counts.append(progress.lists.count)
        guard counts.count < PageRules.mostWalks else {
            let all = counts.map { "\($0)" }.joined(separator: ", ") + " elements"
            let words = progress.total.map { "\(progress.lists.count) of \($0)" } ?? all
            throw .unusable("the list changed while it was read: \(words)")
        }
        progress = Self.beginning(rules, links, limit)
        request = PageRequest(walk: counts.count + 1, page: 1, change: firstChange)
        return .again(request, reason: reason)
    }

    private var firstChange: PageRequest.Change {
        progress.counter.flatMap { try? change(to: PageWords.Cursor($0.number)) } ?? .none
    }

    private func change(to cursor: PageWords.Cursor) throws(SourceError) -> PageRequest.Change {
        switch rules.to {
        case nil: throw .unusable("nothing says where the number of the next page goes")
        case .query(let name): return .query(name: name, value: cursor.text)
        case .header(let name):
            guard cursor.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .unusable("the cursor of the next page has a control character, and `\(name.shortened)` cannot carry it")
            }
            return .header(name: name, value: cursor.text)
        case .body(let pointer): return .body(at: pointer, value: cursor.json)
        case .variable(let name): return .body(at: JSONPointer(tokens: ["variables", name]), value: cursor.json)
        case .url: return .template(next: cursor.text)
        }
    }
}

extension PageWords.Cursor {
    fileprivate init(_ number: Int) { self.init("\(number)", json: Array("\(number)".utf8)) }
}
