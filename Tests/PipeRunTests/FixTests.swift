import Foundation
import Testing

extension CommandLineTests {
    @Suite struct FixTests {
        static let broken = """
            sources:
              flat: { type: file, path: flat, read_onli: true }
            pipelines:
              friends: { tiers: [flat] }

            """

        @Test func `shows the edits first, then makes them and says so`() async throws {
            let folder = try WorkFolder(Self.broken)

            let shown = try await folder.run("validate", "--fix", "--diff")
            let before = folder.read("pipeline.yaml")
            let mended = try await folder.run("validate", "--fix")

            #expect(shown.status == 1 && before == Self.broken)
            #expect(
                shown.text.contains(
                    "-  flat: { type: file, path: flat, read_onli: true }\n+  flat: { type: file, path: flat, read_only: true }\n"))
            #expect(mended.status == 0)
            #expect(mended.errors.contains("pipeline.yaml:2:35: fixed: unknown field `read_onli`"))
            #expect(folder.read("pipeline.yaml") == Self.broken.replacing("onli", with: "only"))
        }

        @Test func `names in a test file are corrected, which can have meant nothing else`() async throws {
            let folder = try WorkFolder(
                "sources: { memory: { type: memory }, api: { type: http, url: \"http://h\" } }\npipelines: { friends: { tiers: [memory, api] } }\n"
            )
            let tests = """
                pipeline: friends
                tests:
                  - name: one
                    given: { api: '[1]' }
                    steps:
                      - fetch: { form: mmory, tiers: [memory mis, "apo hit"] }
                      - expect: { memry: empty }

                """
            try folder.write("pipeline.test.yaml", tests)

            let shown = try await folder.run("validate", "--fix", "--diff", "pipeline.test.yaml")
            let before = folder.read("pipeline.test.yaml")
            let fixed = try await folder.run("validate", "--fix", "pipeline.test.yaml")

            #expect(shown.status == 1 && before == tests)
            #expect(shown.text.contains("+      - expect: { memory: empty }\n"))
            #expect(fixed.status == 0, "\(fixed.errors)")
            #expect(
                folder.read("pipeline.test.yaml")
                    == tests.replacing("form: mmory", with: "from: memory").replacing("memory mis", with: "memory miss")
                    .replacing("apo hit", with: "api hit").replacing("memry", with: "memory"))
        }

        @Test func `a file that a link in its folder leads to is fixed and formatted once`() async throws {
            let folder = try WorkFolder(Self.broken + "\n\n\n")
            for (name, target) in [("a.yaml", "pipeline.yaml"), ("below/z.yaml", "../pipeline.yaml"), ("below/y.yaml", "z.yaml")] {
                try folder.write("below/none.txt", "")
                try FileManager.default.createSymbolicLink(
                    atPath: folder.url.appending(path: name).path, withDestinationPath: target)
            }

            let checked = try await folder.run("fmt", "--check", ".", "a.yaml")
            let formatted = try await folder.run("fmt", ".", "pipeline.yaml", "below/y.yaml")
            let again = try await folder.run("fmt", "--check", ".")
            let fixed = try await folder.run("validate", "--fix", ".")

            #expect(checked.status == 1 && checked.errors.split(separator: "\n").count == 1, "\(checked.errors)")
            #expect(formatted.status == 0 && formatted.errors.split(separator: "\n").count == 1, "\(formatted.errors)")
            #expect(again.status == 0 && again.errors.isEmpty)
            #expect(fixed.status == 0, "\(fixed.errors)")
            #expect(folder.read("pipeline.yaml") == Self.broken.replacing("onli", with: "only"))
        }

        @Test func `a file that is read-only stays, and a link stays a link`() async throws {
            let folder = try WorkFolder(Self.broken)
            let path = folder.url.appending(path: "pipeline.yaml").path
            try FileManager.default.createSymbolicLink(atPath: folder.url.appending(path: "link.yaml").path, withDestinationPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)

            let refused = try await folder.run("validate", "--fix")
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            let linked = try await folder.run("validate", "--fix", "link.yaml")

            #expect(refused.status == 1 && refused.errors.contains("cannot write `pipeline.yaml`: it is read-only"))
            #expect(linked.status == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o640 && attributes[.type] as? FileAttributeType == .typeRegular)
            #expect(folder.read("pipeline.yaml")?.contains("read_only") == true)
        }

        @Test func `standard input goes mended to standard output, a secret never into a diff`() async throws {
            let secret = Self.broken.replacing(
                "flat: {", with: "api: { type: http, url: \"http://h\", headrs: { Authorization: \"Bearer hunter2secret\" } }\n  flat: {")

            let piped = try await WorkFolder().run("validate", "--fix", "-", input: Array(Self.broken.utf8))
            let diff = try await WorkFolder(secret).run("validate", "--fix", "--diff")

            #expect(piped.text == Self.broken.replacing("onli", with: "only") && piped.status == 0)
            #expect(diff.text.contains("headers") && !diff.everything.contains("hunter2secret"))
        }

        @Test func `fmt checks, shows and writes`() async throws {
            let folder = try WorkFolder("a: 1  \r\n\n\n\nb: 2")

            let checked = try await folder.run("fmt", "--check")
            let shown = try await folder.run("fmt", "--diff")
            let written = try await folder.run("fmt")
            let again = try await folder.run("fmt", "--check")
            try folder.write("broken.yaml", "a: [\n")

            #expect(checked.status == 1 && shown.status == 0 && written.status == 0 && again.status == 0)
            #expect(shown.text.contains("-a: 1  ␍\n"))
            #expect(folder.read("pipeline.yaml") == "a: 1\n\nb: 2\n")
            // What cannot be read is not merely untidy.
            for file in ["broken.yaml", "none.yaml"] { #expect(try await folder.run("fmt", "--check", file).status == 2, "\(file)") }
        }
    }
}
