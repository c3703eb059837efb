/// Which page is asked for next where pages are counted, by `offset` or by `page`.
///
/// With an overlap nothing is missed that was in the list all the time: each page must have an element that was seen, and all that stands
/// before an element that was seen is seen, as long as those which stay keep their order. Where elements vanished in front, the page has none,
/// and the counter goes back.
struct PageCounter: Sendable {
    /// The news of a page for the list that is counted.
    struct News: Sendable {
        /// The number of elements on the page.
        var count = 0
        /// The number of those that were on no page before, and of those that were on one.
        var fresh = 0
        var seen = 0
        /// Indicates whether the page has the elements of the page before.
        var isRepeat = false
    }

    enum Step: Sendable, Equatable {
        /// The page is gathered, and the next is asked for with this number.
        case ask(Int)
        /// The page is gathered, and is the last one.
        case end
        /// The page does not join on, and nothing of it is gathered: one further in front is asked for.
        case back(Int)
        /// The page does not join on, nor did those further in front: the list is another one.
        case lost
    }

    private enum Way: Sendable {
        case pages
        case offsets(overlap: Int)
    }

    /// The number that the request for the page has that is asked for.
    private(set) var number: Int
    private let begin: Int
    private let way: Way
    /// The offset behind the last page that joined on; nil before the first page.
    private var end: Int?
    /// How often it went back since a page joined on that had room for more than what was asked for again.
    private var backs = 0
    private var wentBack = false
    /// Indicates whether each page began with all the elements that were asked for again: nothing can have vanished in front.
    private var isSteady = true
    private var largest = 0

    private static let mostBacks = 3

    /// Nil where pages are not counted.
    init?(_ rules: PageRules) {
        switch rules.next {
        case .offset(let first): (begin, way) = (max(0, first), .offsets(overlap: max(0, rules.overlap)))
        case .page(let first): (begin, way) = (max(0, first), .pages)
        case .place, .link, .header, .last: return nil
        }
        number = begin
    }

    /// - Parameters:
    ///   - gathered: the number of elements so far, those of the page included.
    ///   - total: the number that must come out, as the page says it; nil where it does not.
    ///   - known: the same, or what an earlier page said.
    mutating func take(_ news: News, gathered: Int, total: Int?, known: Int?) -> Step {
        largest = max(largest, news.count)
        switch way {
        case .pages: return plain(news, by: 1, isFull: known.map { gathered >= $0 } ?? false)
        case .offsets(overlap: 0): return plain(news, by: news.count, isFull: known.map { gathered >= $0 } ?? false)
        case .offsets(let overlap): return overlapping(news, overlap, isFull: total.map { gathered >= $0 } ?? false)
        }
    }

    private mutating func plain(_ news: News, by count: Int, isFull: Bool) -> Step {
        if news.count == 0 || news.fresh == 0 || isFull { return .end }
        number = number.advanced(within: count)
        return .ask(number)
    }

    private mutating func overlapping(_ news: News, _ overlap: Int, isFull: Bool) -> Step {
        if let end {
            // The elements from here to the end of the page before were asked for again.
            let again = end - number
            if news.seen == 0, news.count > 0 || again > 0 { return goingBack() }
            if news.seen < again { isSteady = false }
        }
        if news.count == 0 { return .end }
        let isOver = news.count <= overlap || news.isRepeat
        if news.fresh == 0, !wentBack, isOver { return .end }
        if news.fresh > 0 || news.count > overlap { backs = 0 }
        // While elements vanish in front, as many as there are can have come without all of them.
        if isFull, isSteady { return .end }
        wentBack = false
        end = number.advanced(within: news.count)
        number = number.advanced(within: max(1, news.count - overlap))
        return .ask(number)
    }

    /// Goes back by half a page.
    private mutating func goingBack() -> Step {
        backs += 1
        if backs > Self.mostBacks || number <= begin { return .lost }
        (wentBack, isSteady) = (true, false)
        number = max(begin, number - max(1, largest / 2))
        return .back(number)
    }
}

extension Int {
    /// The sum, or the largest number.
    fileprivate func advanced(within count: Int) -> Int {
        let (sum, isTooLarge) = addingReportingOverflow(count)
        return isTooLarge ? .max : sum
    }
}
