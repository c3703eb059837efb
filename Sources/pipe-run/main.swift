import PipeRunKit
import SourcesCommand
import SourcesFile
import SourcesHTTP
import SourcesInline
import SourcesMemory
import SourcesRedis
import SourcesSQLite

await PipeRun.main(plugins: [.memory, .file, .http, .sqlite, .redis, .sqliteQuery, .inline, .command])
