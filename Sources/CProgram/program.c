#include "CProgram.h"

static int count;
static char **arguments;

// The C libraries of Linux (glibc) and macOS give a constructor what they give `main`.
__attribute__((constructor)) static void keep(int argc, char **argv) {
    count = argc;
    arguments = argv;
}

int pipe_run_argument_count(void) { return count; }

char **pipe_run_arguments(void) { return arguments; }

// scripts/release links another one, so that no Swift code is compiled again for a new commit.
__attribute__((weak)) const char pipe_run_origin_text[] = "";

const char *pipe_run_origin(void) { return pipe_run_origin_text; }
