import PipelineJSON
import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline
@testable import PipelineComposing

/// A whole on a disk is compared with its parts when it is read: another process may have changed them, or an earlier one.
@Suite struct KeptWholeTests {
    /// A disk for each pipeline, which processes share; each process has origins of its own that count their calls.
    private struct Machine {
        let time = ManualClock()
        let stores = ["home": SharedStore(), "inner": SharedStore(), "a": SharedStore(), "b": SharedStore()]
        /// The pipelines without a disk.
        var withoutDisk: Set<String> = []
        var memory: Set<String> = []
        var combine = CompositeSpec(.object([("a", "a"), ("b", PartSpec("b", optional: true))]))
        var inner = CompositeSpec(.object([("b", "b")]))
        var policy = PipelinePolicy()
        var style = ReadStyle.suspending

        func process(_ a: String = "1", b: StubAnswer = "2") throws -> Process { try Process(self, a, b) }
    }

    private struct Process {
        let pipelines: Pipelines
        let disks: [String: StubSource]
        let origins: [String: StubOrigin]

        init(_ machine: Machine, _ a: String, _ b: StubAnswer) throws {
            let clock = machine.time.clock
            var disks: [String: StubSource] = [:]
            for (name, store) in machine.stores { disks[name] = StubSource("disk", clock: clock, sharing: store) }
            origins = [
                "a": StubOrigin("a", clock: clock, answering: .value(a)), "b": StubOrigin("b", clock: clock, answering: b),
            ]
            self.disks = disks
            func caches(of name: String, ttl: Duration) -> [TierSpec] {
                var tiers: [TierSpec] = []
                if machine.memory.contains(name) {
                    let memory = SourceSpec("memory_of_\(name)", MemorySource(), capabilities: [.keepsNotFound, .keepsMetadata])
                    tiers.append(TierSpec(memory, ttl: ttl * 2))
                }
                if let disk = disks[name], !machine.withoutDisk.contains(name) {
                    let source: any WritableSource = machine.style == .onThread ? StubReading.onThread.source(disk) : disk
                    tiers.append(TierSpec(SourceSpec("disk_of_\(name)", source, capabilities: [.keepsNotFound, .keepsMetadata]), ttl: ttl))
                }
                return tiers
            }
            let parts = origins.sorted { $0.key < $1.key }.map { name, origin in
                var spec = PipelineSpec(name, tiers: caches(of: name, ttl: .seconds(60)) + [TierSpec(SourceSpec(name, origin))])
                spec.policy.notFoundTTL = .seconds(60)
                return spec
            }
            var home = PipelineSpec("home", combine: machine.combine, tiers: caches(of: "home", ttl: .seconds(600)))
            home.policy = machine.policy
            let inner = PipelineSpec("inner", combine: machine.inner, tiers: caches(of: "inner", ttl: .seconds(600)))
            pipelines = try Pipelines(parts + [home, inner], clock: clock)
        }

        func pipeline(_ name: String = "home") throws -> DataPipeline { try pipelines.pipeline(named: name) }

        /// Fetches, and waits for the writes.
        @discardableResult
        func fetch(_ name: String = "home", policy: FetchPolicy = .default) async throws -> Outcome {
            let outcome = try await pipeline(name).fetch(policy: policy)
            await pipelines.flush()
            return outcome
        }

        func put(_ text: String, in name: String = "a") async throws {
            let pipeline = try pipeline(name)
            _ = try await pipeline.put(Array(text.utf8), for: pipeline.key())
            await pipelines.flush()
        }

        func remove(_ name: String) async throws {
            let pipeline = try pipeline(name)
            _ = try await pipeline.remove(pipeline.key())
        }
    }

    @Test(arguments: [ReadStyle.suspending, .onThread])
    func `KO-16 a whole that another process kept is served while its parts are what it was made from`(_ style: ReadStyle) async throws {
        var machine = Machine()
        machine.style = style
        try await machine.process().fetch()
        let later = try machine.process("never", b: "never")

        let outcome = try await later.fetch()

        #expect(outcome.text == #"{"a":1,"b":2}"#)
        #expect(outcome.trace == "disk_of_home: hit")
        #expect(later.origins.values.allSatisfy { $0.calls.isEmpty })
    }

