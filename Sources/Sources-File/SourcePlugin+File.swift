public import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: file`.
    public static let file = SourcePlugin(
        "file", summary: "Keeps each value in a file of its own.", capabilities: [.writes, .keepsMetadata, .listsKeys],
        fields: Field<PathTemplate>("path", "The file of each key; its folders are made as needed.", example: ".cache/{key}.json")
            .role(.placeOfEachKey),
        Field("durable", default: false, "Whether a write waits until the disk has it."),
        Field(
            "read_only", default: false, "Whether the files are only read, as an origin that other hands write.",
            withdraws: .writes),
        Field("max_size", default: Size.mebibytes(64), "The largest payload that is read or written."),
        Field(
            "max_entries", default: Int?.none, range: 0...,
            "The most files to keep, the least recently used go; 0 keeps none.", example: "10000"
        ).role(.bound),
        Field(
            "max_bytes", default: Size?.none, "The most bytes of payload to keep, the least recently used go.", example: "64MiB"
        ).role(.bound),
        Field(
            "mode", default: "0600",
            "Who may read and write new files, in octal; new folders may be used by those who may read.", example: "\"0644\""
        ).checked(stating: .text(matching: FileMode.pattern)) {
            FileMode($0) == nil ? "octal digits with which the owner can read and write, such as \"0644\"" : nil
        }
    ) { (context, path: PathTemplate, isDurable, isReadOnly, maxSize, maxEntries, maxBytes, mode) -> any Source in
        if isReadOnly {
            FileOrigin(path: path, maxSize: maxSize, clock: context.clock)
        } else {
            FileSource(
                path: path, isDurable: isDurable, maxSize: maxSize, maxEntries: maxEntries, maxBytes: maxBytes,
                mode: FileMode(mode) ?? .ownerOnly, clock: context.clock, evicted: context.evicted)
        }
    }
}
