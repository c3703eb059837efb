import Pipeline
import PipelineJSON
import Testing

@testable import PipelineSending

/// `coalesce` and `debounce`.
@Suite struct JoiningTests {
    private var scene = MachineScene()
    private let last = SendRules.rules { $0.replacesUntried = true }
    private let quiet = SendRules.rules { ($0.debounce, $0.maxDelay) = (.seconds(2), .seconds(20)) }

    @Test mutating func `SD-18 five of one target with one of another kind after the third are three requests`() {
        for number in 1...3 { scene.take(Int64(number), "save", of: "x", by: last) }
        scene.take(4, "delete", of: "x")
        for number in 5...6 { scene.take(Int64(number), "save", of: "x", by: last) }

        let steps = scene.advance()

        #expect(
            steps == [
                "1 merged: send 2 took its place", "2 merged: send 3 took its place", "5 merged: send 6 took its place", "3 sending",
                "ask 3",
            ])
        #expect(scene.machine.rows.map(\.number) == [3, 4, 6])
    }

    @Test mutating func `SD-18 one that was tried is never merged`() {
        scene.take(1, "save", of: "x", by: last)
        scene.advance()
        scene.take(2, "save", of: "x", by: last)
        scene.answer(1, 503)

        scene.take(3, "save", of: "x", by: last)

        #expect(scene.advance() == ["2 merged: send 3 took its place"])
        #expect(scene.machine.rows.map(\.number) == [1, 3])
    }

    @Test mutating func `another item, another name, and one without the rule take no place`() {
        scene.take(1, "save", of: "x", by: last)
        scene.take(2, "save", of: "y", by: last)
        scene.take(3, "store", of: "x", by: last)
        scene.take(4, "save", of: "x")

        #expect(scene.advance() == ["1 sending", "ask 1"])
    }

    @Test mutating func `sends that were taken in while another process delivered are merged once this one does`() {
        scene = MachineScene(isDelivering: false)
        scene.take(1, of: "x", by: last)
        scene.take(2, of: "x", by: last)

        scene.machine.isDelivering = true

        #expect(scene.advance() == ["1 merged: send 2 took its place", "2 sending", "ask 2"])
    }

    @Test mutating func `two patches become the one that says both, and stay two where none does`() {
        scene.take(1, of: "x", by: last, saying: #"{"a":1,"b":{"c":1}}"#, isPatch: true)
        scene.take(2, of: "x", by: last, saying: #"{"b":{"d":2}}"#, isPatch: true)
        scene.take(3, of: "x", by: last, saying: #"{"a":{"e":3}}"#, isPatch: true)

        let steps = scene.advance()

        #expect(steps == ["1 merged: send 2 took its place", "2 waiting", "2 sending", "ask 2"])
        #expect(scene.row(2)?.payload == Array(#"{"a":1,"b":{"c":1,"d":2}}"#.utf8))
        #expect(scene.row(3)?.payload == Array(#"{"a":{"e":3}}"#.utf8))
    }

    @Test(
        arguments: [
            (#"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#),
            (#"{"a":1}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#),
            (#"{"a":{"b":1}}"#, #"{"a":{"c":2}}"#, #"{"a":{"b":1,"c":2}}"#),
            (#"{"a":{"b":1}}"#, #"{"a":null}"#, #"{"a":null}"#),
            (#"{"a":null}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
            (#"{"a":1}"#, #"{"a":{"b":1}}"#, nil),
            (#"{"a":null}"#, #"{"a":{"b":1}}"#, nil),
            (#"{"a":{"b":[]}}"#, #"{"a":{"b":{}}}"#, nil),
            (#"{"a":1}"#, #""text""#, #""text""#),
            (#"[1]"#, #"{"a":1}"#, nil),
            (#"{"a":1,"a":2}"#, #"{"b":3}"#, #"{"a":2,"b":3}"#),
            (#"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#),
        ] as [(String, String, String?)])
    func `SD-18 two patches as one`(first: String, second: String, both: String?) {
        let patch = JoinedPatch.of(Array(first.utf8), Array(second.utf8))

        #expect(patch.map { String(decoding: $0, as: UTF8.self) } == both)
        guard let patch else { return }
        for target in [#"{}"#, #"{"a":{"b":0,"z":0},"b":0}"#, #"{"a":0,"q":{"r":1}}"#, "[]"] {
            let apart = JSONMergePatch.apply(Array(second.utf8), to: JSONMergePatch.apply(Array(first.utf8), to: Array(target.utf8)))
            #expect(members(of: JSONMergePatch.apply(patch, to: Array(target.utf8))) == members(of: apart))
        }
    }

    private func members(of bytes: [UInt8]) -> Set<String> {
        let parts = JSONScanner.parts(of: bytes)?.parts ?? []
        return Set(parts.map { String(decoding: bytes[($0.name ?? $0.value).lowerBound..<$0.value.upperBound], as: UTF8.self) })
    }

    @Test mutating func `a quiet time begins anew with each send of the same kind, arguments and target`() {
        scene.take(1, in: ["a"], of: "x", by: quiet)
        scene.pass(.seconds(1))
        #expect(scene.asked() == [])
        #expect(scene.wake == .seconds(1))
        scene.take(2, in: ["b"], of: "x", by: quiet)
        scene.take(3, in: ["c"], of: "y", by: quiet)

        #expect(scene.asked() == [])
        #expect(scene.wake == .seconds(2))

        scene.pass(.seconds(2))
        #expect(scene.asked() == [1, 2, 3])
    }

    @Test mutating func `the first send waits for max_delay at most, also when later ones take its place`() {
        var rules = quiet
        (rules.replacesUntried, rules.maxDelay) = (true, .seconds(5))
        for number in 1...4 {
            scene.take(Int64(number), of: "x", by: rules)
            #expect(scene.asked() == [])
            scene.pass(.milliseconds(1_500))
        }

        #expect(scene.asked() == [4])
        #expect(scene.machine.rows.map(\.number) == [4])
    }

    @Test mutating func `without a merge the first send waits for max_delay at most`() {
        var rules = quiet
        rules.maxDelay = .seconds(3)
        for number in 1...3 {
            scene.take(Int64(number), of: "x", by: rules)
            #expect(scene.asked() == [])
            scene.pass(.milliseconds(1_200))
        }

        #expect(scene.asked() == [1])
    }

    @Test mutating func `flush ends a quiet time, and another file does not`() {
        scene.take(1, of: "x", by: quiet)
        let place = scene.place(1)

        _ = scene.machine.declare(at: scene.now) { _ in place }
        #expect(scene.asked() == [])
        scene.machine.endPauses()

        #expect(scene.asked() == [1])
    }

    @Test mutating func `one that was tried has no quiet time any more`() {
        scene.take(1, of: "x", by: quiet)
        scene.pass(.seconds(2))
        scene.advance()
        scene.answer(1, 503)

        scene.take(2, of: "x", by: quiet)
        scene.pass(.milliseconds(500))

        #expect(scene.asked() == [1])
    }

    @Test mutating func `SD-23 no clock makes a quiet time longer`() {
        let row = SendRow(number: 1, id: "s1", name: "edit", arguments: [:], payload: [], owner: "", taken: scene.now + .seconds(172_800))
        scene.note(row, at: SendPlace(quiet, to: "origin", lanes: ["a"], likeness: "x"))

        #expect(scene.asked() == [])
        #expect(scene.wake == .seconds(2))
    }
}