    @Test(arguments: [ReadStyle.suspending, .onThread], ["put", "remove", "refresh"])
    func `KO-16 a part that another process changed has the whole assembled again`(_ style: ReadStyle, _ change: String) async throws {
        var machine = Machine()
        machine.style = style
        try await machine.process().fetch()
        let another = try machine.process("5")
        switch change {
        case "put": try await another.put("5")
        case "remove": try await another.remove("a")
        default: try await another.fetch("a", policy: .refresh)
        }

        let outcome = try await machine.process("5").fetch()

        #expect(outcome.text == #"{"a":5,"b":2}"#)
        #expect(outcome.trace == "disk_of_home: expired, combine: hit")
        #expect(outcome.attempts.first?.reason == "`a` has changed since")
        #expect(try await machine.process("never").fetch().trace == "disk_of_home: hit")
    }

    @Test func `a whole that is read from a disk is expired by later changes here, also in memory`() async throws {
        var machine = Machine()
        machine.memory = ["home"]
        try await machine.process().fetch()
        let later = try machine.process()
        #expect(try await later.fetch().trace == "memory_of_home: miss, disk_of_home: hit")
        #expect(try await later.fetch().trace == "memory_of_home: hit")

        try await later.put("5")

        let outcome = try await later.fetch()
        #expect(outcome.text == #"{"a":5,"b":2}"#)
    }

    @Test func `KO-16 a change within a composite within it counts, with a copy of that and without one`() async throws {
        for withoutDisk in [["inner"], []] as [Set<String>] {
            var machine = Machine()
            machine.combine = CompositeSpec(.object([("a", "a"), ("inner", "inner")]))
            machine.withoutDisk = withoutDisk
            try await machine.process().fetch()
            #expect(try await machine.process("never", b: "never").fetch().trace == "disk_of_home: hit")
            try await machine.process().put("7", in: "b")

            let outcome = try await machine.process().fetch()

            #expect(outcome.text == #"{"a":1,"inner":{"b":7}}"#)
        }
    }

    @Test func `a part that was not there counts as changed when it is`() async throws {
        let machine = Machine()
        try await machine.process(b: .notFound).fetch()
        let unchanged = try await machine.process(b: .notFound).fetch()
        #expect(unchanged.trace == "disk_of_home: hit" && unchanged.text == #"{"a":1}"#)

        try await machine.process().put("7", in: "b")

        #expect(try await machine.process().fetch().text == #"{"a":1,"b":7}"#)
    }

    @Test func `a copy of a part that has expired says what it was`() async throws {
        var machine = Machine()
        machine.memory = ["a", "b"]
        try await machine.process().fetch()
        // The disks' copies of the parts are over, the memory of that process would have them still.
        machine.time.advance(by: .seconds(70))

        #expect(try await machine.process("never", b: "never").fetch().trace == "disk_of_home: hit")
    }

    @Test func `where the parts have only memory, a change in the process that reads the whole counts`() async throws {
        var machine = Machine()
        (machine.memory, machine.withoutDisk) = (["a", "b"], ["a", "b"])
        try await machine.process().fetch()
        #expect(try await machine.process("never").fetch().trace == "disk_of_home: hit")
        let later = try machine.process()

        try await later.put("5")

        #expect(try await later.fetch().text == #"{"a":5,"b":2}"#)
    }

    @Test func `where the parts have only memory, a refresh that brings other bytes counts`() async throws {
        var machine = Machine()
        (machine.memory, machine.withoutDisk) = (["a", "b"], ["a", "b"])
        try await machine.process().fetch()

        try await machine.process().fetch("a", policy: .refresh)
        #expect(try await machine.process("never").fetch().trace == "disk_of_home: hit")
        let later = try machine.process("3")
        try await later.fetch("a", policy: .refresh)

        #expect(try await later.fetch().text == #"{"a":3,"b":2}"#)
    }

    @Test func `a stale window serves what was made from other parts, when those cannot be loaded`() async throws {
        var machine = Machine()
        machine.policy.staleIfError = .seconds(600)
        try await machine.process().fetch()
        try await machine.process().remove("a")
        let later = try machine.process()
        later.origins["a"]?.answers(.error())

        let outcome = try await later.fetch()

        #expect(outcome.isStale && outcome.text == #"{"a":1,"b":2}"#)
    }

    @Test func `a cache of a part that fails costs the copy of the whole, and no more`() async throws {
        let machine = Machine()
        try await machine.process().fetch()
        let later = try machine.process()
        later.disks["a"]?.fail(.reads, with: SourceError("unplugged"))

        let outcome = try await later.fetch()

        #expect(outcome.text == #"{"a":1,"b":2}"#)
        #expect(outcome.trace == "disk_of_home: expired, combine: hit")
        #expect(outcome.attempts.first?.reason == "`a` cannot be compared: its caches have failed")
    }

