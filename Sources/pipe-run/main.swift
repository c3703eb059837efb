import PipeRunKit
import SourcesCommand
import SourcesFile
import SourcesHTTP
import SourcesInline
import SourcesMemory
import SourcesPoll
import SourcesRedis
import SourcesSQLite
import SourcesWatch

await PipeRun.main(plugins: [.memory, .file, .http, .sqlite, .redis, .sqliteQuery, .inline, .command, .poll, .watch])
