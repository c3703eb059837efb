import Pipeline
import PipelineSimulation
import Testing

/// What each format comes to, from bytes written here.
struct TraceReaderTests {
    private static let friends = PipelineSpec("friends", parameters: ["user"], tiers: [])

    private func trace(_ bytes: [UInt8], change: (inout TraceRules) -> Void = { _ in }) throws(TraceError) -> Trace {
        var rules = TraceRules()
        change(&rules)
        return try TraceReader(Self.friends, rules).read(bytes, path: "trace")
    }

    private func trace(_ text: String, change: (inout TraceRules) -> Void = { _ in }) throws(TraceError) -> Trace {
        try trace(Array(text.utf8), change: change)
    }

    /// `42@0 43@1000`: values of keys and milliseconds.
    private func words(_ trace: Trace) -> String {
        trace.requests.map { "\(trace.keys[Int($0.key)]["user"] ?? "?")@\($0.time / 1_000_000)" }.joined(separator: " ")
    }

    private func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private func record(_ seconds: UInt32, _ key: UInt64, size: UInt32 = 512) -> [UInt8] {
        bytes(seconds) + bytes(key) + bytes(size) + bytes(Int64(-1))
    }

    // Formats.

    @Test(arguments: [
        "time,key\n1,a\n2,b\n", #"{"t":1000000000,"key":"friends,user=a","policy":"default","outcome":"value","tiers":[]}"# + "\n",
    ])
    func `a byte order mark is no part of the first line`(_ text: String) throws {
        #expect(try words(trace("\u{FEFF}" + text)) == words(trace(text)))
        #expect(try !words(trace(text)).isEmpty)
    }

    @Test func `recorded policies are read`() throws {
        func line(_ policy: String) -> String {
            #"{"t":1,"key":"friends,user=1","policy":"\#(policy)","outcome":"value","tiers":[]}"# + "\n"
        }

        let policies = try trace(line("default") + line("no-store") + line("cache-only")).requests.map(\.policy)
        #expect(policies == [.default, .noStore, .cacheOnly])
        #expect(throws: TraceError.self) { try trace(line("none")) }
    }

    @Test func `arguments fill what keys do not have`() throws {
        let cities = PipelineSpec("friends", parameters: ["user", "city"], tiers: [])
        func keys(_ text: String, _ arguments: [String: String]) throws -> [String] {
            var rules = TraceRules()
            rules.arguments = arguments
            let trace = try TraceReader(cities, rules).read(Array(text.utf8))
            return trace.keys.map { "\($0["user"] ?? "-") \($0["city"] ?? "-")" }
        }
        func recorded(_ key: String) -> String { #"{"t":1,"key":"\#(key)","policy":"default","outcome":"value","tiers":[]}"# + "\n" }

        #expect(try keys("7\n8\n", ["city": "Berlin"]) == ["7 Berlin", "8 Berlin"])
        #expect(try keys(recorded("friends"), ["city": "Berlin", "user": "7"]) == ["7 Berlin"])
        #expect(try keys(recorded("friends,user=9"), ["city": "Berlin", "user": "7"]) == ["9 Berlin"])
        #expect(throws: TraceError.self) { try keys("7\n", ["city": "Berlin", "user": "7"]) }
        #expect(throws: TraceError.self) { try keys("7\n", [:]) }
        #expect(throws: TraceError.self) { try keys(recorded("friends,user=9"), [:]) }
    }

    @Test func `requests of another pipeline are played as those of this one`() throws {
        func recorded(_ key: String) -> String { #"{"t":1,"key":"\#(key)","policy":"default","outcome":"value","tiers":[]}"# + "\n" }
        func keys(_ text: String, _ change: (inout TraceRules) -> Void = { _ in }) throws(TraceError) -> [String] {
            try trace(text) { rules in
                rules.pipeline = "people"
                change(&rules)
            }.keys.map(\.text)
        }
        func message(_ text: String, _ change: (inout TraceRules) -> Void = { _ in }) -> String {
            do throws(TraceError) { return "\(try keys(text, change))" } catch {
                return [error.message, error.help ?? ""].joined(separator: "; ")
            }
        }
        let line = #"::1 - - [10/Oct/2020:13:55:36 +0000] "GET /people?user=7 HTTP/1.1" 200 1"# + "\n"

        #expect(
            try keys(recorded("people,user=7") + recorded("friends,user=8") + recorded("people,user=9")) == [
                "friends,user=7", "friends,user=9",
            ])
        // The only value fills the only parameter.
        #expect(try keys(recorded("people,id=7")) == ["friends,user=7"])
        #expect(try keys(line) == ["friends,user=7"])
        let none = "none of the 1 lines of the trace is a request of `people` with values for `user`"
        #expect(message(recorded("people,id=7,lang=en")).hasPrefix(none + "; `--map '/path/{parameter}'` says"))
        #expect(
            message(recorded("teams,user=7"))
                == none + "; it has requests of `teams`; `--from teams` plays those through `friends`")
        #expect(message(recorded("friends,user=7")).hasSuffix("it has requests of `friends`; leave out `--from`"))
        #expect(message("time,key\n1,2\n") == "a trace of the format `csv` names no pipelines; leave out `--from`")
        let map = try PathPattern("/people")
        #expect(message(line, { $0.map = map }) == "`--map` says which paths are requests; leave out `--from`")
    }

