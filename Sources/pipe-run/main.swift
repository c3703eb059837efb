import PipeRunKit
import SourcesFile
import SourcesHTTP
import SourcesMemory

await PipeRun.main(plugins: [.memory, .file, .http])
