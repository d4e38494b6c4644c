/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler's own calls have a mark in the sixth argument, which none of them uses: the filter
 * lets these pass. One thread only: it counts without locks.
 */
#include "inject.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/filter.h>
#include <linux/if_alg.h>
#include <linux/kcrypto.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "kernel/devcrypto_abi.h"

#define MARK	   0x6b63727970746f31
#define MAX_FD	   4096
#define ALG	   38 /* AF_ALG */
#define MAX_PIECES 3
#define NO_CALL	   (-1)

const char *const inject_name[INJECT_CALLS] = {
	"socket",
	"bind",
	"setsockopt",
	"getsockopt",
	"accept4",
	"sendmsg",
	"read",
	"fstat",
	"open of /dev/crypto",
	"CIOCGSESSION",
	"CIOCGSESSINFO",
	"CIOCCRYPT",
	"CIOCAUTHCRYPT",
	"CIOCFSESSION",
	"LIST",
	"open of /dev/kcrypto",
	"OPEN",
	"RUN",
	"REAP",
	"open of /proc",
	"read of /proc",
};

enum kind { FOREIGN, ALG_SOCKET, DEVICE, PROC_FILE };

static struct inject_plan plan;
static struct inject_seen *seen;
static unsigned char kind[MAX_FD];
static bool opens[MAX_FD]; /* the last request on this socket was an AEAD's decryption */
static int last;	   /* of ours, before the present one */
static struct {
	const void *from;
	size_t len;
} watched;

static enum kind kind_of(long fd)
{
	return fd >= 0 && fd < MAX_FD ? (enum kind)kind[fd] : FOREIGN;
}

static bool is_proc(long path)
{
	const char *p = (const char *)path;

	return strcmp(p, "/proc/crypto") == 0 || strcmp(p, "/proc/thread-self/status") == 0;
}

static int opened(long path)
{
	if (strcmp((const char *)path, DEVCRYPTO_PATH) == 0)
		return INJECT_DEV_OPEN;
	if (strcmp((const char *)path, "/dev/kcrypto") == 0)
		return INJECT_NODE_OPEN;
	return is_proc(path) ? INJECT_PROC_OPEN : NO_CALL;
}

static int asked_of_device(long request)
{
	switch ((unsigned long)request) {
	case CIOCGSESSION:
		return INJECT_GSESSION;
	case CIOCGSESSINFO:
		return INJECT_GSESSINFO;
	case CIOCCRYPT:
		return INJECT_CRYPT;
	case CIOCAUTHCRYPT:
		return INJECT_AUTHCRYPT;
	case CIOCFSESSION:
		return INJECT_FSESSION;
	case KCRYPTO_IOC_LIST:
		return INJECT_KC_LIST;
	case KCRYPTO_IOC_OPEN:
		return INJECT_KC_OPEN;
	case KCRYPTO_IOC_RUN:
		return INJECT_KC_RUN;
	case KCRYPTO_IOC_REAP:
		return INJECT_KC_REAP;
	}
	return NO_CALL;
}

/* Which of ours this is, or NO_CALL. */
static int which(long nr, const long *arg)
{
	if (kind_of(arg[0]) == DEVICE && nr == SYS_ioctl)
		return asked_of_device(arg[1]);
	if (kind_of(arg[0]) == DEVICE && nr == SYS_fstat)
		return INJECT_FSTAT;
	switch (nr) {
	case SYS_socket:
		return arg[0] == ALG ? INJECT_SOCKET : NO_CALL;
	case SYS_openat:
		return opened(arg[1]);
	case SYS_read:
		if (kind_of(arg[0]) == PROC_FILE)
			return INJECT_PROC_READ;
		return kind_of(arg[0]) == ALG_SOCKET ? INJECT_READ : NO_CALL;
	}
	if (kind_of(arg[0]) != ALG_SOCKET)
		return NO_CALL;
	switch (nr) {
	case SYS_bind:
		return INJECT_BIND;
	case SYS_setsockopt:
		return INJECT_SETSOCKOPT;
	case SYS_getsockopt:
		return INJECT_GETSOCKOPT;
	case SYS_accept4:
		return INJECT_ACCEPT4;
	case SYS_sendmsg:
		return INJECT_SENDMSG;
	case SYS_readv:
		return INJECT_READ;
	case SYS_fstat:
		return INJECT_FSTAT;
	}
	return NO_CALL;
}

