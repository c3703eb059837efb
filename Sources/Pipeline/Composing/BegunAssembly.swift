/// An assembly that was begun on the calling thread, behind a reference: requests are copied often.
final class BegunAssembly: Sendable {
    let assembly: Assembly

    init(_ assembly: Assembly) { self.assembly = assembly }
}
