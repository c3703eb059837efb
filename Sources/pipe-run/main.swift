import PipeRunKit
import SourcesFile
import SourcesHTTP
import SourcesMemory
import SourcesRedis
import SourcesSQLite

await PipeRun.main(plugins: [.memory, .file, .http, .sqlite, .redis])