    @Test func `csv has the columns that its header names, with times in fractions`() throws {
        let trace = try trace("time,key,size,op\n10.5,a,7,get\n10.75,b,8,set\n11,a,9,delete\n12,c,1,incr\n")

        #expect(words(trace) == "a@0 b@250 a@500")
        #expect(trace.requests.map(\.size) == [7, 8, 9])
        #expect(trace.requests.map(\.operation) == [.fetch, .put, .remove])
        #expect(trace.omitted.other == 1)
        #expect(trace.isTimed)
    }

    @Test func `columns of csv are numbers from 1, and a header above them is no request`() throws {
        for text in ["5,x,\"a,\"\"b\"\r\n6,x,c\r\n", "when,what,who\n5,x,\"a,\"\"b\"\n6,x,c\n"] {
            let trace = try trace(text) { rules in
                rules.format = .csv
                rules.columns = try? TraceColumns("time=1,key=3")
            }
            #expect(words(trace) == "a,\"b@0 c@1000")
        }
    }

    @Test func `oracleGeneral has records of 24 bytes, also of keys of 2⁶³ and above, OS-15`() throws {
        let trace = try trace(record(7, .max) + record(8, 1 << 63, size: 1 << 30) + record(9, 5)) { $0.format = .oraclegeneral }

        #expect(words(trace) == "18446744073709551615@0 9223372036854775808@1000 5@2000")
        #expect(trace.requests.map(\.size) == [512, 1_073_741_824, 512])
    }

    @Test func `arc has runs of keys, a millisecond apart`() throws {
        let trace = try trace("10 3 0 1\n7 1 0 2\n")

        #expect(words(trace) == "10@0 11@1 12@2 7@3")
        #expect(!trace.isTimed)
    }

    @Test func `text has a key a line, at the rate that is asked for; stars and empty lines are left out`() throws {
        let trace = try trace("a\n\n*\n  β \nlast") { $0.perSecond = 10 }

        #expect(words(trace) == "a@0 β@100 last@200")
    }

    @Test(arguments: [TraceFormat.int32be, .int64be, .int32le])
    func `keys of bytes are read in their order`(format: TraceFormat) throws {
        let numbers: [UInt32] = [1, 258, 3]
        let data = numbers.flatMap { number -> [UInt8] in
            switch format {
            case .int32be: bytes(number).reversed()
            case .int64be: bytes(UInt64(number)).reversed()
            default: bytes(number)
            }
        }
        #expect(words(try trace(data) { $0.format = format }) == "1@0 258@1 3@2")
    }

    @Test func `twitter has operations of a cache; others are left out`() throws {
        let trace = try trace("0,k,1,10,1,get,0\n0,k,1,10,1,set,60\n1,k,1,0,1,delete,0\n1,k,1,0,1,incr,0\n1,k,1,4,1,gets,0\n")

        #expect(words(trace) == "k@0 k@500 k@1000 k@1500")
        #expect(trace.requests.map(\.operation) == [.fetch, .put, .remove, .fetch])
        #expect(trace.omitted.other == 1)
    }

    @Test func `an access log has what serve answers, at the times of their zones`() throws {
        let trace = try trace(
            """
            ::1 - - [10/Oct/2000:13:55:36 -0700] "GET /friends?user=42 HTTP/1.1" 200 2326
            ::1 - - [10/Oct/2000:22:55:37 +0200] "HEAD /friends?user=a%20b HTTP/1.1" 304 -
            ::1 - - [10/Oct/2000:20:55:38 +0000] "POST /friends?user=1 HTTP/1.1" 200 1
            ::1 - - [10/Oct/2000:20:55:38 +0000] "GET /friends?user=1 HTTP/1.1" 502 1
            ::1 - - [10/Oct/2000:20:55:38 +0000] "GET /teams?user=1 HTTP/1.1" 200 1
            ::1 - - [10/Oct/2000:20:55:38 +0000] "GET /friends?user=1&page=2 HTTP/1.1" 200 1
            ::1 - - [10/Oct/2000:20:55:39 +0000] "GET http://host/friends?user=7 HTTP/1.1" 404 0

            """)

        #expect(words(trace) == "42@0 a b@1000 7@3000")
        #expect(trace.omitted.other == 4)
    }

    @Test func `a combined log is mapped by a pattern`() throws {
        let line = #"h - u [01/Mar/2024:00:00:00 +0000] "GET /users/42?x=1 HTTP/1.1" 200 5 "-" "curl \"8\"""#
        let trace = try trace(line) { $0.map = try? PathPattern("/users/{user}") }

        #expect(words(trace) == "42@0")
    }

