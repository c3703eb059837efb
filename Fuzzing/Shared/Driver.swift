private import Glibc

/// libFuzzer's own loop; SwiftPM gives the program a `main` of this name, and libFuzzer's is left out.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What is fuzzed, as `FUZZ_TARGET` says. Of the whole program: libFuzzer's loop takes a function without a context.
private let target = Target.named(getenv("FUZZ_TARGET").map { String(cString: $0) })

/// Called as libFuzzer's own `main` calls it: a program that is not optimised has that linked, too, and replaces it.
@_cdecl("LLVMFuzzerTestOneInput") func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.check(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

@main enum Driver {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        let status = runDriver(&count, &arguments) { testOneInput($0, $1) }
        precondition(status == 0)
    }
}

/// Ends the process with `message` unless `condition` holds: libFuzzer keeps the bytes. A precondition of an optimised build would not say
/// which it was.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
