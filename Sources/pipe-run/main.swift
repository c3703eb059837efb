import PipeRunKit
import SourcesCommand
import SourcesFile
import SourcesHTTP
import SourcesInline
import SourcesMemory
import SourcesPoll
import SourcesRedis
import SourcesSSE
import SourcesSQLite
import SourcesWatch
import SourcesWebSocket

await PipeRun.main(plugins: [
    .memory, .file, .http, .sqlite, .redis, .sqliteQuery, .outbox, .inline, .command, .websocket, .sse, .poll, .watch,
])