    @Test func `a recording has the keys of its pipeline`() throws {
        let trace = try trace(
            """
            {"t":1000000000,"key":"friends,user=42","policy":"default","outcome":"value","tiers":[["memory","hit",0]],"bytes":47,"version":"a"}
            {"t":1500000000,"key":"teams","policy":"default","outcome":"value","tiers":[],"bytes":4,"version":"a"}
            {"t":2500000001,"key":"friends,user=a%20b","policy":"default","outcome":"failed","tiers":[["api","error",12.5]]}

            """)

        #expect(words(trace) == "42@0 a b@1500")
        #expect(trace.requests.map(\.size) == [47, 0])
        #expect(trace.omitted.other == 1)
    }

    @Test func `each format is told by its beginning`() throws {
        let oracle = (0..<8).flatMap { record(UInt32($0), 3) }
        #expect(words(try trace(oracle)).hasPrefix("3@0 3@1000"))
        #expect(words(try trace((1...100).flatMap { bytes(UInt32($0)).reversed() })).hasPrefix("1@0 2@1"))
        #expect(words(try trace((1...100).flatMap { bytes(UInt32($0)) })).hasPrefix("1@0 2@1"))
        #expect(words(try trace((1...100).flatMap { bytes(UInt64($0)).reversed() })).hasPrefix("1@0 2@1"))
        #expect(throws: TraceError.self) { try trace((0...255).map { UInt8(truncatingIfNeeded: $0 &* 167) }) }
    }

    // Order and time.

    @Test func `requests are sorted within five minutes, and later ones are counted`() throws {
        let trace = try trace("time,key\n1000.1,a\n990.1,b\n1000.1,c\n1400.1,d\n1099.1,late\n1100.1,e\n")

        #expect(words(trace) == "b@0 a@10000 c@10000 e@110000 d@410000")
        #expect(trace.omitted.late == 1)
    }

    @Test func `equal times keep the order of the file, OS-03`() throws {
        let lines = (0..<1000).map { "\(($0 % 3) * 10).5,\($0)\n" }.joined()
        let trace = try trace("time,key\n" + lines)
        let numbers = trace.requests.map { Int(trace.keys[Int($0.key)]["user"] ?? "") ?? -1 }

        #expect(numbers == [0, 1, 2].flatMap { rest in (0..<1000).filter { $0 % 3 == rest } })
    }

    @Test func `whole seconds are spread, unless times are exact`() throws {
        let text = "time,key\n5,a\n5,b\n5,c\n5,d\n6,e\n"

        #expect(words(try trace(text)) == "a@0 b@250 c@500 d@750 e@1000")
        #expect(words(try trace(text) { $0.usesExactTimes = true }) == "a@0 b@0 c@0 d@0 e@1000")
    }

    @Test func `a part of the trace begins at 0`() throws {
        let trace = try trace("time,key\n5.5,a\n6.5,b\n7.5,c\n8.5,d\n") { ($0.skip, $0.limit) = (1, 2) }

        #expect(words(trace) == "b@0 c@1000")
        #expect(trace.omitted.skipped == 1)
    }

    @Test func `the keys of a trace are those of the requests that are played`() throws {
        let trace = try trace("time,key\n1.5,a\n2.5,b\n3.5,c\n4.5,a\n5.5,d\n") { $0.skip = 2 }

        #expect(words(trace) == "c@0 a@1000 d@2000")
        #expect(trace.keys.map { $0["user"] } == ["a", "c", "d"])
    }

    // Keys.

    @Test func `a key may be any text, also none, OS-15`() throws {
        let trace = try trace("time,key\n1.5,\n2.5,e\u{301}\n3.5,\u{e9}\n4.5,\n")

        #expect(trace.keys.map { $0["user"].map { Array($0.utf8) } } == [[], [0x65, 0xCC, 0x81], [0xC3, 0xA9]])
        #expect(trace.requests.map(\.key) == [0, 1, 2, 0])
    }

    @Test func `keys fill the only parameter, or the one that is named`() throws {
        let two = PipelineSpec("p", parameters: ["a", ParameterSpec("b", default: "x")], tiers: [])
        let none = PipelineSpec("p", tiers: [])
        var rules = TraceRules()
        #expect(throws: TraceError.self) { try TraceReader(none, rules).read(Array("1\n".utf8)) }
        #expect(throws: TraceError.self) { try TraceReader(two, rules).read(Array("1\n".utf8)) }
        rules.parameter = "b"
        #expect(throws: TraceError("`p` also needs the parameter `a`, for which the trace has no value")) {
            try TraceReader(two, rules).read(Array("1\n".utf8))
        }
        rules.parameter = "a"
        #expect(try TraceReader(two, rules).read(Array("1\n".utf8)).keys.map(\.text) == ["p,a=1,b=x"])
    }
}
