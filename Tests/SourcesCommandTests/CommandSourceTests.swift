import Pipeline
import PipelineTesting
import SourcesCommand
import Testing

@Suite(.timeLimit(.minutes(15))) struct CommandSourceTests {
    let folder: ScriptFolder
    let key = Key(pipeline: "friends", parameters: ["user": "42"])

    init() throws {
        folder = try ScriptFolder()
    }

    @Test func `it keeps the rules of origins`() async throws {
        let script = """
            case "$1" in
            42) printf '[1]' ;;
            *) exit 3 ;;
            esac
            """
        let violations = await SourceConformance.ofOrigin(
            make: { try folder.source(script, ["{user}"]) }, existing: key, expected: Array("[1]".utf8),
            missing: Key(pipeline: "friends", parameters: ["user": "43"]))

        #expect(violations.isEmpty)
    }

    @Test func `standard output is the payload, byte for byte, created when the program was started`() async throws {
        let time = ManualClock()
        let source = try folder.source("printf 'a\\000\\377\\n\\n'", clock: time.clock)

        #expect(try await source.read(key) == Entry([97, 0, 255, 10, 10], created: time.now))
    }

    @Test func `no output is an empty value`() async throws {
        #expect(try await folder.source("exit 0").text() == "")
    }

    @Test(arguments: [
        "a b", "it's \"quoted\"", "$(touch made)", "`touch made`", "; touch made", "a\nb\n", "-n", "--help", "*", "", "$HOME", "数 é",
        "\\n", "{key}",
    ])
    func `a value arrives as one argument, as it is`(value: String) async throws {
        let source = try folder.source("printf '%s|%s|%s' \"$#\" \"$1\" \"$2\"", ["{user}", "x{user}y"], allowsLeadingDash: true)

        let text = try await source.text(Key(pipeline: "friends", parameters: ["user": value]))

        #expect(text == "2|\(value)|x\(value)y")
        #expect(folder.text(of: "made") == nil)
    }

    @Test(
        arguments: ["-n", "--help", "-", "--", "-5"],
        [["{user}"], ["x", "{user}"], ["{none}{user}"], ["{user}", "--"], ["-x", "{user}"]])
    func `a value is no option: where its dash would begin an argument, nothing runs`(value: String, arguments: [String]) async throws {
        let source = try folder.source("touch made", arguments)
        let name = arguments.contains("{none}{user}") ? "none" : "user"

        let failure = await source.failure(Key(pipeline: "friends", parameters: ["user": value]))

        #expect(
            failure
                == "cannot run /bin/sh: an argument that begins with `{\(name)}` would begin with `-`, as options do; put `--` before it, "
                + "or set `leading_dash: true`")
        #expect(folder.text(of: "made") == nil)
    }

    @Test func `a dash that the value of a parameter uncovers is none of the file's`() async throws {
        let failure = try await folder.source("touch made", ["{none}-{user}"]).failure(key)

        #expect(failure.contains("would begin with `-`"))
        #expect(folder.text(of: "made") == nil)
    }

    @Test(arguments: [
        (["--", "{user}"], "--|-n|"), (["-x", "--", "y", "{user}"], "-x|--|y|-n|"), (["--user={user}"], "--user=-n|"),
        (["-{user}"], "--n|"), ([" {user}"], " -n|"), (["x{none}{user}"], "x-n|"),
    ])
    func `a value that begins with a dash stands behind two of them, and behind text`(arguments: [String], text: String) async throws {
        let source = try folder.source("printf '%s|' \"$@\"", arguments)

        #expect(try await source.text(Key(pipeline: "friends", parameters: ["user": "-n"])) == text)
    }

    @Test func `a value with a NUL character is a failure`() async throws {
        let failure = try await folder.source("echo", ["{user}"]).failure(Key(pipeline: "friends", parameters: ["user": "a\0b"]))

        #expect(failure == "cannot run /bin/sh: there is a NUL character in an argument or a variable")
    }

    @Test func `exit code 3 says that there is no value, whatever was written`() async throws {
        let entry = try await folder.source("echo some; echo more >&2; exit 3").read(key)

        #expect(entry?.isNotFound == true)
    }

    @Test(arguments: [
        ("echo one >&2; echo ' two ' >&2; echo >&2; echo '  ' >&2; exit 1", "exit code 1 from /bin/sh: two"),
        ("echo out; exit 255", "exit code 255 from /bin/sh"),
        ("printf 'a\\033[31mb\\tc' >&2; exit 2", "exit code 2 from /bin/sh: a\\u{1b}[31mb\\u{9}c"),
        ("kill -9 $$", "/bin/sh was ended by signal 9 (SIGKILL)"),
        ("echo dying >&2; kill -SEGV $$", "/bin/sh was ended by signal 11 (SIGSEGV): dying"),
    ])
    func `any other end is a failure with the last line of standard error`(script: String, failure: String) async throws {
        #expect(try await folder.source(script).failure() == failure)
    }

    @Test func `of a long standard error the last line counts`() async throws {
        let script = "i=0; while [ $i -lt 40 ]; do printf '%010000d\\n' 0 >&2; i=$((i+1)); done; echo last >&2; exit 1"

        #expect(try await folder.source(script).failure() == "exit code 1 from /bin/sh: last")
    }

    @Test func `of a line that is too long whole words at its end are kept`() async throws {
        let long = "i=0; while [ $i -lt 9000 ]; do printf 'word%05d ' $i >&2; i=$((i+1)); done; exit 1"
        let failure = try await folder.source(long).failure()

        #expect(failure.hasPrefix("exit code 1 from /bin/sh: … word0") && failure.hasSuffix(" word08999"))
        #expect(failure.utf8.count < 13_000)
        #expect(failure.split(separator: " ").dropFirst(6).allSatisfy { $0.utf8.count == 9 })

    }

    @Test(arguments: ["", "; echo >&2; echo ' ' >&2"])
    func `of a line that is too long and has no words the length is told, and nothing of it`(after: String) async throws {
        let script = "echo before >&2; printf 's3cr3t%0100000d' 0 >&2\(after); exit 1"

        #expect(try await folder.source(script).failure() == "exit code 1 from /bin/sh: (a line of 100006 bytes)")
    }

    @Test func `nothing of a large output is lost, however fast the program ends`() async throws {
        let source = try folder.source("head -c 5000001 /dev/zero; printf x")

        for _ in 0..<5 {
            let payload = try await source.read(key)?.payload
            #expect(payload?.count == 5_000_002 && payload?.last == UInt8(ascii: "x"))
        }
    }

    @Test func `programs run side by side`() async throws {
        let source = try folder.source("printf %s \"$1\"", ["{user}"])

        let texts = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            for user in 0..<24 {
                group.addTask { (user, try await source.text(Key(pipeline: "friends", parameters: ["user": "\(user)"]))) }
            }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }

        #expect(texts == Dictionary(uniqueKeysWithValues: (0..<24).map { ($0, "\($0)") }))
    }

    @Test func `as much output as is allowed is a value, and more ends the program`() async throws {
        let size = Size(bytes: 100_000)
        let exact = try folder.source("printf '%0100000d' 0", maxSize: size)
        #expect(try await exact.read(key)?.payload?.count == 100_000)

        let endless = try folder.source("echo $$ > pid; while :; do printf '%01000d' 0; done", maxSize: size)
        let error = await #expect(throws: SourceError.self) { try await endless.read(key) }

        #expect(error?.kind == .invalid)
        #expect(error?.reason.hasPrefix("/bin/sh wrote more than ") == true)
        let process = try #require(folder.text(of: "pid").flatMap { Int32($0.dropLast()) })
        #expect(await Processes.isGone(process))
    }

    @Test func `standard input is empty`() async throws {
        #expect(try await folder.source("cat; echo done").text() == "done\n")
    }

    @Test func `what a program leaves behind does not keep the read waiting`() async throws {
        let time = ManualClock()
        let source = try folder.source("sleep 600 & echo $! > pid; echo value", clock: time.clock)

        #expect(try await source.text() == "value\n")
        let left = try #require(folder.text(of: "pid").flatMap { Int32($0.dropLast()) })
        Processes.end(left)
    }

    @Test func `a program that is not there is a failure that says so`() async throws {
        func failure(_ program: String) async -> String {
            await CommandSource(CommandTemplate(program, folder: folder.path)).failure()
        }
        try folder.put("echo", into: "plain.sh")

        #expect(await failure("no-such-program-here") == "cannot run no-such-program-here: no such program in PATH")
        #expect(await failure("./missing") == "cannot run ./missing: no such file")
        #expect(await failure("./plain.sh") == "cannot run ./plain.sh: it is not executable")
        #expect(await failure("/") == "cannot run /: it is a folder")
    }

    @Test func `what the system cannot run is a failure`() async throws {
        try folder.put("echo", into: "plain", isExecutable: true)
        try folder.put("#!/no/such/shell\n", into: "strange", isExecutable: true)
        let long = try folder.source("echo", ["{user}"])

        #expect(await CommandSource(CommandTemplate("./plain", folder: folder.path)).failure() == "cannot run ./plain: Exec format error")
        #expect(
            await CommandSource(CommandTemplate("./strange", folder: folder.path)).failure()
                == "cannot run ./strange: the program that its first line names is missing")
        #expect(
            await long.failure(Key(pipeline: "friends", parameters: ["user": String(repeating: "x", count: 4 << 20)]))
                == "cannot run /bin/sh: Argument list too long")
    }

    @Test func `a folder that is not there is a failure`() async throws {
        let source = CommandSource(CommandTemplate("/bin/sh", folder: folder.path + "/gone"))

        #expect(await source.failure().hasPrefix("cannot run /bin/sh: its folder cannot be used"))
    }

    @Test func `a path of a program starts from the folder that it runs in`() async throws {
        try folder.put("#!/bin/sh\npwd\n", into: "where.sh", isExecutable: true)

        #expect(try await CommandSource(CommandTemplate("./where.sh", folder: folder.path)).text() == folder.path + "\n")
    }

    @Test func `a check finds the program and does not run it`() async throws {
        try folder.put("#!/bin/sh\ntouch ran\n", into: "run.sh", isExecutable: true)

        #expect(try await CommandSource(CommandTemplate("./run.sh", folder: folder.path)).check() == .reachable)
        #expect(try await CommandSource(CommandTemplate("sh", folder: folder.path)).check() == .reachable)
        #expect(folder.text(of: "ran") == nil)
        await #expect(throws: SourceError.self) { try await CommandSource(CommandTemplate("./gone", folder: folder.path)).check() }
    }
}
