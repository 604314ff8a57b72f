#pragma once
/* Before any libevent header: event-config.h defines _GNU_SOURCE, and glibc's fd_set would then differ between modules. */
#include <features.h>
#include <sys/types.h>
#include <event2/event.h>
#include <event2/event_struct.h>
