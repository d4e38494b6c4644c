/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes one of the provider's system calls fail, like strace's -e inject, but from inside and at
 * the cost of a signal: a seccomp filter turns the calls into SIGSYS, and the handler counts them,
 * and either answers or makes the call after all. Counts only calls on AF_ALG sockets, on
 * /dev/crypto, /dev/kcrypto and on /proc files; those of libc, the loader and OpenSSL are ignored.
 * x86-64.
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
	INJECT_FSTAT, /* for both backends: before one's calls, after the other's */
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
	INJECT_BAD = -6,  /* really done, and then EBADMSG, as a driver reports a bad tag */
	INJECT_NONE,	  /* 0 bytes, nothing done */
	INJECT_ONE,	  /* 1 byte, nothing done */
	INJECT_ALL_BUT_1, /* one byte less than asked, nothing done */
	INJECT_HALF,	  /* half of it is really sent or read, and reported so */
};

struct inject_plan {
	enum inject_call call;
	unsigned from; /* the first call that fails, counted from 1; 0: none does */
	bool for_good; /* and all after it, too */
	int fault;     /* an errno, or an enum inject_short */
};

/* In memory shared with the process that examines it afterwards. */
struct inject_seen {
	unsigned calls[INJECT_CALLS];
	unsigned fired;
	unsigned fired_opening; /* right after the call that makes a descriptor or a session */
	unsigned careless;	/* could raise SIGPIPE, or be inherited by another program */
	unsigned released;	/* an AEAD's decryption that goes where the application looks */
};

/*
 * For the rest of this process's and its children's lives; nothing fails yet. False where the
 * kernel refuses. @seen is written to from now on.
 */
bool inject_start(struct inject_seen *seen);

/* The application's buffer: unverified text must not go there. */
void inject_watch(const void *from, size_t len);

/* From the next call on; the counts begin anew. */
void inject_set(const struct inject_plan *plan);

/* Sockets of AF_ALG and files of /dev/crypto and /dev/kcrypto that are open now. */
unsigned inject_open_sessions(void);

#endif
