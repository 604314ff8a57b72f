#pragma once
#include <stdint.h>

/* Number of allocations of this process so far: malloc, calloc, realloc and aligned ones. */
uint64_t wl_allocations(void);
