internal import PipelineConfig
package import PipelineYAML

extension ConfigFile {
    /// `two/p.yaml` for `two/tests/../p.yaml`.
    private var plainName: String { LexicalPath.normalized(name) }

    /// The file under its plain name, where a test file led to it by way of `..`.
    var plainlyNamed: ConfigFile {
        guard name.split(separator: "/").contains("..") else { return self }
        return ConfigFile(text: text, name: plainName, folder: folder)
    }

    /// Whether another path leads to the same configuration. Where links lead elsewhere, the texts differ.
    package func isSame(as other: ConfigFile) -> Bool { plainName == other.plainName && text == other.text }
}
