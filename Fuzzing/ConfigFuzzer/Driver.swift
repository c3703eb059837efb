/// libFuzzer's own loop; SwiftPM gives the program a `main` of this name, and libFuzzer's is left out.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@main enum Driver {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        let status = runDriver(&count, &arguments) { start, count in
            Input(Array(UnsafeBufferPointer(start: start, count: count))).check()
            return 0
        }
        precondition(status == 0)
    }
}
