import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesHTTP
import Testing

@Suite struct MissingValueTests {
    private static let text = """
        sources:
          api: { type: http, url: "${BASE}/friends/{usr}" }
        pipelines:
          friends:
            parameters: [user]
            tiers: [api]
        """

    @Test(arguments: [(ValidationLevel.env, ["P401", "P206"]), (.graph, ["P206"]), (.schema, [])])
    func `a variable without a value does not hide a parameter that is not declared`(level: ValidationLevel, codes: [String]) {
        let report = ConfigFile(text: Array(Self.text.utf8), name: "pipeline.yaml").report(
            plugins: [.http], environment: ConfigEnvironment([:]), level: level)

        #expect(report.diagnostics.map(\.code.rawValue) == codes)
    }
}
