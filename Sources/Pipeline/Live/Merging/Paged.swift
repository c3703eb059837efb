/// An array in pages: where it was copied, a change copies a page and the list of pages.
struct Paged<Element: Sendable>: Sendable {
    private var pages: [[Element]] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(index: Int) -> Element {
        @inline(__always) get { pages[index >> 6][index & 63] }
    }

    mutating func append(_ element: Element) {
        if count & 63 == 0 { pages.append([]) }
        pages[pages.count - 1].append(element)
        count += 1
    }

    /// Changes an element in its place.
    @inline(__always)
    mutating func update<Value>(_ index: Int, _ body: (inout Element) -> Value) -> Value { body(&pages[index >> 6][index & 63]) }
}
