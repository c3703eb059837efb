import PipeRunKit
import SourcesCommand
import SourcesFile
import SourcesHTTP
import SourcesInline
import SourcesMemory
import SourcesSQLite

await PipeRun.main(plugins: [.memory, .file, .http, .sqlite, .sqliteQuery, .inline, .command])
