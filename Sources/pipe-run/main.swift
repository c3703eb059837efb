import PipeRunKit
import SourcesCommand
import SourcesFile
import SourcesHTTP
import SourcesInline
import SourcesMemory
import SourcesRedis
import SourcesSSE
import SourcesSQLite
import SourcesWebSocket

await PipeRun.main(plugins: [.memory, .file, .http, .sqlite, .redis, .sqliteQuery, .inline, .command, .websocket, .sse])
