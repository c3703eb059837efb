import Foundation
import Testing

extension CommandLineTests {
    @Suite struct InitTests {
        @Test(arguments: [
            "memory,file,http", "http", "memory,http", "file,http,memory", "file,file,http", "http,http", "memory,file", "file",
            "file,memory,file", "inline", "command", "memory,inline", "memory,command", "command,inline",
            "sqlite_query", "memory,sqlite,sqlite_query", "sqlite,http", "http,sqlite_query",
            "redis", "memory,redis,http", "redis,redis,http",
        ])
        func `writes a file that validates without any diagnostic`(types: String) async throws {
            let folder = try WorkFolder()

            let written = try await folder.run("init", types)
            let validated = try await folder.run("validate", "--deny-warnings", "--level", "env")

            #expect(written.status == 0 && written.text == "")
            #expect(written.errors.contains("pipeline.yaml"))
            #expect(validated.status == 0, "\(validated.text)")
        }

        @Test func `says how to go on, with commands that work`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder()
                let written = try await folder.run("init")
                let starter = try #require(folder.read("pipeline.yaml"))
                try folder.write("pipeline.yaml", starter.replacing("https://api.example.org", with: origin.url))

                let commands = written.errors.matches(of: /`pipe-run ([^`]*)`/).map { $0.1.split(separator: " ").map(String.init) }

                #expect(commands.map(\.first) == ["validate", "fetch"])
                for command in commands { #expect(try await folder.start(command).ran().status == 0) }
                #expect(origin.count == 1)
                #expect(folder.files(below: ".cache").isEmpty == false)
            }
        }

        @Test func `what always answers is a last resort below another origin, and every command says so`() async throws {
            let folder = try WorkFolder()
            _ = try await folder.run("init", "memory,http,inline")
            let starter = try #require(folder.read("pipeline.yaml"))
            let implied = starter.replacing("{ source: inline, last_resort: true }", with: "inline")
            #expect(implied != starter)

            for text in [starter, implied] {
                try folder.write("pipeline.yaml", text)
                #expect(try await folder.run("explain").text.contains("`inline` is a last resort: it is asked only when"))
                #expect(try await folder.run("graph").text.contains("last resort"))
                #expect(try await folder.run("graph", "--format", "json").text.contains(#""last_resort":"true""#))
                #expect(
                    try await folder.run("config").text.contains(
                        #/source: api [^-]*last_resort: false[^-]*- source: inline [^-]*last_resort: true/#))
            }
        }

        @Test func `every line that is commented out holds a value`() async throws {
            let folder = try WorkFolder()
            _ = try await folder.run("init")
            let starter = try #require(folder.read("pipeline.yaml"))

            #expect(starter.firstMatch(of: #/(?m)^ *# [a-z_]+: *$/#) == nil)
        }

        @Test func `never overwrites`() async throws {
            let folder = try WorkFolder("# mine\n")
            try folder.write("folder/file", "")

            let ran = try await folder.run("init")
            let onFolder = try await folder.run("init", "-c", "folder")

            #expect(ran.status == 1 && ran.text == "")
            #expect(ran.errors.contains("`pipeline.yaml` already exists") && ran.errors.contains("-c FILE"))
            #expect(folder.read("pipeline.yaml") == "# mine\n")
            #expect(onFolder.status == 1)
        }

        @Test(arguments: [("nowhere/pipeline.yaml", "no such folder"), ("file/pipeline.yaml", "not a folder")])
        func `says in words why it cannot write`(path: String, words: String) async throws {
            let folder = try WorkFolder()
            try folder.write("file", "")

            let ran = try await folder.run("init", "-c", path)

            #expect(ran.status == 1)
            #expect(ran.errors.contains("cannot write `\(path)`") && ran.errors.contains(words), "\(ran.errors)")
        }

        @Test(arguments: [
            ("memory,fil", "did you mean `file`?"), ("", "at least one"), ("memory,,file", "empty name"),
            ("memory,file,memory", "name `memory` once"),
        ])
        func `wrong types end with 64`(types: String, words: String) async throws {
            let folder = try WorkFolder()

            let ran = try await folder.run("init", types)

            #expect(ran.status == 64)
            #expect(ran.errors.contains(words), "\(ran.errors)")
            #expect(folder.files(below: "") == [])
        }
    }
}
