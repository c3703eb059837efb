#ifndef PIPE_RUN_CPROGRAM_H
#define PIPE_RUN_CPROGRAM_H

/// How many arguments `main` was given.
int pipe_run_argument_count(void);

/// The arguments that `main` was given, as the loader hands them to each program. `CommandLine` reads them from `/proc/self/cmdline`, and
/// sees none where `/proc` is not mounted.
char **pipe_run_arguments(void);

/// The commit, the version of Swift and the revision of BoringSSL that this program was built from, each in a line; empty where nobody said.
const char *pipe_run_origin(void);

#endif
