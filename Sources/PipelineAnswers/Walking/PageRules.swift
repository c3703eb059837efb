import Pipeline
package import PipelineJSON

/// A list that is gathered from the pages of a value.
package struct PageList: Sendable, Hashable {
    package var at: JSONPointer
    /// The place of an element's id: a string, or a number as it is written. Nil if elements are not told apart.
    package var id: JSONPointer?

    package init(at: JSONPointer, id: JSONPointer? = nil) { (self.at, self.id) = (at, id) }

    /// The most lists of a walk.
    package static let most = 8
}

/// The way from one page of a value to the next: `pages`.
package struct PageRules: Sendable {
    /// The cursor of the next page.
    package enum Next: Sendable, Hashable {
        /// The value at a place of the answer.
        case place(JSONPointer)
        /// The link with `rel=next` in the field `Link`.
        case link
        /// The text of a field.
        case header(String)
        /// The value at a place of the last element of the first list.
        case last(JSONPointer)
        /// The number of elements before the page; the first page is asked with this one.
        case offset(Int)
        /// The number of the page; the first page is asked with this one.
        case page(Int)
    }

    /// The place of the cursor in the request for the next page.
    package enum Destination: Sendable, Hashable {
        case query(String)
        case header(String)
        case body(JSONPointer)
        /// A variable of a GraphQL request.
        case variable(String)
        /// A template of a URL, at `{next}`.
        case url
    }

    package var next: Next
    /// The place of the cursor; nil if it is a URL. `offset` and `page` need one.
    package var to: Destination?
    /// The condition of the last page; nil if that is the one without a cursor of the next.
    package var ends: AnswerCondition?
    /// The lists that are gathered; at least one. The first is the one that is counted.
    package var lists: [PageList]
    /// The place of the number of elements that must come out.
    package var total: JSONPointer?
    /// The number of elements that are asked for again by `offset`: 0 without an id.
    package var overlap: Int
    /// The most elements that are wanted; nil for all.
    package var first: Int?
    /// The most pages of a walk.
    package var max: Int
    /// The condition of an answer to a cursor that is no longer good.
    package var expired: AnswerCondition?
    /// Indicates whether the first page changes whenever anything does: it stands for all.
    package var confirmsFirst: Bool

    /// The most pages that a file may allow.
    package static let mostPages = 10_000
    /// The number of walks after which a list that changes meanwhile is given up.
    static let mostWalks = 3
    /// The most bytes of a cursor.
    static let mostBytes = 65_536

    /// - Parameters:
    ///   - lists: at least one.
    ///   - overlap: nil for one element where these have ids, else none.
    package init(
        next: Next, to: Destination? = nil, ends: AnswerCondition? = nil, lists: [PageList], total: JSONPointer? = nil, overlap: Int? = nil,
        first: Int? = nil, max: Int = 100, expired: AnswerCondition? = nil, confirmsFirst: Bool = false
    ) {
        precondition(!lists.isEmpty, "pages have a list that is gathered")
        (self.next, self.to, self.ends, self.lists, self.total) = (next, to, ends, lists, total)
        let hasIDs = lists[0].id != nil
        self.overlap = hasIDs ? overlap ?? 1 : 0
        (self.first, self.max, self.expired, self.confirmsFirst) = (first, max, expired, confirmsFirst)
    }
}

/// The request for a page.
package struct PageRequest: Sendable, Hashable {
    /// The difference from the request of the source.
    package enum Change: Sendable, Hashable {
        case none
        /// A parameter at the end of the query; to be percent-encoded.
        case query(name: String, value: String)
        /// A field, without control characters.
        case header(name: String, value: String)
        /// JSON at a place of the body, for `JSONSplice.setting(_:at:in:)`; of a GraphQL request below `/variables`.
        case body(at: JSONPointer, value: [UInt8])
        /// The text in place of `{next}` in the template; to be escaped where it stands.
        case template(next: String)
        /// The URL of the page, in place of the source's.
        case link(LinkRule.Link)
    }

    /// The number of the walk, from 1.
    package let walk: Int
    /// The number of the page in its walk, from 1.
    package let page: Int
    package let change: Change
}
