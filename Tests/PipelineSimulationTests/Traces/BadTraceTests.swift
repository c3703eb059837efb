import CLzma
import CZlib
import CZstd
import Pipeline
import Testing

@testable import PipelineSimulation

/// What is wrong with a trace is said with its place, and with the format that it looks like.
struct BadTraceTests {
    private func problem(_ bytes: [UInt8], _ format: TraceFormat? = nil, path: String = "trace") -> String {
        var rules = TraceRules()
        rules.format = format
        do {
            let trace = try TraceReader(PipelineSpec("friends", parameters: ["user"], tiers: []), rules).read(bytes, path: path)
            return "read \(trace.requests.count)"
        } catch {
            return error.message + (error.help.map { " | \($0)" } ?? "")
        }
    }

    private func problem(_ text: String, _ format: TraceFormat? = nil) -> String { problem(Array(text.utf8), format) }

    private func record(_ seconds: UInt32, _ key: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        withUnsafeBytes(of: seconds.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: key.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: UInt32(512).littleEndian) { bytes += $0 }
        withUnsafeBytes(of: Int64(-1).littleEndian) { bytes += $0 }
        return bytes
    }

    @Test func `half a record at the end is named with its offset, OS-05`() {
        let bytes = record(1, 1) + record(2, 2)

        #expect(
            problem(bytes + [1, 2, 3], .oraclegeneral)
                == "the trace is cut short: record 3 at byte 48 has 3 of 24 bytes | `--limit 2` reads what is whole")
        #expect(problem([0, 0, 0, 1, 0, 0], .int32be).hasPrefix("the trace is cut short: record 2 at byte 4 has 2 of 4 bytes"))
        #expect(
            problem(#"{"t":1,"key":"friends,user=1","policy":"default","outcome":"value","tiers":[]}"# + "\n" + #"{"t":2,"ke"#)
                == #"the trace is cut short: line 2 at byte 79 is not a recorded fetch: `{"t":2,"ke` | `--limit 1` plays the requests before it"#
        )
        #expect(
            problem("time,key\n1,a\n2,b\n3", .csv)
                == "the trace is cut short: line 4 at byte 17 has 1 columns instead of 2 or more | `--limit 2` plays the requests before it"
        )
        #expect(problem("time,key\n1,a\n2,b\n3\n", .csv) == "line 4 at byte 17 has 1 columns instead of 2 or more")
    }

    @Test func `a size that no value has, and times that no trace has, are refused`() {
        #expect(
            problem("time,key,size\n0,a,9223372036854775807\n", .csv).contains(
                "has a size of 9223372036854775807 bytes, and 1GiB is the most"))
        #expect(problem("time,key\n0,a\n9200000000,b\n", .csv).hasPrefix("the trace lasts more than 126 years"))
    }

    @Test func `of several usual names of a column the most usual counts`() {
        #expect(problem("id,key,time\n1,a,0\n2,a,1\n", .csv) == "read 2")
    }

    @Test func `an empty trace is said, OS-07`() {
        #expect(problem("") == "the trace `trace` is empty")
        #expect(problem("\n\n*\n", .lirs) == "the trace `trace` has no requests")
        #expect(problem("time,key\n") == "the trace `trace` has no requests")
    }

    @Test func `a file of another format is named as what it looks like`() {
        let twitter = "0,k,1,10,1,get,0\n"
        let log = #"::1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1"# + "\n"
        let oracle = (0..<64).flatMap { record(UInt32($0), UInt64($0) << 20) }
        let small = (1...64).flatMap { number -> [UInt8] in [0, 0, 0, UInt8(number)] }

        #expect(problem(twitter, .oraclegeneral).hasSuffix("it looks like `twitter`: `--trace-format twitter`"))
        #expect(problem(twitter, .clf).hasSuffix("it looks like `twitter`: `--trace-format twitter`"))
        #expect(problem(log, .arc).hasSuffix("it looks like `clf`: `--trace-format clf`"))
        #expect(problem(log, .combined).hasSuffix("it looks like `clf`: `--trace-format clf`"))
        #expect(problem(oracle, .int32be).hasSuffix("it looks like `oraclegeneral`: `--trace-format oraclegeneral`"))
        #expect(problem(oracle, .twitter).hasSuffix("it looks like `oraclegeneral`: `--trace-format oraclegeneral`"))
        #expect(problem(small, .int32le).hasSuffix("it looks like `int32be`: `--trace-format int32be`"))
        #expect(problem("1 2 0 3\n", .pipeRun).hasSuffix("it looks like `arc`: `--trace-format arc`"))
    }

    @Test(arguments: [
        "time,key\n0,a\n1,b\n", "time;key\n0;a\n1;b\n", "time\tkey\n0\ta\n1\tb\n", "time|key\n0|a\n1|b\n", "Key;Time\r\na;0\r\nb;1\r\n",
        "\"time\";\"key\"\n0;a\n1;b\n", "\u{FEFF}ts;id\n0;a\n1;b\n", "key\na\nb\n", "key\ttime\na\t0\nb\t1", "size;key\n1;a\n2;b\n",
    ])
    func `columns are told by their header, whatever divides them`(text: String) {
        #expect(problem(text) == "read 2")
    }

    @Test(arguments: [
        "0;a\n1;b\n", "0\ta\n1\tb\n", "a\tx\nb\ty\n", "a|0|x\nb|3.5|y\nc|4|z\n", "2026-01-01;a\n2026-01-02;b\n", "time;user\n0;a\n1;b\n",
    ])
    func `columns without a name for the key are not keys`(text: String) {
        #expect(problem(text) == "line 1 does not name a column `key` | say which columns are what, as in `--columns time=2,key=5`")
        #expect(problem(text, .text).hasPrefix("read"))
    }

    @Test(arguments: [
        ("#Version: 1.0\n#Fields: date time cs-uri-stem\n2026-01-01 00:00:00 /p\n", "a log with a line `#Fields` (W3C)"),
        ("#Fields: time key\r\n00:00:00 a\r\n", "a log with a line `#Fields` (W3C)"),
        ("#separator \\x09\n#fields\tts\tuid\n1.5\ta\n", "a log with a line `#Fields` (W3C)"),
        ("time key\n0 a\n1 b\n", "columns with blanks between them"), ("time  key\n0     a\n", "columns with blanks between them"),
        ("2026-01-01 00:00:00 GET /p?user=a\n2026-01-01 00:00:01 GET /p?user=b\n", "columns with blanks between them"),
        ("1157689312.049   5006 10.0.0.1 GET /a\n1157689313.100     12 10.0.0.1 GET /b\n", "columns with blanks between them"),
        ("[{\"key\":\"a\"}]", "a JSON list"), ("[\n  \"a\",\n  \"b\"\n]\n", "a JSON list"),
        ("<?xml version=\"1.0\"?>\n<a/>\n", "XML or HTML"),
        ("<!DOCTYPE html>\n", "XML or HTML"), ("---\n- key: a\n", "YAML"), ("sep=;\ntime;key\n0;a\n", "a csv below a line `sep=`"),
        ("time=0 key=a\ntime=1 key=b\n", "words with names, as `time=0 key=a`"),
    ])
    func `a format that only looks like text is refused with what it looks like`(text: String, words: String) {
        #expect(
            problem(text)
                == "the trace looks like \(words), which is not read | write its times and keys as csv, below a line `time,key`; `--trace-format text` takes each line for a key"
        )
        #expect(problem(text, .text).hasPrefix("read"))
    }

    @Test func `text in UTF-16 is refused, too`() {
        for text in ["time\tkey\n0\ta\n1\tb\n", String(repeating: "a key\n", count: 100)] {
            let little = [0xFF, 0xFE] + text.utf16.flatMap { unit -> [UInt8] in [UInt8(unit & 255), UInt8(unit >> 8)] }
            let big = [0xFE, 0xFF] + text.utf16.flatMap { unit -> [UInt8] in [UInt8(unit >> 8), UInt8(unit & 255)] }
            #expect(problem(little).hasPrefix("the trace looks like text in UTF-16, which is not read"))
            #expect(problem(big).hasPrefix("the trace looks like text in UTF-16, which is not read"))
        }
    }

    @Test(arguments: [
        "a\nb\n", "user 1\nuser 2\n", "1 2\n2 3\n", "# a\n# b\n", "/p?a=1;b=2\n/p?a=0;b=1\n", "<a>\n<b>\n", "[a]\n[b]\n", "id\nobject\n",
        "12;b\n3;c\n",
    ])
    func `lines that are keys stay keys`(text: String) {
        #expect(problem(text) == "read 2")
    }

    @Test func `times that wrap are said`() {
        let lines = (0..<10).map { "\($0 < 3 ? 4_294_967_290 + $0 : $0).5,k\n" }.joined()

        #expect(problem("time,key\n" + lines).contains("most requests are out of order, 7 of 10"))
    }

    @Test func `impossible numbers are named with their line`() {
        #expect(
            problem("time,key\n1700000000000,k\n")
                == "line 2 at byte 9 has `1700000000000` for a time in seconds, which may be milliseconds or less")
        for time in ["-1", "nan", "1e300"] {
            #expect(
                problem("time,key\n\(time),k\n")
                    == "line 2 at byte 9 has no time: `\(time)` is no time in seconds, expected 0 or more, as in `12.5`")
        }
        #expect(problem("time,key,size\n1,k,1e9\n") == "line 2 at byte 14 has `1e9` for a size in bytes")
        #expect(problem("time,key\n1\n") == "line 2 at byte 9 has 1 columns instead of 2 or more")
        #expect(
            problem(#"::1 - - [10/Oct/9999:13:55:36 +0000] "GET / HTTP/1.1" 200 1"#, .clf)
                .hasPrefix("line 1 at byte 0 is not of the common log format"))
        #expect(problem("18446744073709551615 2 0 1\n", .arc).hasPrefix("line 1 at byte 0 is not of the form"))
        #expect(problem("1 99999999 0 1\n", .arc).hasPrefix("line 1 at byte 0 is not of the form"))
    }

    @Test func `keys of a megabyte are refused, with their line`() {
        let key = String(repeating: "k", count: 1 << 20)

        #expect(problem("a\n\(key)\n").hasPrefix("line 2 at byte 2 has a key of 1048576 bytes; a key has at most 65536"))
        #expect(problem("a\n\(key)k\n").hasPrefix("line 2 at byte 2 has more than 1048576 bytes"))
    }

    @Test func `keys of no pipeline's are said`() {
        let line = #"{"t":1,"key":"teams","policy":"default","outcome":"value","tiers":[]}"#

        #expect(problem(line).hasPrefix("none of the 1 lines of the trace is a request of `friends`"))
    }

    @Test func `a file that cannot be opened is named`() {
        let reader = TraceReader(PipelineSpec("friends", parameters: ["user"], tiers: []))

        #expect(throws: TraceError("cannot read the trace `/nonexistent/trace`: no such file or directory")) {
            try reader.read("/nonexistent/trace")
        }
    }

    // Compressed.

    @Test(arguments: Compression.allCases)
    func `a compressed trace is expanded, told by its bytes`(compression: Compression) throws {
        let packed = Packed.bytes(Array("a\nb\n".utf8), compression)

        #expect(problem(packed) == "read 2")
        #expect(problem(packed, path: "trace.bin") == "read 2")
    }

    @Test(arguments: Compression.allCases)
    func `parts one behind the other are one trace`(compression: Compression) {
        let packed = Packed.bytes(Array("a\nb\n".utf8), compression)

        #expect(problem(packed + packed) == "read 4")
    }

    @Test(arguments: Compression.allCases)
    func `what may stand between parts of a compressed trace is skipped`(compression: Compression) {
        let (first, second) = (Packed.bytes(Array("a\n".utf8), compression), Packed.bytes(Array("b\n".utf8), compression))
        let none = Packed.bytes([], compression)
        let fillers: [[UInt8]] =
            switch compression {
            // What tapes fill up with.
            case .gzip: [[0], [UInt8](repeating: 0, count: 512)]
            // The padding of streams, in fours.
            case .xz: [[0, 0, 0, 0], [UInt8](repeating: 0, count: 512)]
            case .zstd: [[0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0], [0x5F, 0x2A, 0x4D, 0x18, 4, 0, 0, 0] + Array("abcd".utf8)]
            }

        for filler in fillers {
            for bytes in [
                first + filler + second, first + filler + filler + second + filler, first + second + filler, first + none + second,
            ] {
                #expect(problem(bytes) == "read 2")
                #expect(problem(bytes, path: "trace.bin") == "read 2")
            }
        }
        guard compression == .zstd else { return }
        for nibble in UInt8(0)...15 {
            let frame = [0x50 | nibble, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
            #expect(problem(frame + first + second) == "read 2")
            #expect(problem(frame + frame + first + frame + second, path: "trace.zst") == "read 2")
            #expect(problem(frame) == "the trace `trace` is empty")
        }
    }

    @Test(arguments: Compression.allCases)
    func `compressed data that are cut short or damaged are said`(compression: Compression) {
        let lines = (0..<500).map { "\($0 &* 2_654_435_761)\n" }.joined()
        let packed = Packed.bytes(Array(lines.utf8), compression)
        var damaged = packed
        for index in 30..<60 { damaged[index] ^= 0x55 }

        #expect(problem(Array(packed.dropLast(9))).contains("is cut short: its \(compression.rawValue) data break off at byte"))
        #expect(problem(damaged) != problem(packed))
        #expect(!problem(damaged).hasPrefix("read"))
    }

    @Test func `a name that promises compression is believed`() {
        #expect(problem(Array("a\n".utf8), path: "trace.gz") == "`trace.gz` is not gzip data, although it is named so")
    }

    @Test(arguments: Compression.allCases)
    func `a bomb ends at its bounds, OS-16`(compression: Compression) throws {
        let packed = Packed.bytes([UInt8](repeating: 10, count: 1 << 22), compression)
        let reader = TraceReader(PipelineSpec("friends", parameters: ["user"], tiers: []))

        let byRatio = #expect(throws: TraceError.self) {
            try reader.read(from: ArrayBytes(packed), path: "", limit: .init(bytes: 1 << 30, ratio: 500, free: 1 << 20))
        }
        let bySize = #expect(throws: TraceError.self) {
            try reader.read(from: ArrayBytes(packed), path: "", limit: .init(bytes: 1 << 21))
        }
        #expect(byRatio?.message.hasPrefix("the trace expands to more than 500 times its \(compression.rawValue) data") == true)
        #expect(bySize?.message == "the trace expands to more than 2MiB")
    }
}

/// Bytes compressed by the libraries themselves.
enum Packed {
    static func bytes(_ bytes: [UInt8], _ compression: Compression) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count + 1024) { room, count in
            switch compression {
            case .gzip:
                var stream = z_stream()
                deflateInit2_(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
                var input = bytes
                input.withUnsafeMutableBufferPointer { input in
                    (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                    (stream.next_out, stream.avail_out) = (room.baseAddress, UInt32(room.count))
                    deflate(&stream, Z_FINISH)
                }
                count = Int(stream.total_out)
                deflateEnd(&stream)
            case .xz:
                lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nil, bytes, bytes.count, room.baseAddress, &count, room.count)
            case .zstd:
                let context = ZSTD_createCCtx()
                ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
                count = ZSTD_compress2(context, room.baseAddress, room.count, bytes, bytes.count)
                ZSTD_freeCCtx(context)
            }
        }
    }
}
