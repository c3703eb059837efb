import Pipeline
import Testing

@testable import SourcesMemory

@Suite struct MemoryStoreTests {
    private let now = Timestamp(nanoseconds: 1_000)

    private func key(_ number: Int) -> Key { Key(pipeline: "p", parameters: ["id": "\(number)"]) }

    @Test func `entries come out as they went in, also of more origins than have a number`() async throws {
        let memory = MemorySource(maxEntries: 1_000, seed: 1)
        func entry(_ number: Int, _ source: String?) -> Entry {
            Entry(
                [UInt8(truncatingIfNeeded: number)], created: now, stored: number % 3 == 0 ? nil : now + .seconds(number),
                freshUntil: number % 2 == 0 ? nil : now + .seconds(2 * number), etag: number % 5 == 0 ? "\"\(number)\"" : nil,
                source: source)
        }
        for number in 0..<600 {
            try await memory.write(entry(number, number % 7 == 0 ? nil : "origin \(number % 300)"), for: key(number))
        }
        // Every other entry is from another origin now.
        for number in stride(from: 0, to: 600, by: 2) { try await memory.write(entry(number, "again \(number)"), for: key(number)) }

        for number in 0..<600 {
            let source = number % 2 == 0 ? "again \(number)" : number % 7 == 0 ? nil : "origin \(number % 300)"
            #expect(memory.peek(key(number)) == entry(number, source))
        }
        #expect(memory.peek(key(600)) == nil)
    }

    @Test func `the key of a text is found with its entry, as long as it is there`() async throws {
        let memory = MemorySource(maxEntries: 100, seed: 1)
        func found(_ number: Int) -> HeldCopy? {
            let asked = key(number)
            return Array(asked.text.utf8).withUnsafeBufferPointer { memory.peek(text: $0.span, hash: asked.hash) }
        }
        for number in 0..<50 { try await memory.write(Entry([UInt8(number)], created: now, source: "api"), for: key(number)) }

        for _ in 0..<5 {
            for number in 0..<50 {
                #expect(found(number)?.key == key(number))
                #expect(found(number)?.entry == Entry([UInt8(number)], created: now, source: "api"))
            }
            #expect(found(50) == nil)
        }
        // A view has been given by now; the removal takes it back.
        for _ in 0..<200 { #expect(found(7) != nil) }
        try await memory.remove(key(7))
        #expect(found(7) == nil)
    }
}
