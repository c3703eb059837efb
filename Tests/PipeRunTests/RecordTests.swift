import Foundation
import Pipeline
import PipelineSimulation
import PipelineTesting
import Synchronization
import Testing

@testable import PipelineServer

extension ServingTests {
    /// `serve --record` and `fetch --record`.
    @Suite struct RecordTests {
        private let recordedTiers = """
            sources:
              memory: { type: memory }
              flat: { type: file, path: 'flat/{user}', read_only: true }
            pipelines:
              friends: { parameters: [user], tiers: [memory, flat] }
            """
        private let friends = PipelineSpec("friends", parameters: ["user"], tiers: [])

        private func path(_ folder: WorkFolder, _ name: String) -> String { folder.url.appending(path: name).path }

        private func text(_ folder: WorkFolder, _ name: String = "trace.jsonl") throws -> String { try #require(folder.read(name)) }

        private func fetches(_ folder: WorkFolder, _ name: String = "trace.jsonl") throws -> [RecordedFetch] {
            try text(folder, name).split(separator: "\n").map { try #require(RecordedFetch(Array($0.utf8)[...])) }
        }

        @Test func `serve writes a line for each fetch, which is read as a trace`() async throws {
            let folder = try WorkFolder(recordedTiers)
            try folder.write("flat/a%20b", "[1]")
            _ = try await folder.serving("pipeline.yaml", "--record", "trace.jsonl") { server in
                for target in ["/friends?user=a%20b", "/friends?user=a%20b", "/friends?user=none", "/friends", "/-/health"] {
                    _ = try await server.get(target)
                }
            }

            let fetches = try fetches(folder)
            #expect(fetches.map(\.key) == ["friends,user=a%20b", "friends,user=a%20b", "friends,user=none"])
            #expect(fetches.map(\.outcome) == ["value", "value", "not_found"] && Set(fetches.map(\.policy)) == ["default"])
            let tiers = fetches.map { $0.tiers.map { "\($0.source) \($0.outcome)" }.joined(separator: ", ") }
            #expect(tiers.prefix(2) == ["memory miss, flat hit", "memory hit"])
            #expect(fetches.map(\.bytes) == [3, 3, nil])
            #expect(fetches[0].version != nil && fetches[0].version == fetches[1].version)
            let trace = try TraceReader(friends).read(path(folder, "trace.jsonl"))
            #expect(trace.requests.map(\.key) == [0, 0, 1] && trace.keys.map { $0["user"] } == ["a b", "none"])
        }

        @Test func `the version of a value has sixteen digits, zeros in front included`() async throws {
            let folder = try WorkFolder(recordedTiers)
            for user in 0..<100 { try folder.write("flat/\(user)", "[\(user)]") }
            _ = try await folder.serving("pipeline.yaml", "--record", "trace.jsonl") { server in
                for user in 0..<100 { _ = try await server.get("/friends?user=\(user)") }
            }

            let versions = try fetches(folder).compactMap(\.version)
            #expect(Set(versions).count == 100 && versions.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil }, "\(versions)")
        }

        @Test func `anonymous recordings have hashes, in a file of their own`() async throws {
            let folder = try WorkFolder(recordedTiers)
            try folder.write("flat/42", "[1]")
            for name in ["one", "two"] {
                _ = try await folder.serving("pipeline.yaml", "--record", name, "--anonymous") { server in
                    for user in ["42", "42", "43"] { _ = try await server.get("/friends?user=\(user)") }
                }
            }

            let (one, two) = (try fetches(folder, "one").map(\.key), try fetches(folder, "two").map(\.key))
            #expect(one[0] == one[1] && one[0] != one[2] && Set(one).isDisjoint(with: two))
            #expect(one.allSatisfy { $0.wholeMatch(of: /friends,user=[0-9a-f]{10,16}/) != nil }, "\(one)")
            let trace = try TraceReader(friends).read(path(folder, "one"))
            #expect(trace.requests.map(\.key) == [0, 0, 1])
            let again = try await folder.run("serve", "--port", "0", "--record", "one", "--anonymous")
            #expect(again.status == 1 && again.errors.contains("`--anonymous` needs a new file"))
        }

        @Test func `fetch appends to a recording, and to nothing else`() async throws {
            let folder = try WorkFolder(recordedTiers)
            try folder.write("flat/42", "[1]")
            try folder.write("notes", "mine\n")

            for _ in 0..<2 { _ = try await folder.run("fetch", "friends", "user=42", "--record", "trace.jsonl", "--policy", "no-store") }
            let other = try await folder.run("fetch", "friends", "user=42", "--record", "notes")

            let policies = try fetches(folder).map(\.policy)
            #expect(policies == ["no-store", "no-store"])
            #expect(other.status == 0 && other.text == "[1]")
            #expect(other.errors == "pipe-run: warning: cannot record to `notes`: it is not a recording\n")
            #expect(folder.read("notes") == "mine\n")
        }

        @Test func `half a line at the end of a recording is removed when more is recorded`() async throws {
            let folder = try WorkFolder(recordedTiers)
            try folder.write("flat/42", "[1]")
            _ = try await folder.run("fetch", "friends", "user=42", "--record", "trace.jsonl")
            let whole = try text(folder)
            try folder.write("trace.jsonl", whole + whole.prefix(20))

            let ran = try await folder.run("fetch", "friends", "user=42", "--record", "trace.jsonl")

            #expect(ran.status == 0 && ran.text == "[1]")
            #expect(ran.errors == "pipe-run: warning: the last line of `trace.jsonl` was cut short: its 20 bytes are removed\n")
            #expect(try text(folder).hasPrefix(whole) && fetches(folder).count == 2)
        }

        @Test func `keys are masked by the configuration that is read again`() async throws {
            let folder = try WorkFolder(recordedTiers)
            try folder.write("token", "nothing-of-it\n")
            let config = recordedTiers.replacing(
                "  flat:", with: "  api: { type: http, url: 'http://127.0.0.1:1', headers: { authorization: '${file:token}' } }\n  flat:"
            ).replacing("[memory, flat] }", with: "[memory, flat] }\n  others: { tiers: [api] }")
            try folder.write("pipeline.yaml", config)
            try await folder.serving("pipeline.yaml", "--record", "trace.jsonl") { server in
                _ = try await server.get("/friends?user=planted-secret")
                try await until("the fetch in the trace") { folder.read("trace.jsonl")?.contains("planted-secret") == true }
                try folder.write("token", "planted-secret\n")
                server.process.send(SIGHUP)
                try await until("the configuration to be read again") { server.process.errors.text.contains("reloaded") }
                _ = try await server.get("/friends?user=planted-secret")
                server.process.send(SIGTERM)
            }

            let keys = try fetches(folder).map(\.key)
            #expect(keys.count == 2 && keys[0].contains("planted-secret") && !keys[1].contains("planted-secret"), "\(keys)")
        }

        @Test func `a full recording ends with a whole line, and is said once`() async throws {
            let folder = try WorkFolder(recordedTiers)
            let ran = try await folder.serving("pipeline.yaml", "--record", "trace.jsonl", "--record-max", "1KiB") { server in
                for _ in 0..<30 {
                    let status = try await server.get("/friends?user=none").status
                    #expect(status == 404)
                }
            }

            let text = try text(folder)
            #expect(text.utf8.count <= 1024 && text.hasSuffix("}\n") && text.utf8.count > 700)
            #expect(
                ran.errors.split(separator: "\n").count { line in line.contains("the next line would exceed `--record-max`, 1KiB") } == 1,
                "\(ran.errors)")
        }

        @Test func `what is remembered of keys has a bound in bytes`() {
            var texts = RecordTexts(isAnonymous: false)
            let entry = Entry([1], created: Timestamp(nanoseconds: 0))
            func key(_ number: Int) -> Key {
                Key(pipeline: "friends", parameters: [Parameter(name: "user", value: String(repeating: "u", count: 8_000) + "\(number)")])
            }

            var most = 0
            for number in 0..<1_200 {
                let text = texts.text(of: key(number))
                #expect(text.hasSuffix("u\(number)"))
                #expect(texts.version(of: [1], entry, key(number)) == texts.version(of: [1], entry, key(0)))
                most = max(most, texts.bytes)
            }
            #expect(most <= 16 << 20 && most > 12 << 20)
            let giant = Key(pipeline: "friends", parameters: [Parameter(name: "user", value: String(repeating: "u", count: 9 << 20))])
            #expect(texts.text(of: giant).utf8.count > 9 << 20 && texts.bytes <= 16 << 20)
        }

        @Test func `a pipe that nobody reads holds up neither the writer's end nor that of the recording`() async throws {
            let folder = try WorkFolder(recordedTiers)
            let pipe = path(folder, "trace")
            try #require(mkfifo(pipe, 0o600) == 0)
            let time = ManualClock()
            let pipelines = try Pipelines(
                [
                    PipelineSpec(
                        "friends", parameters: ["user"],
                        tiers: [TierSpec(SourceSpec("api", StubOrigin(clock: time.clock, answering: .value("1"))))])
                ], clock: time.clock)
            let outcome = try await pipelines.all[0].fetch(["user": String(repeating: "u", count: 1_000)])
            let said = Mutex<[String]>([])
            let recorder = try FetchRecorder(
                path: pipe, limit: .mebibytes(64), isAnonymous: false, masking: { pipelines }, clock: time.clock
            ) { line in said.withLock { $0.append(line) } }
            func note(_ count: Int) { for _ in 0..<count { recorder.note(outcome, policy: .default, begun: recorder.now) } }
            note(1_000)

            let writer = Task { await recorder.run() }
            await time.sleepers(atLeast: 1)
            time.advance(by: .milliseconds(50))
            // The writer has begun, and waits for who reads on.
            let reader = try FileHandle(forReadingFrom: URL(filePath: pipe))
            _ = try await blocking { try reader.read(upToCount: 1) }
            writer.cancel()
            await writer.value
            note(7)
            async let end: Void = recorder.finish()
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(5))
            await end

            #expect(said.withLock(\.self) == ["warning: 1007 fetches are not in `\(pipe)`, which could not be written as fast"])
            // What waits for a reader ends with one.
            _ = try await blocking {
                var lines = 0
                while lines < 1_000 { lines += reader.availableData.count { $0 == UInt8(ascii: "\n") } }
                return lines
            }
        }

        @Test func `a disk that fails ends the recording, and no fetch`() async throws {
            guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
            let folder = try WorkFolder(recordedTiers)
            let ran = try await folder.serving("pipeline.yaml", "--record", "/dev/full") { server in
                for _ in 0..<3 {
                    let status = try await server.get("/friends?user=none").status
                    #expect(status == 404)
                }
            }

            #expect(ran.errors.contains("the recording in `/dev/full` ends: no space left on device"))
        }
    }
}
