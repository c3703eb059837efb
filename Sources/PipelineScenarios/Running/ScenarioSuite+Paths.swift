extension ScenarioSuite {
    /// The test file beside a configuration: `pipeline.test.yaml` for `pipeline.yaml`.
    package static func testPath(of config: String) -> String {
        for ending in [".yaml", ".yml"] where config.hasSuffix(ending) { return config.dropLast(ending.count) + ".test" + ending }
        return config + ".test.yaml"
    }
}
