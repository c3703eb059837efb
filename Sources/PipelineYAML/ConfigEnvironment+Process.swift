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
                    ? .success(String(decoding: bytes, as: UTF8.self)) : .failure(FileProblem("it is not UTF-8"))
            case .failure(.tooLarge): .failure(FileProblem("it is larger than 1 MiB"))
            case .failure(.failed(let reason)): .failure(FileProblem(reason))
            }
        },
        problem: { FileReader.problem(at: $0).map { FileProblem($0) } })
}
