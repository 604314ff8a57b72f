#define _GNU_SOURCE
#include "CPlatform.h"
#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>

int wl_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int wl_accept(int listener, void *address, uint32_t *length) {
    return accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int wl_random(void *buffer, size_t length) {
    unsigned char *at = buffer;
    while (length > 0) {
        ssize_t got = getrandom(at, length, 0);
        if (got < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        at += got;
        length -= (size_t)got;
    }
    return 0;
}

void wl_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
