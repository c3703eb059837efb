internal import Pipeline
internal import PipelineSimulation
private import Foundation

/// The keys of a comparison that are neither from a trace nor the only one.
struct ComparedKeys {
    /// The parameters of the pipeline.
    let parameters: [String]
    /// The arguments that each key has.
    let arguments: [String: String]
    /// The parameter that bare values are for; nil for the only one that has no argument.
    let chosen: String?
    let key: ([String: String]) throws -> Key

    /// The parameter that bare values fill.
    private func filled() throws -> String {
        if let chosen {
            guard parameters.contains(chosen) else {
                throw Usage.failure(
                    "`\(chosen)` in `--key` is no parameter of the pipeline",
                    help: NearestName.help(for: chosen, among: parameters, noun: "parameters"))
            }
            return chosen
        }
        let open = parameters.filter { arguments[$0] == nil }
        guard let only = open.first, open.count == 1 else {
            let words = open.map { "`\($0)`" }.joined(separator: ", ")
            throw open.isEmpty
                ? Usage.failure("no parameter is left that keys could fill", help: "leave out `--keys`, or the argument of one parameter")
                : Usage.failure(
                    "keys could fill \(words)", help: "say which with `--key \(open.first ?? "")`, and give the others arguments")
        }
        return only
    }

    /// The only key there is. Exits with 64 when a parameter has no argument.
    func single() throws -> Key {
        let open = parameters.filter { arguments[$0] == nil }
        do {
            return try key(arguments)
        } catch let error as UsageError {
            throw Usage.failure(
                error.message,
                help: open.isEmpty
                    ? error.help : "say which keys are asked for: `--keys 'zipf(0.9, 10000)'`, `--trace FILE`, `--fetches FILE`")
        }
    }

    /// The keys of `pattern`, as many as it has: `1` is the first one's argument.
    func keys(of pattern: KeyPattern) throws -> [Key] {
        let name = try filled()
        return try (1...pattern.count).map { try key(arguments.merging([name: "\($0)"]) { $1 }) }
    }

    /// The fetches of a file: on each line the arguments, as `fetch` takes them, or a bare value.
    func fetches(at path: String) throws -> [Key] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw Usage.failure("the file `\(path)` in `--fetches` cannot be read as text", help: nil)
        }
        var keys: [Key] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            do {
                keys.append(try key(try arguments(of: words)))
            } catch let error as UsageError {
                throw Usage.failure("\(path):\(number + 1): \(error.message)", help: error.help)
            }
        }
        guard !keys.isEmpty else {
            throw Usage.failure("the file `\(path)` in `--fetches` has no fetch", help: "write one on each line, as `user=42`")
        }
        return keys
    }

    private func arguments(of words: [Substring]) throws -> [String: String] {
        var arguments = arguments
        for word in words {
            if let equals = word.firstIndex(of: "="), equals > word.startIndex {
                arguments[String(word[..<equals])] = String(word[word.index(after: equals)...])
            } else {
                arguments[try filled()] = String(word)
            }
        }
        return arguments
    }
}
