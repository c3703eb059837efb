import Foundation
import Testing

extension CommandLineTests {
    /// The files, types and codes that are named on the command line.
    @Suite struct GivenFileTests {
        @Test(arguments: [
            ["a.yaml", "a.yaml"], [".", "a.yaml"], ["a.yaml", "."], ["./a.yaml", "../HERE/a.yaml"], [".", "."], ["linked/a.yaml", "."],
        ]) func `a file that is given twice is looked at once`(paths: [String]) async throws {
            let folder = try WorkFolder()
            try folder.write("a.yaml", ValidateTests.broken)
            try FileManager.default.createSymbolicLink(at: folder.url.appending(path: "linked"), withDestinationURL: folder.url)
            let arguments = ["validate"] + paths.map { $0.replacing("HERE", with: folder.url.lastPathComponent) }

            let ran = try await folder.start(arguments).ran()

            #expect(ran.errors == "4 errors, 0 warnings\n", "\(ran.text)")
        }

        @Test func `a folder without files is named beside one with files, and standard input is read once`() async throws {
            let folder = try WorkFolder()
            try folder.write("a.yaml", ValidateTests.broken)
            try folder.write("empty/none.txt", "")

            let ran = try await folder.run("validate", "-", "empty", "-", "a.yaml", input: Array(ValidateTests.broken.utf8))

            #expect(ran.errors == "9 errors, 0 warnings\n", "\(ran.text)")
        }

        @Test(arguments: [["graph"], ["config"], ["explain"], ["fetch", "friends"]])
        func `every command reads the configuration from standard input`(command: [String]) async throws {
            let folder = try WorkFolder()
            let text = "sources: { here: { type: inline, value: [1] } }\npipelines: { friends: { tiers: [here] } }\n"

            let ran = try await folder.start(command + ["-c", "-"], input: Array(text.utf8)).ran()

            #expect(ran.status == 0, "\(ran.errors)")
            #expect(ran.text.contains(command[0] == "fetch" ? "[1]" : "here"), "\(ran.text)")
        }

        @Test func `takes blanks after the commas of types, and codes between commas`() async throws {
            let folder = try WorkFolder()

            let written = try await folder.run("init", "memory, http")
            #expect(written.status == 0, "\(written.errors)")
            #expect(folder.read("pipeline.yaml")?.contains("type: http") == true)

            try folder.write("pipeline.yaml", ValidateTests.unused)
            for codes in ["P302,P203", "p203, P302"] {
                #expect(try await folder.run("validate", "--deny-warnings", "--allow", codes).status == 0)
            }
            #expect(try await folder.run("validate", "--deny", "P302,P203").status == 1)
            let wrong = try await folder.run("validate", "--allow", "P302,")
            #expect(wrong.status == 64 && wrong.errors.contains("unknown code ``"), "\(wrong.errors)")
        }

        /// Twelve pipelines of two tiers.
        @Test func `a drawing of many pipelines is neither a row nor a column`() async throws {
            let pipelines = (1...12).map { "  p\($0): { tiers: [m, o] }" }.joined(separator: "\n")
            let folder = try WorkFolder(
                "sources:\n  m: { type: memory }\n  o: { type: inline, value: 1 }\npipelines:\n\(pipelines)\n")

            let ran = try await folder.run("graph", "--format", "svg")

            let box = try #require(ran.text.components(separatedBy: "viewBox=\"0 0 ").last?.prefix { $0 != "\"" })
            let sides = box.split(separator: " ").compactMap { Double($0) }
            #expect(sides.count == 2 && sides[0] <= 1_500 && sides[0] < 4 * sides[1] && sides[1] < 2 * sides[0], "\(box)")
        }
    }
}
