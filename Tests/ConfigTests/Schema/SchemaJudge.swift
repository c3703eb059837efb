import Foundation
import Pipeline
import PipelineJSON
import TestSupport

@testable import PipeRunKit

/// An implementation of JSON Schema that is not ours, behind a reader of YAML that is not ours.
struct SchemaJudge {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../scripts/judge-schema")
        .standardized

    let schema: JSONText

    /// Why each of `texts` is refused; nil for those that are not.
    func refusals(of texts: [String]) throws -> [String?] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "judge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output, errors) = (folder.appending(path: "in"), folder.appending(path: "out"), folder.appending(path: "err"))
        try Data(schema.indentedText.utf8).write(to: folder.appending(path: "schema.json"))
        try Data(texts.map { JSONText.string($0).text + "\n" }.joined().utf8).write(to: input)

        let status = try ChildProcess.run(
            ["/usr/bin/python3", Self.script.path, folder.appending(path: "schema.json").path], input: input.path, output: output.path,
            errors: errors.path)
        let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
        guard status == 0, lines.count == texts.count else {
            let errors = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw Failure(
                description:
                    "judge-schema gave \(lines.count) of \(texts.count) answers; `scripts/setup` installs it: \(errors.suffix(2_000))")
        }
        return lines.map { $0 == "valid" ? nil : String($0) }
    }
}
