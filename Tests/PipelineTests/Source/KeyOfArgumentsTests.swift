import Testing

@testable import Pipeline

/// The key that a pipeline makes of the arguments of a fetch.
@Suite struct KeyOfArgumentsTests {
    private static func maker(_ parameters: ParameterSpec..., name: String = "p") -> KeyMaker {
        KeyMaker(PipelineSpec(name, parameters: parameters, tiers: []))
    }

    @Test(arguments: [
        ["user": "42"], ["user": "42", "page": "7"], ["user": ""], ["user": ".", "page": ".."], ["user": "a.b-c_d"], ["user": "~"],
        ["user": "a/b,c=d%", "page": "\u{0}\u{7F}\n"], ["user": "größe \u{1F600} e\u{301}"], ["user": "..%2F", "ü,=": "é"],
        ["user": String(repeating: "x", count: 300), "page": String(repeating: "ä", count: 300)],
    ])
    func `it is the key of the same parameters in any order, byte for byte`(arguments: [String: String]) throws {
        let maker = Self.maker("user", ParameterSpec("page", default: "1"), ParameterSpec("ü,=", default: "a b"), name: "größe")
        let whole = ["page": "1", "ü,=": "a b"].merging(arguments) { $1 }

        let key = try maker.key(arguments)

        #expect(key == Key(pipeline: "größe", parameters: whole))
        #expect(key.pipeline == "größe")
        #expect(key.hash == Key(pipeline: "größe", parameters: whole).hash)
        #expect(
            Dictionary(uniqueKeysWithValues: key.parameters.map { ($0.name, Array($0.value.utf8)) }) == whole.mapValues { Array($0.utf8) })
        #expect(key.parameters.map(\.name) == ["page", "user", "ü,="])
        for (name, value) in whole { #expect(key[name].map { Array($0.utf8) } == Array(value.utf8)) }
        #expect(key["other"] == nil)
    }

    @Test func `a pipeline without parameters has one key`() throws {
        #expect(try Self.maker().key([:]).text == "p")
        #expect(try Self.maker().key([:]).parameters.isEmpty)
        #expect(throws: UsageError.undeclaredParameter("user", pipeline: "p", known: [])) { try Self.maker().key(["user": "1"]) }
    }

    // KELVIN SIGN is K to Swift's `==`, and the order of two marks on a letter does not count.
    @Test(arguments: [
        ("K", "\u{212A}"), ("\u{212A}", "K"), ("e\u{301}", "\u{e9}"), ("a\u{301}\u{323}", "a\u{323}\u{301}"), (";", "\u{37E}"),
    ])
    func `a name that is only equivalent in Unicode is another name`(declared: String, given: String) throws {
        #expect(declared == given)
        let undeclared = UsageError.undeclaredParameter(given, pipeline: "p", known: [declared])
        let error = #expect(throws: UsageError.self) { try Self.maker(ParameterSpec(declared)).key([given: "1"]) }
        #expect(error == undeclared && error?.message.utf8.elementsEqual(undeclared.message.utf8) == true)
        #expect(throws: UsageError.self) { try Self.maker(ParameterSpec(declared, default: "0")).key([given: "1"]) }
        #expect(throws: UsageError.self) { try Self.maker(ParameterSpec(declared), "user").key([given: "1", "user": "2"]) }
        #expect(try Self.maker(ParameterSpec(declared), "user").key([declared: "1", "user": "2"])[declared] == "1")
    }

    @Test func `of two declared names that are equivalent, the one that was given has the value`() throws {
        let maker = Self.maker(ParameterSpec("e\u{301}", default: "0"), ParameterSpec("\u{e9}", default: "0"))

        #expect(try maker.key(["\u{e9}": "1"]).text == "p,e%CC%81=0,%C3%A9=1")
        #expect(try maker.key(["e\u{301}": "1"]).text == "p,e%CC%81=1,%C3%A9=0")
    }

    @Test func `what is not declared is named before what is missing, the first by its order`() {
        let maker = Self.maker("b", "a", ParameterSpec("c", default: ""))

        #expect(throws: UsageError.missingParameters(["b", "a"], pipeline: "p")) { try maker.key([:]) }
        #expect(throws: UsageError.missingParameters(["b"], pipeline: "p")) { try maker.key(["a": "1", "c": "2"]) }
        #expect(throws: UsageError.undeclaredParameter("x", pipeline: "p", known: ["b", "a", "c"])) { try maker.key(["y": "1", "x": "1"]) }
        #expect(throws: UsageError.undeclaredParameter("x", pipeline: "p", known: ["b", "a", "c"])) {
            try maker.key(["a": "1", "b": "1", "x": "1"])
        }
    }
}
