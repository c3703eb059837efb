import PipelineJSON
import Testing

/// Exact decimal values.
@Suite struct JSONNumberTests {
    private func number(_ text: String) throws -> JSONNumber { try #require(JSONNumber(text), "\(text)") }

    @Test(arguments: [
        ["1", "1.0", "1e0", "1E0", "1e+0", "1e-0", "10e-1", "0.1e1", "100e-2", "1.000", "0.0001e4", "1e00000000000000000000"],
        ["0", "-0", "0.0", "-0.0e5", "0e999999999999999999999", "0.000e-7"],
        ["9007199254740993", "9007199254740993.0", "9.007199254740993e15", "90071992547409930e-1"],
        ["-12.5", "-1.25e1", "-125e-1", "-0.125E+2", "-12.50"],
        ["9223372036854775807", "9223372036854775807.0", "9223372036854775807e0"], ["1e400", "10e399", "0.1e401", "1000e397"],
        ["1e-400", "10e-401", "0.1e-399"],
    ]) func `spellings of one value are equal, and hash alike`(spellings: [String]) throws {
        let numbers = try spellings.map { try number($0) }

        #expect(Set(numbers).count == 1)
        #expect(numbers.allSatisfy { !($0 < numbers[0]) && !(numbers[0] < $0) })
        #expect(Set(numbers.map(\.description)).count == 1)
    }

    /// In ascending order: each differs from all others.
    private static let ascending = [
        "-1e999999999999999999", "-1e400", "-9223372036854775809", "-9223372036854775808", "-9007199254740993", "-9007199254740992", "-10",
        "-9.99",
        "-1.5", "-1.1", "-1.01", "-1", "-0.5", "-0.1", "-1e-400", "0", "1e-400", "2e-400", "0.09", "0.1", "0.11", "0.5",
        "0.99999999999999999999999999999", "1", "1.00000000000000000000000000001", "2", "9", "10", "99", "100", "9007199254740992",
        "9007199254740993", "9223372036854775806", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e400",
        "1.1e400", "1e401", "1e999999999999999999",
    ]

    @Test func `the order is that of the values, exactly`() throws {
        let numbers = try Self.ascending.map { try number($0) }

        for (left, smaller) in numbers.enumerated() {
            for (right, larger) in numbers.enumerated() {
                #expect((smaller < larger) == (left < right), "\(Self.ascending[left]) < \(Self.ascending[right])")
                #expect((smaller == larger) == (left == right), "\(Self.ascending[left]) == \(Self.ascending[right])")
            }
        }
    }

    @Test(
        arguments: [
            ("1", 1), ("-1", -1), ("0", 0), ("-0.0", 0), ("1e3", 1_000), ("12.50e1", 125), ("999999999999999999", 999_999_999_999_999_999),
            ("1000000000000000000", 1_000_000_000_000_000_000), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9.223372036854775807e18", .max),
            ("0.5", nil), ("12.5", nil), ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1e19", nil), ("1e400", nil),
            ("1e-1", nil),
        ] as [(String, Int64?)]) func `an integer is one that fits`(text: String, integer: Int64?) throws
    {
        #expect(try number(text).integer == integer)
    }

    @Test(arguments: [
        ("1e2", "100"), ("-1.50", "-1.5"), ("0.00100", "0.001"), ("-0", "0"), ("1e-3", "0.001"),
        ("12345678901234567890", "12345678901234567890"),
        ("1.5e-402", "15e-403"), ("1e400", "1" + String(repeating: "0", count: 400)), ("1e401", "1e401"),
        ("-25e500", "-25e500"), ("1e999999999999999999", "1e999999999999999999"),
    ]) func `it is shown in digits, and with an exponent where they were too many`(text: String, shown: String) throws {
        #expect(try number(text).description == shown)
        #expect(try number(shown) == number(text))
    }

    @Test func `an exponent costs nothing, and those beyond 10¹⁸ count as that`() throws {
        let huge = "1e" + String(repeating: "9", count: 10_000)
        #expect(try number(huge) == number("1e99999999999999999999"))
        #expect(try number("-" + huge) < number("-1e400"))
        #expect(try number(huge.replacing("e", with: "e-")) < number("1e-400"))
        #expect(try number(huge.replacing("e", with: "e-")) > number("0"))
        #expect(try number(huge).integer == nil)
    }

    @Test func `many digits are compared to the last one`() throws {
        let digits = String(repeating: "123456789", count: 1_000)
        #expect(try number(digits + "1") < number(digits + "2"))
        #expect(try number("0." + digits + "1") < number("0." + digits + "2"))
        #expect(try number("-" + digits + "2") < number("-" + digits + "1"))
        #expect(try number(digits + ".0") == number(digits))
        #expect(try number(digits).description == digits)
    }

    @Test(arguments: [
        "", " ", "1 ", " 1", "+1", "01", "-01", "1.", ".5", "-", "-.5", "1e", "1e+", "e1", "0x10", "1_000", "NaN", "Infinity", "-Infinity",
        "1,5", "\"1\"", "true", "null", "[1]", "1e1.5", "--1", "1-1", "１", "٣", "1\0", "1\n",
    ]) func `what JSON would not take for a number is none`(text: String) {
        #expect(JSONNumber(text) == nil)
    }
}
