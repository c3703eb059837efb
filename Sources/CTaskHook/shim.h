// Where the Swift runtime asks what to do with a job that is bound to no executor: a pointer to a function with Swift's calling
// convention, which takes the job and what would be done without a hook (swift/Runtime/Concurrency.h).
//
// It is linked, not looked up by name: a program that has the runtime in it exports no names.
extern void *swift_task_enqueueGlobal_hook;

static inline void **pipe_run_task_hook(void) { return &swift_task_enqueueGlobal_hook; }
