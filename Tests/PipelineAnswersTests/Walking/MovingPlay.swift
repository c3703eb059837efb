import Pipeline
import PipelineAnswers
import PipelineJSON
import TestSupport

/// A walk by offset over a list that changes between its requests.
struct MovingPlay: Replayable, CustomStringConvertible {
    /// A change of the list behind a request.
    struct Step: Sendable, CustomStringConvertible {
        enum Kind: Sendable, CaseIterable { case insert, remove, update }

        let request: Int
        let kind: Kind
        /// Where, as a part of the list.
        let place: Double

        var description: String { "\(kind) at \(place) behind \(request)" }
    }

    /// What a walk came to.
    struct Result {
        var requests = 0
        var restarts = 0
        /// What should not be; nil if all is well.
        var problem: String?
        /// Indicates whether the walk was given up: that is told, and hides nothing.
        var isGivenUp = false
    }

    var steps: [Step]
    var count: Int
    let size: Int
    let overlap: Int

    /// - Parameter rate: how many changes there are for each request; nil for any from 0.01 to 1.
    static func random(seed: UInt64, overlap: Int = 1, size: Int? = nil, rate: Double? = nil) -> MovingPlay {
        var random = RandomGenerator.seeded(seed)
        let (rates, sizes): ([Double], [Int]) = ([0.01, 0.05, 0.2, 0.5, 1], [10, 30, 50, 100, 170])
        let rate = rate ?? rates[Int.random(in: rates.indices, using: &random)]
        let size = size ?? sizes[Int.random(in: sizes.indices, using: &random)]
        let steps: [Step] = (1...800).compactMap { request in
            guard Double.random(in: 0..<1, using: &random) < rate else { return nil }
            return Step(
                request: request, kind: Step.Kind.allCases.randomElement(using: &random) ?? .insert,
                place: Double.random(in: 0..<1, using: &random))
        }
        return MovingPlay(steps: steps, count: 1_000, size: size, overlap: overlap)
    }

    var simpler: [MovingPlay] {
        guard count > 2 * size else { return [] }
        var copy = self
        copy.count = max(2 * size, count / 2)
        return [copy]
    }

    var description: String { "pages of \(size) of \(count) elements, \(overlap) again: \(steps)" }

    /// The result of the walk.
    var result: Result {
        var list = MovingList(count)
        let changes = Dictionary(grouping: steps, by: \.request)
        let rules = PageRules(
            next: .offset(0), to: .query("offset"), lists: [PageList(at: .whole, id: JSONPointer(tokens: ["id"]))], overlap: overlap,
            max: 10_000)
        var walk = Walk(rules, AnswerShape(), links: .tested(), limit: 1 << 30)
        var result = Result()
        while result.requests < 5_000 {
            guard case .query(_, let text) = walk.request.change, let offset = Int(text) else {
                result.problem = "no offset is asked for"
                return result
            }
            result.requests += 1
            let answer = list.answer(offset, size)
            for change in changes[result.requests] ?? [] { list.change(change.kind, change.place) }
            switch walk.take(answer, from: .tested, isValue: true) {
            case .ask: continue
            case .again:
                result.restarts += 1
                list.begin()
            case .done(let value):
                result.problem = list.problem(of: value)
                return result
            case .failed(let error):
                result.isGivenUp = error.reason.hasPrefix("the list changed while it was read")
                if !result.isGivenUp { result.problem = error.reason }
                return result
            case .confirmed, .notFound, .refused:
                result.problem = "the walk ended in another way"
                return result
            }
        }
        result.problem = "endless"
        return result
    }
}

/// The list at the server, and which of its elements must be in the value.
private struct MovingList {
    private var ids: [Int]
    private var next: Int
    private var versions: [Int: Int] = [:]
    /// The elements that are there since the walk began, in their order.
    private var stayed: Set<Int> = []
    /// The versions that were on a page.
    private var served: [Int: Set<Int>] = [:]

    init(_ count: Int) {
        ids = Array(0..<count)
        next = count
        begin()
    }

    mutating func begin() {
        stayed = Set(ids)
        served = [:]
    }

    mutating func answer(_ offset: Int, _ size: Int) -> Answer {
        let page = ids.dropFirst(offset).prefix(size)
        for id in page { served[id, default: []].insert(versions[id] ?? 0) }
        return Answer("[" + page.map { #"{"id":\#($0),"v":\#(versions[$0] ?? 0)}"# }.joined(separator: ",") + "]")
    }

    mutating func change(_ kind: MovingPlay.Step.Kind, _ place: Double) {
        let index = Int(place * Double(ids.count))
        switch kind {
        case .insert:
            ids.insert(next, at: index)
            next += 1
        case .remove: if !ids.isEmpty { stayed.remove(ids.remove(at: index)) }
        case .update: if !ids.isEmpty { versions[ids[index], default: 0] += 1 }
        }
    }

    func problem(of value: [UInt8]) -> String? {
        let pointers = [JSONPointer(tokens: ["id"]), JSONPointer(tokens: ["v"])]
        guard let places = try? JSONScanner.places(of: pointers.map { JSONPath(eachOf: .whole, $0) }, in: value) else { return "no list" }
        func numbers(_ places: JSONPlaces) -> [Int] { places.compactMap { Int(String(decoding: value[$0.range], as: UTF8.self)) } }
        let (found, versions) = (numbers(places[0]), numbers(places[1]))
        let all = Set(found)
        if all.count != found.count { return "an element is there twice" }
        let missing = stayed.subtracting(all)
        if !missing.isEmpty { return "\(missing.count) elements are missing that stayed: \(missing.sorted().prefix(5))" }
        let position = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        let order = found.filter(stayed.contains).compactMap { position[$0] }
        if zip(order, order.dropFirst()).contains(where: { $0 > $1 }) { return "elements that stayed are in another order" }
        for (id, version) in zip(found, versions) where served[id]?.contains(version) != true {
            return "element \(id) has bytes that were on no page"
        }
        return nil
    }
}
