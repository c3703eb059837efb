#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stddef.h>

/// How many blocks the process has asked the heap for so far, in all threads.
unsigned long heap_allocation_count(void);

/// The bytes in blocks that are in use, what the heap adds to each included.
size_t heap_bytes_in_use(void);

#endif