/* Without the flag that keeps this call from raising SIGPIPE, or its descriptor from exec. */
static bool is_careless(int call, const long *arg)
{
	switch (call) {
	case INJECT_SOCKET:
		return !(arg[1] & SOCK_CLOEXEC);
	case INJECT_ACCEPT4:
		return !(arg[3] & SOCK_CLOEXEC);
	case INJECT_DEV_OPEN:
	case INJECT_NODE_OPEN:
	case INJECT_PROC_OPEN:
		return !(arg[2] & O_CLOEXEC);
	case INJECT_SENDMSG:
		return !(arg[2] & MSG_NOSIGNAL);
	}
	return false;
}

/* Buffers of a call on a socket, whichever it is. */
struct pieces {
	struct iovec v[MAX_PIECES];
	size_t n;
};

static struct pieces pieces_of(long nr, const long *arg)
{
	const struct msghdr *msg = (const struct msghdr *)arg[1];
	const struct iovec one = { .iov_base = (void *)arg[1], .iov_len = (size_t)arg[2] };
	const struct iovec *from = nr == SYS_sendmsg ? msg->msg_iov :
				   nr == SYS_readv   ? (const struct iovec *)arg[1] :
						       &one;
	size_t n = nr == SYS_sendmsg ? msg->msg_iovlen : nr == SYS_readv ? (size_t)arg[2] : 1;
	struct pieces p = { .n = n < MAX_PIECES ? n : MAX_PIECES };

	memcpy(p.v, from, p.n * sizeof(*from));
	return p;
}

static size_t length(long nr, const long *arg)
{
	struct pieces p = pieces_of(nr, arg);
	size_t sum = 0;

	for (size_t i = 0; i < p.n; i++)
		sum += p.v[i].iov_len;
	return sum;
}

static bool is_watched(const void *at, size_t len)
{
	uintptr_t from = (uintptr_t)at, first = (uintptr_t)watched.from;

	return len && from < first + watched.len && first < from + len;
}

/* Is this message to be decrypted, and are its tag and AAD to be examined? */
static bool opens_aead(const struct msghdr *msg)
{
	bool is_decryption = false, is_aead = false;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c;
	     c = CMSG_NXTHDR((struct msghdr *)(uintptr_t)msg, c)) {
		uint32_t value;

		memcpy(&value, CMSG_DATA(c), sizeof(value));
		is_decryption |= c->cmsg_type == ALG_SET_OP && value == ALG_OP_DECRYPT;
		is_aead |= c->cmsg_type == ALG_SET_AEAD_ASSOCLEN;
	}
	return is_decryption && is_aead;
}

/* Does a decryption that may turn out to be of a bad tag go where the application looks? */
static bool is_released(int call, long nr, const long *arg)
{
	const struct crypt_auth_op *op = (const struct crypt_auth_op *)arg[2];
	bool found = false;

	if (call == INJECT_SENDMSG)
		opens[arg[0]] = opens_aead((const struct msghdr *)arg[1]);
	if (call == INJECT_AUTHCRYPT)
		return op->op == COP_DECRYPT && is_watched(op->dst, op->len);
	if (call == INJECT_READ && opens[arg[0]]) {
		struct pieces p = pieces_of(nr, arg);

		for (size_t i = 0; i < p.n; i++)
			found |= is_watched(p.v[i].iov_base, p.v[i].iov_len);
	}
	return found;
}

/* Returns the kernel's answer: -errno on failure. */
static long really(long nr, const long *arg)
{
	long n = syscall(nr, arg[0], arg[1], arg[2], arg[3], arg[4], MARK);

	return n < 0 ? -errno : n;
}

static void cut(struct pieces *p, size_t len)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->v[i].iov_len > len)
			p->v[i].iov_len = len;
		len -= p->v[i].iov_len;
	}
}

