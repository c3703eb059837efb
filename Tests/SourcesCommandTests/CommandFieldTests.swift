import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesCommand
import Testing

@Suite(.timeLimit(.minutes(15))) struct CommandFieldTests {
    let folder: ScriptFolder

    init() throws {
        folder = try ScriptFolder()
    }

    private func report(_ fields: String, parameters: String = "[user]", variables: [String: String] = [:]) -> ConfigReport {
        let text = """
            sources:
              program:
                type: command
            \(fields.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
            pipelines:
              friends: { parameters: \(parameters), tiers: [program], format: text }
            """
        return ConfigFile(text: Array(text.utf8), name: "pipeline.yaml", folder: folder.path)
            .report(
                plugins: [.command],
                environment: ConfigEnvironment(
                    variable: { variables[$0] }, file: { _ in .success("s3cr3t-token") }))
    }

    private func problems(_ fields: String) -> [String] {
        report(fields).diagnostics.filter { $0.severity == .error }.map { "\($0.code.rawValue) \($0.message)" }
    }

    private func attempt(_ fields: String, variables: [String: String] = [:]) async throws -> (text: String?, trace: String) {
        let pipelines = try Pipelines(report(fields, variables: variables))
        let outcome = try await pipelines.pipeline(named: "friends").fetch(["user": "42"])
        await pipelines.shutDown()
        let payload = (try? outcome.entry)?.payload
        return (payload.map { String(decoding: $0, as: UTF8.self) }, outcome.attempts.map { "\($0)" }.joined())
    }

    @Test func `the program runs in the folder of the file with the declared arguments`() async throws {
        try folder.put("printf '%s %s' \"$PWD\" \"$1\"", into: "fetch.sh")

        #expect(try await attempt("command: [sh, fetch.sh, \"user={user}\"]").text == "\(folder.path) user=42")
    }

    @Test(arguments: [
        ("\"{user}\"", "", nil), ("\"--\", \"{user}\"", "", "-- -n"), ("\"{user}\"", "leading_dash: true", "-n "),
        ("\"user={user}\"", "", "user=-n "), ("\"${NOTHING:-}{user}\"", "", nil), ("\"${DASHES}\", \"{user}\"", "", "-- -n"),
        ("\"{user}\"", "leading_dash: false", nil),
    ])
    func `a default that begins with a dash is held to the same rules as any value`(
        arguments: String, field: String, text: String?
    ) async throws {
        try folder.put("printf '%s %s' \"$1\" \"$2\"", into: "fetch.sh")
        let report = report(
            "command: [sh, fetch.sh, \(arguments)]\n\(field)", parameters: "{ user: { default: -n } }", variables: ["DASHES": "--"])
        let pipelines = try Pipelines(report)

        let outcome = try await pipelines.pipeline(named: "friends").fetch()

        await pipelines.shutDown()
        let payload = (try? outcome.entry)?.payload
        #expect(payload.map { String(decoding: $0, as: UTF8.self) } == text)
        #expect((outcome.attempts.first?.reason?.contains("put `--` before it") == true) == (text == nil))
    }

    @Test func `the environment is what is declared and what every program gets`() async throws {
        let fields =
            "command: [/usr/bin/env]\nenvironment: { TOKEN: \"${TOKEN}\", USER_ID: \"{user}\", LANG: C, HOME: /h, TMPDIR: /t, PATH: /p }"

        let text = try await attempt(fields, variables: ["TOKEN": "s3cr3t-token", "OTHER": "x"]).text

        #expect(
            text?.split(separator: "\n").sorted()
                == ["HOME=/h", "LANG=C", "PATH=/p", "TMPDIR=/t", "TOKEN=s3cr3t-token", "USER_ID=42"])
    }

    @Test func `nothing else of this process is passed on`() async throws {
        let names = try await attempt("command: [/usr/bin/env]").text?.split(separator: "\n").compactMap { $0.split(separator: "=").first }

        #expect(Set(names ?? ["?"]).isSubset(of: ["PATH", "HOME", "LANG", "TMPDIR"]))
    }

    @Test func `a secret in standard error is masked`() async throws {
        try folder.put("echo \"no luck with $TOKEN\" >&2; exit 1", into: "fetch.sh")

        let trace = try await attempt(
            "command: [sh, fetch.sh]\nenvironment: { TOKEN: \"${TOKEN}\" }", variables: ["TOKEN": "s3cr3t-token"]
        ).trace

        #expect(trace.contains("no luck with ***"))
        #expect(!trace.contains("s3cr3t"))
    }

    @Test(arguments: ["API_TOKEN", "file:conf/db_password"])
    func `a credential in an argument is masked, other variables are not`(name: String) async throws {
        try folder.put("echo \"no $1 for $2\" >&2; exit 1", into: "fetch.sh")

        let trace = try await attempt(
            "command: [sh, fetch.sh, \"${\(name)}\", \"${PLACE}\"]", variables: ["API_TOKEN": "s3cr3t-token", "PLACE": "production"]
        ).trace

        #expect(trace.contains("no *** for production"))
        #expect(!trace.contains("s3cr3t"))
    }

    @Test(arguments: [
        ("command: []", "P104 `command` needs at least a program"),
        ("command: sh", "P103 expected a list for `command`, found `sh`"),
        ("command: [\"{user}\", a]", "P107 a parameter is not allowed in the program of `command`"),
        ("command: [\"run-{user}\"]", "P107 a parameter is not allowed in the program of `command`"),
        ("command: ['']", "P105 malformed program for `command`: it is empty"),
        ("command: [sh, [a]]", "P103 expected text for `command`, found a list"),
        ("timeout: 5s", "P102 source `program` needs `command`"),
        ("command: [sh]\ntimeout: 0", "P104 `0` is out of range for `timeout`: expected 1ms or more"),
        (
            "command: [sh]\nenvironment: { A=B: c }",
            "P104 `A=B` is out of range for `environment`: expected names of letters, digits and `_`"
        ),
        (
            "command: [sh]\nenvironment: { PATH: \"/opt/{user}/bin\" }",
            "P104 `PATH` is out of range for `environment`: expected a `PATH` without parameters, which would choose the program"
        ),
        ("command: [sh, \"{nobody}\"]", "P206 `{nobody}` is not a parameter of the pipeline `friends`"),
    ])
    func `what cannot be run is a problem of the file`(fields: String, problem: String) {
        #expect(problems(fields) == [problem])
    }

    @Test func `the plugin declares its fields`() {
        let declarations = SourcePlugin.command.declarations

        #expect(declarations.map(\.name) == ["command", "environment", "timeout", "max_size", "leading_dash", "concurrency"])
        #expect(declarations.map(\.defaultText) == [nil, "{}", "30s", "64MiB", "false", "16"])
        #expect(declarations[0].type == .list(.template, atLeast: 1))
        #expect(declarations[2].role == .timeLimit)
        #expect(SourcePlugin.command.capabilities == [.neverMisses])
    }
}
