/// The whole process `pipe-run validate`, beside a process that only reads libyaml's events of the same text.
enum WholeValidate {
    @concurrent
    static func rows() async throws -> [Row] {
        let program = try Environment.required("PIPE_RUN")
        let events = try Environment.required("LIBYAML_FLOOR")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let small = try folder.write(GeneratedConfig(pipelines: 1_000).text, to: "1000.yaml")
        let large = try folder.write(GeneratedConfig(pipelines: 10_000).text, to: "10000.yaml")
        let validateSmall = ChildProcess(program, "validate", small)
        let validateLarge = ChildProcess(program, "validate", large)
        let comparison = try await Comparison.of(rounds: 41) {
            try validateSmall.run()
        } floor: {
            try ChildProcess(events, small).run()
        }
        let growth = try await Comparison.of(rounds: 9) {
            try validateLarge.run()
        } floor: {
            for _ in 0..<10 { try validateSmall.run() }
        }
        return [
            Row("process `validate` of 1,000 pipelines; floor: process of libyaml's bare events", comparison, atMost: 4),
            Row("process `validate` of 10,000 pipelines; floor: ten times 1,000 (linear)", growth, atMost: 1.1),
        ]
    }
}
