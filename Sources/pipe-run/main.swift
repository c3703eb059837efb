import PipeRunKit
import SourcesCommand
import SourcesFile
import SourcesHTTP
import SourcesInline
import SourcesMemory

await PipeRun.main(plugins: [.memory, .file, .http, .inline, .command])
