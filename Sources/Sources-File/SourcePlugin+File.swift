internal import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: file`.
    public static let file = SourcePlugin(
        cache: "file", summary: "Stores each value in its own file.", capabilities: [.keepsMetadata, .listsKeys],
        fields: Field<PathTemplate>("path", "The path of the file for each key. Missing folders are created.", example: ".cache/{key}.json")
            .role(.placeOfEachKey),
        Field("durable", default: false, "Whether a write waits until the data is safely on disk."),
        Field(
            "read_only", default: false, "Whether the files are only read. The source is then an origin, whose files other programs write."
        ).role(.readOnly),
        Field("max_size", default: Size.mebibytes(64), "The largest payload to read or write."),
        Field(
            "max_entries", default: Int?.none, range: 0...,
            "The most files to keep; the least recently used are removed first. 0 keeps none.", example: "10000"
        ).role(.bound),
        Field(
            "max_bytes", default: Size?.none, "The most bytes of payload to keep; the least recently used are removed first.",
            example: "64MiB"
        ).role(.bound),
        Field(
            "mode", default: "0600",
            "The permissions of new files, in octal. New folders are accessible to the users who can read the files.", example: "\"0644\""
        ).checked(stating: .text(matching: FileMode.pattern)) {
            FileMode($0) == nil ? "octal digits with which the owner can read and write, such as \"0644\"" : nil
        }
    ) { context, path, isDurable, _, maxSize, maxEntries, maxBytes, mode in
        FileSource(
            path: path, isDurable: isDurable, maxSize: maxSize, maxEntries: maxEntries, maxBytes: maxBytes,
            mode: FileMode(mode) ?? .ownerOnly, clock: context.clock, evicted: context.evicted)
    } readOnly: { context, path, _, _, maxSize, _, _, _ in
        FileOrigin(path: path, maxSize: maxSize, clock: context.clock)
    }
}
