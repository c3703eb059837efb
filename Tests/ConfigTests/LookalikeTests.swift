import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesCommand
import Testing

/// P321: what looks like a variable or a parameter, and is plain text.
@Suite struct LookalikeTests {
    private static func report(url: String = "http://h/{user}", _ fields: String = "", variables: [String: String] = [:]) -> ConfigReport {
        Reading.report(
            "sources:\n  o: { type: http, url: \"\(url)\"\(fields) }\npipelines:\n  p: { parameters: [user], tiers: [o] }\n",
            environment: ConfigEnvironment(variables))
    }

    @Test(arguments: [
        ("http://h/$user/{user}", "`$user` is plain text: a parameter is written `{user}`"),
        ("http://$HOST/{user}", "`$HOST` is plain text: a variable is written `${HOST}`"),
        ("http://h:80/{user}?a=$HOME_2", "`$HOME_2` is plain text: a variable is written `${HOME_2}`"),
    ]) func `a name after a dollar is plain text`(url: String, message: String) {
        let found = Self.report(url: url).diagnostics

        #expect(found.map(\.code) == [.lookalike] && found.map(\.message) == [message])
        #expect(found.allSatisfy { $0.severity == .warning })
    }

    @Test(arguments: [
        "http://h/$$user/{user}", "http://h/{user}?price=5$", "http://h/{user}/$1",
        "http://h/{user}?$filter=a".replacing("$filter", with: "$$filter"),
    ]) func `a dollar that is meant is left alone`(url: String) {
        #expect(Self.report(url: url).summary == [])
    }

    @Test func `the value of a variable looks like nothing`() {
        #expect(Self.report(", body: '${TEXT} {user}'", variables: ["TEXT": "$user {{user}}"]).summary == [])
    }

    @Test func `a query in GraphQL has variables of its own`() {
        let body = "'query($user: ID!) { friend(id: $user) { name } } {user}'"

        #expect(Self.report(", body: \(body)").summary == [])
        #expect(Self.report(", body: 'friend(id: $user) {user}'").codes == ["P321"])
    }

    @Test(arguments: ["{{user}}", "{{ user }}"]) func `two pairs of braces are one too many`(written: String) {
        let found = Self.report(", query: { a: \"\(written)\" }").diagnostics

        #expect(found.map(\.message) == ["`{{user}}` has two pairs of braces: a parameter is written `{user}`"])
        #expect(found.map(\.help) == ["write `{user}`"])
    }

    @Test func `a secret is not quoted, and a name in capitals is no credential`() {
        let name = Self.report(", headers: { Authorization: \"Bearer $API_TOKEN\" }").diagnostics
        let password = Self.report(", headers: { Authorization: \"Bearer pa$sword\" }").diagnostics

        #expect(name.map(\.code) == [.lookalike] && !name.contains { "\($0)".contains("API_TOKEN") })
        #expect(password.map(\.code) == [.credentialInFile])
    }

    @Test func `a description may say anything`() {
        #expect(
            Reading.report("sources: { m: { type: memory } }\npipelines: { p: { tiers: [m], description: \"a $user\" } }\n").codes == [
                "P304"
            ])
    }

    @Test func `a parameter that is written as a variable is named`() {
        let found = Self.report(url: "http://h/${user}/{user}").diagnostics

        #expect(found.map(\.code) == [.variableNotSet] && found.map(\.help) == ["`user` is a parameter: write `{user}`"])
    }
}
