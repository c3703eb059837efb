import Foundation
import PipelineFoundation
import PipelineLive
import Synchronization
import Testing

@testable import Pipeline

@Suite struct TypedSnapshotTests {
    struct Friend: Codable, Equatable {
        let id: Int
        let name: String
    }

    private static func sequence(_ snapshots: Snapshot...) -> AsyncStream<Snapshot> {
        AsyncStream { continuation in
            for snapshot in snapshots { continuation.yield(snapshot) }
            continuation.finish()
        }
    }

    private static func all<Element>(_ sequence: some AsyncSequence<Element, Never>) async -> [Element] {
        var elements: [Element] = []
        for await element in sequence { elements.append(element) }
        return elements
    }

    private static let ada = #"{"id":1,"name":"Ada"}"#
    private static let adele = #"{"id":1,"name":"Adele"}"#

    @Test func `a snapshot gives its value, nil without one, and the reason why there is none`() throws {
        #expect(try Snapshot.made(1, "[\(Self.ada)]").value(as: [Friend].self) == [Friend(id: 1, name: "Ada")])
        #expect(try Snapshot.made(0, nil, isLoading: true).value(as: [Friend].self) == nil)
        #expect(throws: DecodingError.self) { try Snapshot.made(1, "{}").value(as: [Friend].self) }
        #expect(throws: LoadError.self) { try Snapshot.made(0, nil, error: .made).value(as: [Friend].self) }
    }

    @Test func `a value whose refresh failed is still the value`() throws {
        let snapshot = Snapshot.made(1, "[\(Self.ada)]", error: .made)

        #expect(try snapshot.value(as: [Friend].self) == [Friend(id: 1, name: "Ada")])
    }

    @Test func `values come with their status, and are decoded once for all changes of it`() async {
        let counter = Counted()

        let values = await Self.all(
            Self.sequence(
                Snapshot.made(0, nil, isLoading: true), Snapshot.made(1, "[1]"),
                Snapshot.made(1, "[1]", changes: .none, error: .made),
                Snapshot.made(2, "[2]"), Snapshot.made(3, nil)
            ).values(as: [CountedNumber].self, decoder: counter.decoder))

        #expect(values.map { $0.value?.map(\.number) } == [nil, [1], [1], [2], nil])
        #expect(values.map(\.status.isLoading) == [true, false, false, false, false])
        #expect(values.map { $0.error is LoadError } == [false, false, true, false, false])
        #expect(counter.count == 2)
    }

    @Test func `a value that does not decode is an error, keeps the value before it, and ends nothing`() async {
        let values = await Self.all(
            Self.sequence(Snapshot.made(1, "[1]"), Snapshot.made(2, "{}"), Snapshot.made(3, "[3]")).values(as: [Int].self))

        #expect(values.map(\.value) == [[1], [1], [3]])
        #expect(values.map { $0.error is DecodingError } == [false, true, false])
    }

    @Test func `an equal revision with a changed value is decoded again`() async {
        let values = await Self.all(Self.sequence(Snapshot.made(1, "[1]"), Snapshot.made(1, "[2]")).values(as: [Int].self))

        #expect(values.map(\.value) == [[1], [2]])
    }

    @Test func `the changes of a part are told only when it differs, the first value from nil`() async {
        let changes = await Self.all(
            Self.sequence(
                Snapshot.made(0, nil, isLoading: true), Snapshot.made(1, "[1]"), Snapshot.made(2, "[2]"),
                Snapshot.made(2, "[2]", changes: .none, error: .made), Snapshot.made(3, "{}"), Snapshot.made(4, "[1,2]"),
                Snapshot.made(5, nil)
            ).values(as: [Int].self).changes(of: \.count))

        #expect(changes == [ValueChange(old: nil, new: 1), ValueChange(old: 1, new: 2), ValueChange(old: 2, new: nil)])
    }

    @Test func `one element is followed by its id, without equal neighbours, until it is gone and when it is back`() async {
        let elements = await Self.all(
            Self.sequence(
                Snapshot.made(0, nil, isLoading: true), Snapshot.made(1, "", elements: ["1": Self.ada]),
                Snapshot.made(2, "", elements: ["1": Self.ada, "2": "{}"]), Snapshot.made(3, "", elements: ["1": Self.adele]),
                Snapshot.made(4, ""), Snapshot.made(5, "", elements: ["1": Self.adele])
            ).element("1", as: Friend.self))

        #expect(elements.map { $0.value?.name } == [nil, "Ada", "Adele", nil, "Adele"])
        #expect(elements.map(\.status.isLoading) == [true, false, false, false, false])
    }

    @Test func `an element comes again when the status changes, and its parts have changes, too`() async {
        let snapshots = [
            Snapshot.made(1, "", elements: ["1": Self.ada]), Snapshot.made(1, "", elements: ["1": Self.ada], error: .made),
            Snapshot.made(2, "", elements: ["1": Self.adele]),
        ]

        let elements = await Self.all(Self.sequence(snapshots[0], snapshots[1], snapshots[2]).element("1", as: Friend.self))
        let names = await Self.all(
            Self.sequence(snapshots[0], snapshots[1], snapshots[2]).element("1", as: Friend.self).changes(of: \.name))

        #expect(elements.map { $0.error == nil } == [true, false, true])
        #expect(names == [ValueChange(old: nil, new: "Ada"), ValueChange(old: "Ada", new: "Adele")])
    }

    @Test func `each iterator begins anew`() async throws {
        let parts = Self.sequence(Snapshot.made(1, "[1]"), Snapshot.made(2, "[2,3]")).values(as: [Int].self).changes(of: \.count)
        var first = parts.makeAsyncIterator()
        var second = parts.makeAsyncIterator()

        #expect(try await first.next()?.old == nil)
        #expect(try await second.next()?.old == nil)
    }
}

/// Counts how often a ``CountedNumber`` is decoded.
private final class Counted: Sendable {
    static let info = CodingUserInfoKey(rawValue: "counted")
    private let times = Mutex(0)

    var count: Int { times.withLock { $0 } }

    var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        if let info = Self.info { decoder.userInfo[info] = self }
        return decoder
    }

    func note() { times.withLock { $0 += 1 } }
}

private struct CountedNumber: Decodable, Sendable {
    let number: Int

    init(from decoder: any Decoder) throws {
        if let info = Counted.info { (decoder.userInfo[info] as? Counted)?.note() }
        number = try decoder.singleValueContainer().decode(Int.self)
    }
}