static long do_half(long nr, const long *arg)
{
	struct pieces half = pieces_of(nr, arg);
	struct msghdr msg;
	long less[6];

	memcpy(less, arg, sizeof(less));
	cut(&half, length(nr, arg) / 2);
	if (nr == SYS_sendmsg) {
		msg = *(const struct msghdr *)arg[1];
		msg.msg_iov = half.v;
		msg.msg_iovlen = half.n;
		less[1] = (long)&msg;
		return really(nr, less);
	}
	less[1] = (long)half.v;
	less[2] = (long)half.n;
	return really(SYS_readv, less);
}

static long do_and_deny(long nr, const long *arg)
{
	long result = really(nr, arg);

	return result < 0 ? result : -EBADMSG;
}

static long instead(long nr, const long *arg)
{
	switch (plan.fault) {
	case INJECT_BAD:
		return do_and_deny(nr, arg);
	case INJECT_NONE:
		return 0;
	case INJECT_ONE:
		return 1;
	case INJECT_ALL_BUT_1:
		return (long)length(nr, arg) - 1;
	case INJECT_HALF:
		return do_half(nr, arg);
	}
	return -plan.fault;
}

static bool fails(int call)
{
	unsigned n;

	if (call == NO_CALL)
		return false;
	n = ++seen->calls[call];
	if ((int)plan.call != call || !plan.from || n < plan.from)
		return false;
	return n == plan.from || plan.for_good;
}

static void note(long nr, int call, const long *arg, long result)
{
	if (nr == SYS_close && kind_of(arg[0]) != FOREIGN)
		kind[arg[0]] = FOREIGN;
	if (result < 0 || result >= MAX_FD)
		return;
	if (call == INJECT_SOCKET || call == INJECT_ACCEPT4)
		kind[result] = ALG_SOCKET;
	if (call == INJECT_DEV_OPEN || call == INJECT_NODE_OPEN)
		kind[result] = DEVICE;
	if (call == INJECT_PROC_OPEN)
		kind[result] = PROC_FILE;
}

static bool is_opening(void)
{
	return last == INJECT_ACCEPT4 || last == INJECT_DEV_OPEN || last == INJECT_GSESSION ||
	       last == INJECT_NODE_OPEN || last == INJECT_KC_OPEN;
}

static void on_call(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	long arg[6] = { r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9] };
	int saved_errno = errno;
	int call = which(info->si_syscall, arg);
	long result;

	(void)sig;
	seen->careless += is_careless(call, arg);
	seen->released += is_released(call, info->si_syscall, arg);
	if (fails(call)) {
		seen->fired++;
		seen->fired_opening += is_opening();
		result = instead(info->si_syscall, arg);
	} else {
		result = really(info->si_syscall, arg);
		note(info->si_syscall, call, arg, result);
	}
	if (call != NO_CALL)
		last = call;
	r[REG_RAX] = result;
	errno = saved_errno;
}

#define FIELD(f)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, f))
#define TRAP_IF(nr, to) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##nr, to, 0)

static bool install_filter(void)
{
	struct sock_filter code[] = {
		FIELD(args[5]),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)MARK, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5]) + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(MARK >> 32), 13, 0),
		FIELD(nr),
		TRAP_IF(ioctl, 12),
		TRAP_IF(socket, 11),
		TRAP_IF(bind, 10),
		TRAP_IF(setsockopt, 9),
		TRAP_IF(getsockopt, 8),
		TRAP_IF(accept4, 7),
		TRAP_IF(sendmsg, 6),
		TRAP_IF(readv, 5),
		TRAP_IF(read, 4),
		TRAP_IF(fstat, 3),
		TRAP_IF(openat, 2),
		TRAP_IF(close, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool inject_start(struct inject_seen *where)
{
	struct sigaction action = { .sa_sigaction = on_call, .sa_flags = SA_SIGINFO };

	seen = where;
	return sigaction(SIGSYS, &action, NULL) == 0 && install_filter();
}

void inject_watch(const void *from, size_t len)
{
	watched.from = from;
	watched.len = len;
}

void inject_set(const struct inject_plan *what)
{
	plan = *what;
	last = NO_CALL;
	memset(seen, 0, sizeof(*seen));
}

unsigned inject_open_sessions(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < MAX_FD; fd++)
		n += kind[fd] == ALG_SOCKET || kind[fd] == DEVICE;
	return n;
}
