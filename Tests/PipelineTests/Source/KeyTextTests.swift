import Pipeline
import Testing

@Suite struct KeyTextTests {
    @Test(arguments: [
        Key(pipeline: "friends"), Key(pipeline: ""), Key(pipeline: "a,b=c"), Key(pipeline: "..", parameters: ["": ""]),
        Key(pipeline: "friends", parameters: ["user": "42", "page": "1"]),
        Key(pipeline: "größe", parameters: ["%": "100%", "e\u{301}": "\u{e9}", "\u{0}": "a=b,c=d\n"]),
        Key(pipeline: "x", parameters: ["a": "~", "b": "../../etc/passwd", "c": "\u{1F600}"]),
        Key(pipeline: "p", parameters: ["a": "", "b": "x=y,z"]), Key(pipeline: "é", parameters: ["..": "../%\0"]),
    ])
    func `a key is read from its text`(key: Key) {
        #expect(Key(text: key.text) == key)
        #expect(Key(text: key.text)?.parameters == key.parameters)
    }

    @Test(arguments: [
        "a b", "grö", "a,b", "a,b=1,a=2", "p%2", "p%zz", "p%ff", "p,a=b=c", "a,b=1,b=1", "a,b=1,b=2", "%61", "a%2f", "a%2", "a%", "a%zz",
        "a%FF", "%C3", "a,b=c=d", "a,,",
        ".a",
        "~", "\u{212A}", "a,=\u{037E}",
    ])
    func `a text that no key has is none`(text: String) {
        #expect(Key(text: text) == nil)
    }
}
