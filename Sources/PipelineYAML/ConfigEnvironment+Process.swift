public import PipelineConfig

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

extension ConfigEnvironment {
    /// The variables of this process, and the files of this machine: up to 1 MiB each, in UTF-8.
    public static let process = ConfigEnvironment(
        variable: { name in getenv(name).map { String(cString: $0) } },
        file: { path in
            switch FileReader.read(path, limit: 1 << 20) {
            case .success(let bytes):
                UTF8Text.firstInvalid(in: bytes) == nil
                    ? .success(String(decoding: bytes, as: UTF8.self))
                    : .failure(FileProblem(bytes.isUTF16 ? "it is UTF-16, and not UTF-8" : "it is not UTF-8"))
            case .failure(.tooLarge): .failure(FileProblem("it is larger than 1 MiB"))
            case .failure(.failed(let reason)): .failure(FileProblem(reason))
            }
        },
        problem: { FileReader.problem(at: $0).map { FileProblem($0) } })
}

extension [UInt8] {
    /// Indicates whether they begin as PowerShell and some editors begin a file.
    fileprivate var isUTF16: Bool { starts(with: [0xFF, 0xFE]) || starts(with: [0xFE, 0xFF]) }
}
