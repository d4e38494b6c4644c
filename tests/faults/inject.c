/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler marks its own calls in the sixth argument, which none of them uses, and the filter
 * lets these pass. Works for one thread only, since it counts without locks.
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

enum kind { FOREIGN, ALG_SOCKET, DEVICE, PROC_FILE };

static const struct row {
	const char *name;
	long nr;      /* of the system call; read stands for readv */
	enum kind on; /* kind of its descriptor; for fstat a device, too */
	const char *path;
	unsigned long request; /* of ioctl */
	int arg, flag;	 /* flag that prevents SIGPIPE, or inheritance by exec, and its argument */
	enum kind makes; /* kind of the descriptor that it returns */
	bool opens;	 /* makes a session, or the descriptor of one */
} rows[INJECT_CALLS] = {
	[INJECT_SOCKET] = { "socket", SYS_socket, .arg = 1, .flag = SOCK_CLOEXEC,
			    .makes = ALG_SOCKET },
	[INJECT_BIND] = { "bind", SYS_bind, ALG_SOCKET },
	[INJECT_SETSOCKOPT] = { "setsockopt", SYS_setsockopt, ALG_SOCKET },
	[INJECT_GETSOCKOPT] = { "getsockopt", SYS_getsockopt, ALG_SOCKET },
	[INJECT_ACCEPT4] = { "accept4", SYS_accept4, ALG_SOCKET, .arg = 3, .flag = SOCK_CLOEXEC,
			     .makes = ALG_SOCKET, .opens = true },
	[INJECT_SENDMSG] = { "sendmsg", SYS_sendmsg, ALG_SOCKET, .arg = 2, .flag = MSG_NOSIGNAL },
	[INJECT_READ] = { "read", SYS_read, ALG_SOCKET },
	[INJECT_FSTAT] = { "fstat", SYS_fstat, ALG_SOCKET },
	[INJECT_DEV_OPEN] = { "open of /dev/crypto", SYS_openat, .path = DEVCRYPTO_PATH, .arg = 2,
			      .flag = O_CLOEXEC, .makes = DEVICE, .opens = true },
	[INJECT_GSESSION] = { "CIOCGSESSION", SYS_ioctl, DEVICE, .request = CIOCGSESSION,
			      .opens = true },
	[INJECT_GSESSINFO] = { "CIOCGSESSINFO", SYS_ioctl, DEVICE, .request = CIOCGSESSINFO },
	[INJECT_CRYPT] = { "CIOCCRYPT", SYS_ioctl, DEVICE, .request = CIOCCRYPT },
	[INJECT_AUTHCRYPT] = { "CIOCAUTHCRYPT", SYS_ioctl, DEVICE, .request = CIOCAUTHCRYPT },
	[INJECT_FSESSION] = { "CIOCFSESSION", SYS_ioctl, DEVICE, .request = CIOCFSESSION },
	[INJECT_KC_LIST] = { "LIST", SYS_ioctl, DEVICE, .request = KCRYPTO_IOC_LIST },
	[INJECT_NODE_OPEN] = { "open of /dev/kcrypto", SYS_openat, .path = "/dev/kcrypto", .arg = 2,
			       .flag = O_CLOEXEC, .makes = DEVICE, .opens = true },
	[INJECT_KC_OPEN] = { "OPEN", SYS_ioctl, DEVICE, .request = KCRYPTO_IOC_OPEN,
			     .opens = true },
	[INJECT_KC_RUN] = { "RUN", SYS_ioctl, DEVICE, .request = KCRYPTO_IOC_RUN },
	[INJECT_KC_REAP] = { "REAP", SYS_ioctl, DEVICE, .request = KCRYPTO_IOC_REAP },
	[INJECT_PROC_OPEN] = { "open of /proc", SYS_openat, .path = "/proc/crypto", .arg = 2,
			       .flag = O_CLOEXEC, .makes = PROC_FILE },
	[INJECT_PROC_READ] = { "read of /proc", SYS_read, PROC_FILE },
};

const char *inject_name(enum inject_call call)
{
	return rows[call].name;
}

static struct inject_plan plan;
static struct inject_seen *seen;
static unsigned char kind[MAX_FD];
static bool opens[MAX_FD]; /* whether the last request on this socket was an AEAD's decryption */
static int last;	   /* the previous one of the calls that are counted */
static struct {
	const void *from;
	size_t len;
} watched;

static enum kind kind_of(long fd)
{
	return fd >= 0 && fd < MAX_FD ? (enum kind)kind[fd] : FOREIGN;
}

static bool is_path(const char *path, const struct row *row)
{
	return strcmp(path, row->path) == 0 ||
	       (row->makes == PROC_FILE && strcmp(path, "/proc/thread-self/status") == 0);
}

static bool is_call(const struct row *row, long nr, const long *arg)
{
	if (row->nr != (nr == SYS_readv ? SYS_read : nr))
		return false;
	switch (nr) {
	case SYS_socket:
		return arg[0] == ALG;
	case SYS_openat:
		return is_path((const char *)arg[1], row);
	case SYS_ioctl:
		return kind_of(arg[0]) == DEVICE && (unsigned long)arg[1] == row->request;
	case SYS_fstat:
		return kind_of(arg[0]) == DEVICE || kind_of(arg[0]) == ALG_SOCKET;
	}
	return kind_of(arg[0]) == row->on;
}

/* The table's row of this call, or NO_CALL. */
static int which(long nr, const long *arg)
{
	for (int call = 0; call < INJECT_CALLS; call++)
		if (is_call(&rows[call], nr, arg))
			return call;
	return NO_CALL;
}

/* The buffers of any call on a socket. */
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

/* Whether this message is a decryption, so that its tag and AAD are to be examined. */
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

/*
 * Whether a decryption, whose tag may turn out to be bad, writes to memory that the application
 * reads.
 */
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

/* Makes the call. Returns the kernel's answer: -errno on failure. */
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
	if (call != NO_CALL && rows[call].makes && result >= 0 && result < MAX_FD)
		kind[result] = (unsigned char)rows[call].makes;
}

static void on_call(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	long arg[6] = { r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9] };
	int saved_errno = errno;
	int call = which(info->si_syscall, arg);
	long result;

	(void)sig;
	seen->careless +=
		call != NO_CALL && (arg[rows[call].arg] & rows[call].flag) != rows[call].flag;
	seen->released += is_released(call, info->si_syscall, arg);
	if (fails(call)) {
		seen->fired++;
		seen->fired_opening += last != NO_CALL && rows[last].opens;
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
