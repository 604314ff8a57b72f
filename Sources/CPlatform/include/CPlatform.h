#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Linux calls that Swift's Glibc module does not show: they need _GNU_SOURCE or are macros. */

/* A non-blocking eventfd, close-on-exec; -1 with errno. */
int wl_eventfd(void);
/* Accepts one connection, non-blocking and close-on-exec; -1 with errno. `address` may hold 128 bytes. */
int wl_accept(int listener, void *address, uint32_t *length);
/* Fills `buffer` from the kernel's random source; 0, or -1 with errno. */
int wl_random(void *buffer, size_t length);
/* Names the calling thread (15 characters at most). */
void wl_name_thread(const char *name);