    @Test func `several wholes that a cache reads with one call are compared, each with its parts`() async throws {
        let time = ManualClock()
        let (pages, values) = (SharedStore(), SharedStore())
        func process(_ a: String) throws -> (pipelines: Pipelines, cache: BatchCache) {
            let cache = BatchCache(StubSource("pages", clock: time.clock, sharing: pages))
            let disk = SourceSpec("values", StubSource("values", clock: time.clock, sharing: values), capabilities: [.keepsMetadata])
            let origin = SourceSpec("a", StubOrigin("a", clock: time.clock, answering: .value(a)))
            let part = PipelineSpec("a", parameters: [ParameterSpec("id")], tiers: [TierSpec(disk, ttl: .seconds(60)), TierSpec(origin)])
            let page = PipelineSpec(
                "page", parameters: [ParameterSpec("id")], combine: CompositeSpec(.object([("a", "a")])),
                tiers: [TierSpec(SourceSpec("pages", cache, capabilities: [.keepsMetadata]), ttl: .seconds(60))])
            return (try Pipelines([part, page], clock: time.clock), cache)
        }
        func fetch(_ pipelines: Pipelines) async throws -> [String?] {
            let page = try pipelines.pipeline(named: "page")
            let outcomes = try await page.fetch(many: ["1", "2"].map { try page.key(["id": $0]) })
            await pipelines.flush()
            return outcomes.map(\.text)
        }
        #expect(try await fetch(process("1").pipelines) == [#"{"a":1}"#, #"{"a":1}"#])
        let another = try process("never").pipelines
        let a = try another.pipeline(named: "a")
        _ = try await a.put(Array("5".utf8), for: a.key(["id": "2"]))
        await another.flush()

        let later = try process("never")

        #expect(try await fetch(later.pipelines) == [#"{"a":1}"#, #"{"a":5}"#])
        #expect(later.cache.calls.first == ["1", "2"])
    }

