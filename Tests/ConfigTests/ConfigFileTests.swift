import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Files that can be read, and those that cannot.
@Suite struct ConfigFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "config-tests-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func report(_ path: String, limits: ConfigLimits = ConfigLimits()) -> ConfigReport {
        ConfigFile(path: path, limits: limits).report(plugins: Reading.plugins, environment: Reading.environment, limits: limits)
    }

    @Test func `a missing file, a folder and a file below a file cannot be read`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.yaml").path
        try "version: 1".write(toFile: file, atomically: true, encoding: .utf8)

        #expect(report(folder.path + "/none.yaml").summary == ["P004 cannot read `\(folder.path)/none.yaml`: no such file"])
        #expect(report(folder.path).summary == ["P004 cannot read `\(folder.path)`: it is a folder"])
        #expect(report(file + "/b.yaml").summary == ["P004 cannot read `\(file)/b.yaml`: not a directory"])
        #expect(report("").codes == ["P004"])
    }

    @Test func `a pipe without a writer is refused at once`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "fifo").path
        #expect(mkfifo(path, 0o600) == 0)

        #expect(report(path).summary == ["P004 cannot read `\(path)`: it is a pipe without a writer"])
    }

    @Test func `a pipe whose writer takes its time is read to the end`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "fifo").path
        #expect(mkfifo(path, 0o600) == 0)
        // Open for both, so that the pipe has a writer before it is read.
        let descriptor = open(path, O_RDWR | O_NONBLOCK)
        let writer = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)

        async let diagnostics = report(path).summary
        try writer.write(contentsOf: Data("sources: { s: { type: memory } }\npipelines: { p: { tiers: [s] } }\n".utf8))
        close(descriptor)

        // The first reader sees the text or a pipe that is closed already; both are answers, and neither hangs.
        let seen = await diagnostics
        #expect(seen == [] || seen == ["P004 cannot read `\(path)`: it is a pipe without a writer"])
    }

    @Test func `a file over the limit is not read whole`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }

        #expect(report("/dev/zero").summary == ["P003 `/dev/zero` is larger than 16MiB"])
        #expect(report("/dev/zero", limits: ConfigLimits(bytes: 1000)).summary == ["P003 `/dev/zero` is larger than 1KB"])
    }

    @Test func `the process gives variables and files up to 1 MiB`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(repeating: 0x61, count: 1 << 20).write(to: folder.appending(path: "most"))
        try Data(repeating: 0x61, count: 1 << 20 + 1).write(to: folder.appending(path: "more"))
        try Data([0xFF]).write(to: folder.appending(path: "binary"))
        let environment = ConfigEnvironment.process

        #expect(environment.variable("PATH") == ProcessInfo.processInfo.environment["PATH"])
        #expect(environment.variable("A_VARIABLE_THAT_NOBODY_HAS") == nil)
        #expect(try environment.file(folder.path + "/most").get().utf8.count == 1 << 20)
        for (name, reason) in [
            ("more", "it is larger than 1 MiB"), ("binary", "it is not UTF-8"), ("none", "no such file"), ("", "it is a folder"),
        ] {
            #expect(throws: ConfigEnvironment.FileProblem.self) { try environment.file(folder.path + "/" + name).get() }
            if case .failure(let problem) = environment.file(folder.path + "/" + name) { #expect(problem.reason == reason) }
        }
    }

    @Test func `files are looked for next to the configuration`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try "https://h".write(to: folder.appending(path: "url.txt"), atomically: true, encoding: .utf8)
        let path = folder.appending(path: "pipeline.yaml").path
        try "sources: { o: { type: http, url: '${file:url.txt}/x' } }\npipelines: { p: { tiers: [o] } }\n"
            .write(toFile: path, atomically: true, encoding: .utf8)

        let report = ConfigFile(path: path).report(plugins: Reading.plugins)

        #expect(report.summary == [])
    }
}
