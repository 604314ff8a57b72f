#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Linux calls that Swift's Glibc module does not show: they need _GNU_SOURCE or are macros. */

/* A non-blocking eventfd, close-on-exec; -1 with errno. */
int wl_eventfd(void);
/* Accepts one connection, non-blocking and close-on-exec; -1 with errno. `address` may hold 128 bytes. */
int wl_accept(int listener, void *address, uint32_t *length);
/* Has the kernel stamp what arrives at a socket; 0, or -1 with errno. */
int wl_stamp_arrivals(int socket);
/* As recv without flags. `stamp` is when the last of what was read arrived, in nanoseconds since 1970; 0 where the kernel
   does not say. */
ssize_t wl_receive_stamped(int socket, void *buffer, size_t length, int64_t *stamp);
/* What the kernel measured from a connection's SYN to its answer, in microseconds; 0 where it does not say, or a SYN was
   sent again. Asked before anything was sent. */
uint32_t wl_handshake_time(int socket);
/* Fills `buffer` from the kernel's random source; 0, or -1 with errno. */
int wl_random(void *buffer, size_t length);
/* Names the calling thread (15 characters at most). */
void wl_name_thread(const char *name);
