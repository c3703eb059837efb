import Foundation
import PipelineJSON
import TestSupport

/// A program in Python that says what a library that is not ours makes of many texts at once.
enum PythonPeer {
    /// Why a test with a peer is skipped.
    static let advice = "no python3; `scripts/setup` installs it"

    private static let python = ProcessInfo.processInfo.environment["PIPE_RUN_PYTHON"] ?? "/usr/bin/python3"

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Indicates whether there is a Python with these modules.
    static func has(_ modules: String) -> Bool { (try? ChildProcess.run([python, "-c", "import \(modules)"])) == 0 }

    /// What is different between our reading of each text, nil for a refusal, and that of `read(text)` in `program`, which returns a value or
    /// raises `Refused`.
    static func differences(_ program: String, _ cases: [(text: String, ours: String?)]) throws -> [String] {
        let folder = try TemporaryFolder()
        let lines = cases.map { JSONText.array([.string($0.text), .optional($0.ours)]).text + "\n" }.joined()
        try folder.put(lines, into: "cases")
        try folder.put(program + "\n" + comparison, into: "peer.py")
        let status = try ChildProcess.run(
            [python, folder.path + "/peer.py"], input: folder.path + "/cases", output: folder.path + "/out", errors: folder.path + "/err")
        var said = folder.text(of: "out").split(separator: "\n").map(String.init)
        guard status == 0, said.popLast() == "compared \(cases.count)" else {
            throw Failure(description: "the peer ended with \(status): \(folder.text(of: "err").suffix(2_000))")
        }
        return said
    }

    private static let comparison = """
        import json, sys
        count = 0
        for line in open(0, encoding="utf-8", newline="\\n"):
            text, ours = json.loads(line)
            count += 1
            try:
                theirs = [read(text)]
            except Refused:
                theirs = None
            ours = None if ours is None else [json.loads(ours)]
            if ours != theirs and count:
                print(json.dumps({"text": text, "ours": ours, "theirs": theirs})[:1000])
        print("compared", count)

        """
}
