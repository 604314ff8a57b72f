#define _GNU_SOURCE
#include "CPlatform.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <string.h>
#include <time.h>

int wl_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int wl_accept(int listener, void *address, uint32_t *length) {
    return accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int wl_stamp_arrivals(int socket) {
    int on = 1;
    return setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

ssize_t wl_receive_stamped(int socket, void *buffer, size_t length, int64_t *stamp) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec piece = {.iov_base = buffer, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
    *stamp = 0;
    ssize_t count = recvmsg(socket, &message, 0);
    if (count <= 0) return count;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
        if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_TIMESTAMPNS) continue;
        struct timespec time;
        memcpy(&time, CMSG_DATA(item), sizeof time);
        *stamp = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    }
    return count;
}

uint32_t wl_handshake_time(int socket) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
    return info.tcpi_total_retrans == 0 ? info.tcpi_rtt : 0;
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
