package import PipelineYAML

extension ConfigFile {
    /// The name without `.` and `..` within it: `two/p.yaml` for `two/tests/../p.yaml`.
    var plainName: String {
        var parts: [Substring] = []
        for part in name.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return (name.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    /// The file under its plain name, where a test file led to it by way of `..`.
    var plainlyNamed: ConfigFile {
        guard name.split(separator: "/").contains("..") else { return self }
        return ConfigFile(text: text, name: plainName, folder: folder)
    }

    /// Whether another path leads to the same configuration. Where links lead elsewhere, the texts differ.
    package func isSame(as other: ConfigFile) -> Bool { plainName == other.plainName && text == other.text }
}
