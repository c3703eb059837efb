import PipelineJSON
import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineLive

/// Lists in which one id stands more than once, and long ones: what a change costs, counted.
@Suite struct RepeatedIDTests {
    /// A list of so many elements with one id, and one with another.
    private static func list(_ count: Int, of element: String = #"{"id":1}"#) -> String {
        "[" + Array(repeating: element, count: count).joined(separator: ",") + #",{"id":2,"n":5}]"#
    }

    private static let sorted = MergePolicy.Insertion.sorted(JSONPointer("/n") ?? .whole, isDescending: false)

    @Test(arguments: [
        (#"{"op":"removed","friend":{"id":1}}"#, 0), (#"{"op":"updated","friend":{"id":1,"n":1}}"#, 0),
        (#"{"op":"renamed","friend":{"id":1,"n":1}}"#, 0), (#"{"op":"updated","friend":{"id":2,"n":6}}"#, 1),
        (#"{"op":"removed","friend":{"id":2}}"#, 1), (#"{"op":"added","friend":{"id":3}}"#, 1),
    ])
    func `a change copies no more of a list in which one id stands twenty thousand times`(message: String, most: Int) throws {
        var merging = Merging(value: Self.list(20_000))
        let before = try #require(merging.value.contents.list)

        #expect(merging.send(message) == .changed)

        let after = try #require(merging.value.contents.list)
        #expect(after.changedChunks(since: before) <= most)
    }

    @Test func `many changes of an id that stands twenty thousand times are merged one by one`() throws {
        var merging = Merging(value: Self.list(20_000))

        for number in 1...200 {
            #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":\#(number)}}"#) == .changed)
            #expect(merging.send(#"{"op":"renamed","friend":{"id":1,"m":\#(number)}}"#) == .changed)
        }

        #expect(merging.text == Self.list(20_000, of: #"{"id":1,"n":200,"m":200}"#).replacing(#","m":199"#, with: ""))
        #expect(merging.send(#"{"op":"removed","friend":{"id":1}}"#) == .changed)
        #expect(merging.text == #"[{"id":2,"n":5}]"#)
    }

    @Test func `in a sorted list all elements with an id move to one place`() {
        var merging = Merging(.friends(insertion: Self.sorted), value: #"[{"id":1,"n":1},{"id":1,"n":2},{"id":2,"n":5}]"#)

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":9}}"#) == .changed)
        #expect(merging.text == #"[{"id":2,"n":5},{"id":1,"n":9},{"id":1,"n":9}]"#)

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":9,"x":1}}"#) == .changed)
        #expect(merging.text == #"[{"id":2,"n":5},{"id":1,"n":9,"x":1},{"id":1,"n":9,"x":1}]"#)

        #expect(merging.send(#"{"op":"removed","friend":{"id":1}}"#) == .changed)
        #expect(merging.send(#"{"op":"added","friend":{"id":1,"n":0}}"#) == .changed)
        #expect(merging.text == #"[{"id":1,"n":0},{"id":2,"n":5}]"#)
    }

    @Test func `twenty thousand elements with an id move back and forth`() throws {
        var merging = Merging(.friends(insertion: Self.sorted), value: Self.list(20_000, of: #"{"id":1,"n":1}"#))

        for _ in 0..<100 {
            #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":9}}"#) == .changed)
            #expect(merging.send(#"{"op":"updated","friend":{"id":1,"n":1}}"#) == .changed)
        }

        #expect(merging.text == Self.list(20_000, of: #"{"id":1,"n":1}"#))
    }

    @Test(arguments: [false, true])
    func `a version is compared with the latest of those that share the id`(isShared: Bool) {
        var merging = Merging(.friends(version: "/v"), value: #"[{"id":1,"v":3},{"id":1,"v":7},{"id":1}]"#)
        if isShared { #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":8}}"#) == .changed) }

        #expect(merging.send(#"{"op":"updated","friend":{"id":1,"v":5}}"#) == .unchanged)
        #expect(merging.send(#"{"op":"removed","friend":{"id":1,"v":7}}"#) == .unchanged)
        #expect(merging.send(#"{"op":"removed","friend":{"id":1,"v":9}}"#) == .changed)

        #expect(merging.text == "[]")
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func `lists with doubled ids are what a plain list would be, and observers see them so`(seed: UInt64) {
        var play = ListPlay(seed: seed)

        play.run(steps: 120)

        #expect(play.problem == nil)
    }
}

extension MergedList {
    /// How many chunks differ from those of an earlier list.
    func changedChunks(since old: MergedList) -> Int {
        (0..<chunks.count).count { $0 >= old.chunks.count || !chunks[$0].isSame(as: old.chunks[$0]) }
    }
}

/// Random changes of a list, played against a plain array and an observer.
private struct ListPlay {
    private struct Element: Equatable {
        var id: Int?
        var key = 0
        var text: String
    }

    private var numbers: RandomGenerator
    private let insertion: MergePolicy.Insertion
    private let ids: Int
    private var plain: [Element] = []
    private var merging: Merging
    private var seen: MergedContents
    private var mirror: [Element] = []
    private(set) var problem: String?

    init(seed: UInt64) {
        numbers = .seeded(seed)
        let pointer = JSONPointer("/n") ?? .whole
        let kinds: [MergePolicy.Insertion] = [
            .first, .last, .sorted(pointer, isDescending: false), .sorted(pointer, isDescending: true),
        ]
        insertion = kinds[Int(seed % 4)]
        ids = seed % 6 == 0 ? 150 : 8
        for _ in 0..<Int.random(in: 0...(2 * ids), using: &numbers) {
            let id = Int.random(in: 0..<ids, using: &numbers)
            let isLoose = Int.random(in: 0..<4, using: &numbers) == 0 && seed % 4 < 2
            plain.append(Self.element(isLoose ? nil : id, key: Int.random(in: 0..<9, using: &numbers), 0))
        }
        if case .sorted(_, let isDescending) = insertion { plain.sort { isDescending ? $0.key > $1.key : $0.key < $1.key } }
        merging = Merging(.friends(insertion: insertion), value: Self.text(plain))
        seen = merging.value.contents
        mirror = plain
    }

    private static func element(_ id: Int?, key: Int, _ mark: Int) -> Element {
        Element(id: id, key: key, text: id.map { #"{"id":\#($0),"n":\#(key),"m":\#(mark)}"# } ?? #"{"x":\#(mark)}"#)
    }

    private static func text(_ elements: [Element]) -> String { "[" + elements.map(\.text).joined(separator: ",") + "]" }

    mutating func run(steps: Int) {
        for step in 1...steps where problem == nil {
            let (id, key) = (Int.random(in: 0..<ids, using: &numbers), Int.random(in: 0..<9, using: &numbers))
            let element = Self.element(id, key: key, step)
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<3:
                _ = merging.send(#"{"op":"removed","friend":{"id":\#(id)}}"#)
                plain.removeAll { $0.id == id }
            case 3..<5:
                let text = #"{"id":\#(id),"n":\#(key),"m":\#(step)}"#
                guard plain.contains(where: { $0.id == id }) else { continue }
                _ = merging.send(#"{"op":"renamed","friend":\#(text)}"#)
                update(element)
            case 5: observe(step)
            default:
                _ = merging.send(#"{"op":"updated","friend":\#(element.text)}"#)
                if plain.contains(where: { $0.id == id }) { update(element) } else { insert(element, 1) }
            }
            if merging.text != Self.text(plain) { problem = "step \(step): \(merging.text ?? "-") instead of \(Self.text(plain))" }
            if let list = merging.value.contents.list, list.size != Self.text(plain).utf8.count || list.count != plain.count {
                problem = "step \(step): \(list.count) elements in \(list.size) bytes instead of \(plain.count)"
            }
        }
    }

    private mutating func update(_ element: Element) {
        let places = plain.indices.filter { plain[$0].id == element.id }
        var moves = false
        if case .sorted(_, let isDescending) = insertion {
            func isBefore(_ one: Int, _ other: Int) -> Bool { isDescending ? one > other : one < other }
            if places.count > 1 {
                moves = places.contains { plain[$0].key != element.key }
            } else if let place = places.first, plain[place].key != element.key {
                moves =
                    place > 0 && isBefore(element.key, plain[place - 1].key)
                    || place + 1 < plain.count && !isBefore(element.key, plain[place + 1].key)
            }
        }
        guard moves else {
            for place in places { plain[place] = element }
            return
        }
        plain.removeAll { $0.id == element.id }
        insert(element, places.count)
    }

    private mutating func insert(_ element: Element, _ count: Int) {
        let place: Int
        switch insertion {
        case .first: place = 0
        case .sorted(_, let isDescending):
            place = plain.firstIndex { isDescending ? $0.key < element.key : $0.key > element.key } ?? plain.count
        default: place = plain.count
        }
        plain.insert(contentsOf: Array(repeating: element, count: count), at: place)
    }

    /// The observer applies what it is told to what it has.
    private mutating func observe(_ step: Int) {
        let contents = merging.value.contents
        let changes = contents.changes(since: seen)
        seen = contents
        if changes.isReset {
            problem = "step \(step): a reset"
            return
        }
        for change in changes.changes {
            let text = String(decoding: change.item ?? [], as: UTF8.self)
            let isMeant: (Element) -> Bool = { $0.id.map { "\($0)" } == change.id }
            switch change.operation {
            case .delete: mirror.removeAll(where: isMeant)
            case .update: mirror = mirror.map { isMeant($0) ? Element(id: $0.id, text: text) : $0 }
            case .insert(let at): mirror.insert(Element(id: Int(change.id), text: text), at: min(at, mirror.count))
            }
        }
        if mirror.map(\.text) != plain.map(\.text) {
            problem = "step \(step): an observer has \(Self.text(mirror)) instead of \(Self.text(plain)) after \(changes)"
        }
    }
}