    @Test func `a whole that was put is not compared with anything`() async throws {
        let machine = Machine()
        try await machine.process().put(#"{"by":"hand"}"#, in: "home")
        try await machine.process().put("5")

        #expect(try await machine.process().fetch().text == #"{"by":"hand"}"#)
    }

    @Test func `a copy that says what it was made from in words that are none is not served`() async throws {
        let machine = Machine()
        let first = try machine.process()
        try await first.fetch()
        let key = Key(pipeline: "home")
        let copy = try #require(first.disks["home"]?[key])
        for text in ["", "a", "a@", "@1", "a@xyz", "a@1,b@2", "b=%@1", String(repeating: "a@1 ", count: 10_000) + "\u{0}"] {
            first.disks["home"]?.hold(copy.varying(as: text), for: key)
            let outcome = try await machine.process().fetch()
            #expect(outcome.text == #"{"a":1,"b":2}"#, "\(text.prefix(20))")
            #expect(outcome.attempts.first?.reason == "it does not say what it was made from", "\(text.prefix(20))")
        }
    }

    @Test(.timeLimit(.minutes(15))) func `a copy that names the whole itself, or what it is not made from, is not served`() async throws {
        let machine = Machine()
        let first = try machine.process()
        try await first.fetch()
        let key = Key(pipeline: "home")
        let copy = try #require(first.disks["home"]?[key])
        let many = (0..<10_001).map { "a,n=\($0)@-" }.joined(separator: " ")
        let long = (0..<5_000).map { "a,n=\(String(repeating: "x", count: 60))\($0)@-" }.joined(separator: " ")
        let texts = [
            ("home@1", "it is not made from `home` any more"), ("a@1 home@1", "it is not made from `home` any more"),
            ("inner@1", "it is not made from `inner` any more"), ("nobody@1", "there is no pipeline `nobody` any more"),
            (many, "it names more values than a copy can name"), (long, "it names more values than a copy can name"),
        ]
        for (text, reason) in texts {
            first.disks["home"]?.hold(copy.varying(as: text), for: key)
            let later = try machine.process()

            let outcome = try await later.fetch()

            #expect(outcome.text == #"{"a":1,"b":2}"#)
            #expect(outcome.trace == "disk_of_home: expired, combine: hit")
            #expect(outcome.attempts.first?.reason == reason)
            // Those that the whole is made from now, once each.
            #expect(later.disks["inner"]?.readCount == 0 && later.disks["a"]?.readCount == 1)
            #expect(later.origins.values.allSatisfy { $0.calls.isEmpty })
        }
    }

    @Test(.timeLimit(.minutes(15))) func `what was a composite before the file was read again leads to no other pipelines`() async throws {
        let time = ManualClock()
        let disk = SourceSpec("disk", StubSource("disk", clock: time.clock), capabilities: [.keepsMetadata])
        let origin = TierSpec(SourceSpec("origin", StubOrigin("origin", clock: time.clock, answering: .value("1"))))
        func whole(_ name: String, of part: String, _ tiers: [TierSpec] = []) -> PipelineSpec {
            PipelineSpec(name, combine: CompositeSpec(.of(PartSpec(part))), tiers: tiers)
        }
        let home = whole("home", of: "b", [TierSpec(disk, ttl: .seconds(60))])
        let value = PipelineSpec("value", tiers: [origin])
        let before = try Pipelines([home, whole("b", of: "c"), whole("c", of: "value"), value], clock: time.clock)
        try await before.pipeline(named: "home").fetch().waitForWrites()

        let after = try before.succeeded(by: [home, PipelineSpec("b", tiers: [origin]), whole("c", of: "home"), value], keeping: ["value"])

        let outcome = try await after.pipeline(named: "home").fetch()
        #expect(outcome.attempts.first?.reason == "it is not made from `c` any more")
        #expect(try await after.pipeline(named: "c").fetch().text == "1")
    }

    @Test func `a whole knows the pipelines within the composites that it is made from`() async throws {
        var machine = Machine()
        machine.combine = CompositeSpec(.object([("a", "a"), ("inner", "inner")]))
        let first = try machine.process()
        try await first.fetch()
        let key = Key(pipeline: "home")
        let copy = try #require(first.disks["home"]?[key])
        #expect(copy.variant?.contains("b@") == true)

        #expect(try await machine.process("never", b: "never").fetch().trace == "disk_of_home: hit")
    }

    @Test(arguments: [4_000, 10_001]) func `a whole that is made from more than a copy can name is not kept`(count: Int) throws {
        let index = WholeIndex()
        func end(isListed: Bool) -> WholeIndex.Ending {
            let assembly = index.assembly(of: Key(pipeline: "home"))
            for number in 0..<count {
                // The shorter ones are too many, and the longer ones too long.
                let id = String(repeating: "x", count: count > 10_000 ? 1 : 80)
                let part = Key(pipeline: "user", parameters: ["id": "\(id)\(number)"])
                assembly.asks(part)
                assembly.uses(part, .bytes(count > 10_000 ? 1 : .max))
            }
            return assembly.end(isListed: isListed)
        }

        let listed = end(isListed: true)
        #expect(listed.notKept == "it is made from \(count) values, and a copy cannot name so many")
        #expect(listed.madeFrom == nil && index.count == 0)
        // Caches that end with the process name nothing.
        #expect(end(isListed: false).notKept == nil && index.count == 1)
    }

    @Test func `a whole of many targets is not written to a cache that cannot name them, and the old copy is over`() async throws {
        let screen = Combination()
        let disk = StubSource("disk", clock: screen.time.clock)
        func list(_ ids: Range<Int>) -> String {
            "[" + ids.map { #"{"id":"\#(String(repeating: "x", count: 1_000))\#($0)"}"# }.joined(separator: ",") + "]"
        }
        let link = LinkSpec("user", at: try JSONPath("$[*].id"), pipeline: "user")
        screen.part("list", .value(list(0..<1)), links: [link])
        screen.part("user", "1", parameters: ["id"])
        var combine = CompositeSpec(.of(PartSpec("list", follow: ["user"])))
        combine.max = 10_000
        screen.whole(combine) { spec in
            spec.tiers.append(TierSpec(SourceSpec("disk", disk, capabilities: [.keepsMetadata]), ttl: .seconds(300)))
        }
        try await screen.fetch().waitForWrites()
        #expect(disk[Key(pipeline: "home")] != nil)
        screen["list"].answers(.value(list(0..<300)))

        let outcome = try await screen.fetch(policy: .refresh)
        try await outcome.waitForWrites()
        try await screen.pipelines.flush()

        #expect(outcome.writes.first?.outcome == .skipped)
        #expect(outcome.writes.first?.reason == "it is made from 301 values, and a copy cannot name so many")
        let limit = try #require(disk[Key(pipeline: "home")]?.freshUntil)
        #expect(limit <= screen.time.clock.now)
    }

    @Test(arguments: [true, false]) func `a whole from a cache tells what was not there when it was made`(isOnDisk: Bool) async throws {
        let screen = Combination()
        let disk = StubSource("disk", clock: screen.time.clock)
        let link = LinkSpec("user", at: try JSONPath("$[*].id"), pipeline: "user")
        screen.part("list", #"[{"id":1},{"id":9}]"#, links: [link])
        screen.part("user", parameters: ["id"], ttl: .seconds(60)) { $0.policy.notFoundTTL = .seconds(60) }
        screen["user"].answers { $0["id"] == "9" ? .notFound : "1" }
        screen.whole(CompositeSpec(.of(PartSpec("list", follow: ["user"]))), ttl: isOnDisk ? nil : .seconds(300)) { spec in
            if isOnDisk { spec.tiers.insert(TierSpec(SourceSpec("disk", disk, capabilities: [.keepsMetadata]), ttl: .seconds(300)), at: 0) }
        }
        screen.whole(CompositeSpec(.object([("inner", "home")])), named: "outer")
        let made = try await screen.fetch()
        try await made.waitForWrites()
        try await screen.pipelines.flush()

        let kept = try await screen.fetch()
        let outer = try await screen.fetch("outer")

        #expect(kept.text == #"[{"id":1,"user":1},{"id":9,"user":null}]"#)
        #expect(kept.trace == (isOnDisk ? "disk: hit" : "memory_of_home: hit"))
        #expect(made.missing == [MissingTarget(at: "/1/user", pipeline: "user", id: "9")])
        #expect(kept.missing == made.missing && kept.isComplete && kept.parts.isEmpty)
        #expect(outer.missing.map(\.at) == ["/inner/1/user"])
    }

    @Test func `what was missing is told before what a whole was made from, and read back`() throws {
        let missing = [MissingTarget(at: "/a b/0", pipeline: "é?", id: "9@x"), MissingTarget(at: "/c", pipeline: "p", id: "")]
        let text = MadeFrom([Key(pipeline: "a"): .absent], missing: missing).text

        #expect(text == "?%2Fa%20b%2F0?%C3%A9%3F?9%40x ?%2Fc?p? a@-")
        let known = try #require(MadeFrom(text: text))
        #expect(known.missing == missing && known.parts.map(\.key) == [Key(pipeline: "a")])
        #expect(MadeFrom.missing(in: MadeFrom([:], missing: missing).text) == missing)
        for other in ["", "a@-", "?x a@-", "?%2?p?9 a@-"] { #expect(MadeFrom.missing(in: other) == []) }
    }

    @Test func `a whole that lacks more ids than a copy can name is not kept`() throws {
        let index = WholeIndex()
        let missing = (0..<3_000).map { MissingTarget(at: "/list/\($0)/user", pipeline: "user", id: String(repeating: "x", count: 80)) }
        func end(_ missing: [MissingTarget]) -> WholeIndex.Ending {
            let assembly = index.assembly(of: Key(pipeline: "home"))
            assembly.asks(Key(pipeline: "list"))
            assembly.uses(Key(pipeline: "list"), .bytes(1))
            return assembly.end(missing: missing)
        }

        #expect(end(missing).notKept == MadeFrom.tooMany && index.count == 0)
        let few = end(Array(missing.prefix(1)))
        #expect(few.notKept == nil && few.madeFrom?.parts.isEmpty == true && few.madeFrom?.missing.count == 1)
    }

    @Test func `what a whole was made from is told in the order of the keys and read back`() throws {
        let parts: [Key: WholeIndex.Trait] = [
            Key(pipeline: "b", parameters: ["id": "a b@c,%"]): .bytes(.max), Key(pipeline: "a"): .absent, Key(pipeline: "é"): .bytes(0),
        ]
        let text = MadeFrom(parts).text

        #expect(text == "%C3%A9@0 a@- b,id=a%20b%40c%2C%25@ffffffffffffffff")
        let known = try #require(MadeFrom(text: text)).parts
        #expect(Dictionary(uniqueKeysWithValues: known.map { ($0.key, $0.trait) }) == parts)
    }
}
