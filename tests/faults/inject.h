/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes one of the provider's system calls fail, like strace's -e inject, but from inside the
 * process and at the cost of a signal: a seccomp filter turns the calls into SIGSYS; the handler
 * counts them, and either answers or makes the call after all. Counts only calls on AF_ALG sockets,
 * on /dev/crypto, /dev/kcrypto and on /proc files; calls of libc, the loader and OpenSSL are
 * ignored. x86-64 only.
 */
#ifndef KC_TESTS_INJECT_H
#define KC_TESTS_INJECT_H

#include <stdbool.h>
#include <stddef.h>

enum inject_call {
	INJECT_SOCKET,
	INJECT_BIND,
	INJECT_SETSOCKOPT,
	INJECT_GETSOCKOPT,
	INJECT_ACCEPT4,
	INJECT_SENDMSG,
	INJECT_READ,  /* or readv: an AEAD's answer comes in pieces */
	INJECT_FSTAT, /* of both backends: before calls of one, after those of the other */
	INJECT_DEV_OPEN,
	INJECT_GSESSION,
	INJECT_GSESSINFO,
	INJECT_CRYPT,
	INJECT_AUTHCRYPT,
	INJECT_FSESSION,
	INJECT_KC_LIST, /* of /dev/kcrypto, as are the next four */
	INJECT_NODE_OPEN,
	INJECT_KC_OPEN,
	INJECT_KC_RUN,
	INJECT_KC_REAP,
	INJECT_PROC_OPEN,
	INJECT_PROC_READ,
	INJECT_CALLS
};

const char *inject_name(enum inject_call call);

/* Results other than a positive errno. */
enum inject_short {
	INJECT_BAD = -6,  /* really done, then EBADMSG, as a driver reports a bad tag */
	INJECT_NONE,	  /* 0 bytes; nothing is done */
	INJECT_ONE,	  /* 1 byte; nothing is done */
	INJECT_ALL_BUT_1, /* one byte less than asked for; nothing is done */
	INJECT_HALF,	  /* half of the bytes are really sent or read, and reported */
};

struct inject_plan {
	enum inject_call call;
	unsigned from; /* the first call that fails, counted from 1; 0: none does */
	bool for_good; /* and so do all later ones */
	int fault;     /* an errno, or an enum inject_short */
};

/* What was seen, in memory shared with the process that examines it afterwards. */
struct inject_seen {
	unsigned calls[INJECT_CALLS];
	unsigned fired;
	unsigned fired_opening; /* calls right after the one that made a descriptor or a session */
	unsigned careless; /* calls that could raise SIGPIPE, or whose descriptor exec inherits */
	unsigned released; /* decryptions of an AEAD that write where the application reads */
};

/*
 * Installs the filter for the rest of the life of this process and its children; no call fails yet.
 * From now on @seen is written to. Returns false if the kernel refuses.
 */
bool inject_start(struct inject_seen *seen);

/* Names the application's buffer, which must not receive text that is not verified. */
void inject_watch(const void *from, size_t len);

/* Sets the fault from the next call on, and resets the counts. */
void inject_set(const struct inject_plan *plan);

/* The number of open AF_ALG sockets and files of /dev/crypto and /dev/kcrypto. */
unsigned inject_open_sessions(void);

#endif
