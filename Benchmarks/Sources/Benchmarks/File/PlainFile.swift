import Glibc

/// The least that reading a file takes.
struct PlainFile: ~Copyable {
    private let path: String
    private let buffer: UnsafeMutableRawBufferPointer

    init(_ path: String, size: Int) {
        self.path = path
        buffer = .allocate(byteCount: size, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Opens, reads into the same buffer every time, and closes.
    func read() {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        precondition(count == buffer.count, "the file is not whole")
        close(descriptor)
    }

    /// Looks for a file that is not there.
    static func miss(_ path: String) {
        precondition(open(path, O_RDONLY | O_CLOEXEC) < 0, "there is such a file")
    }
}
