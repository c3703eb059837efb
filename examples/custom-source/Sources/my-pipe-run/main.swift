import PipeRunKit
import SourcesCalendar
import SourcesFile
import SourcesMemory

await PipeRun.main(plugins: [.memory, .file, .calendar])
