import PipelineAnswers
import Testing

@Suite struct CSVTests {
    @Test(arguments: [
        ("a,b\n1,2\n", #"[{"a":"1","b":"2"}]"#), ("a,b\r\n1,2\r\n3,4", #"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#),
        ("a\r1\r2", #"[{"a":"1"},{"a":"2"}]"#), ("\u{FEFF}a\n1", #"[{"a":"1"}]"#),
        ("a,b\n007,1.10\nNaN,true\n", #"[{"a":"007","b":"1.10"},{"a":"NaN","b":"true"}]"#),
        ("a,b\n,\n", #"[{"a":"","b":""}]"#), ("a,b\n\"\",x", #"[{"a":"","b":"x"}]"#), ("a\n\"\"\n", #"[{"a":""}]"#),
        ("a,b\n\"x,y\",\"say \"\"hi\"\"\"\n", #"[{"a":"x,y","b":"say \"hi\""}]"#),
        ("a,b\n\"one\r\ntwo\",\"3\n4\"\r\n", #"[{"a":"one\r\ntwo","b":"3\n4"}]"#), ("\"a\"\"\",\"b,\"\n1,2", #"[{"a\"":"1","b,":"2"}]"#),
        ("a,b\nx\"y\", \"z\"\n", #"[{"a":"x\"y\"","b":" \"z\""}]"#), ("a,\n1,2", #"[{"a":"1","":"2"}]"#),
        ("a\n\\\t\u{1}\u{1F}\u{0}\u{7F}é😀", "[{\"a\":\"\\\\\\t\\u0001\\u001f\\u0000\u{7F}é😀\"}]"),
    ])
    func `AP-78 rows are objects by the header, each value a string`(body: String, expected: String) {
        #expect(ReadAnswer(body, as: .csv) == .json(expected))
    }

    @Test(arguments: ["", "\n", "\r\n\r\n", "\u{FEFF}", "a", "a,b\n", "\"a\nb\",c\r\n\r\n"])
    func `AP-78 an empty text, and a header alone, are an empty list`(body: String) {
        #expect(ReadAnswer(body, as: .csv) == .json("[]"))
    }

    @Test func `AP-78 an empty line is no row`() {
        #expect(ReadAnswer("\n\na,b\n\n1,2\r\n\r\n\n3,4\n\n", as: .csv) == .json(#"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#))
    }

    @Test(arguments: [
        ("a,b\n1,2\n3\n", "line 3: 1 of 2 values"), ("a,b\n1,2,3\n", "line 2: more values than the 2 names of the header"),
        ("a,b\r\n\"x\r\ny\",1\r\nz", "line 4: 1 of 2 values"), ("a,b\n\"x\ny\"\n", "line 2: 1 of 2 values"),
        ("a,b\n\n\n \n", "line 4: 1 of 2 values"),
        ("a,b,a\n1,2,3\n", "line 1: the name `a` occurs twice"), ("\n\"x\ny\",\"x\ny\"", "line 3: the name `x\\ny` occurs twice"),
        (",\n", "line 1: the name `` occurs twice"),
        ("a\n\"1\n2", "line 2: a quotation mark that is not closed"), ("a\n1\n\"\"\"", "line 3: a quotation mark that is not closed"),
        ("a\n\"1\" \n", "line 2: something follows a closing quotation mark"),
        ("a\n\"\r\r\n\n\"x", "line 5: something follows a closing quotation mark"),
        ("\"", "line 1: a quotation mark that is not closed"),
    ])
    func `AP-78 a ragged row, a name twice and an open quotation mark are named with their line`(body: String, expected: String) {
        #expect(ReadAnswer(body, as: .csv) == .problem(expected))
    }

    @Test func `the names of a header of 20,000 columns are compared`() {
        let names = (0..<20_000).map { "n\($0)" }
        let line = names.joined(separator: ",")

        #expect(ReadAnswer(line + "\n" + line, as: .csv) == .json("[{" + names.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + "}]"))
        #expect(ReadAnswer(line + ",n7", as: .csv) == .problem("line 1: the name `n7` occurs twice"))
    }
}
