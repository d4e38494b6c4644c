/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that enters a sandbox at some point of its life with the provider, and continues to
 * encrypt. usage: sandboxed CONFIG CAGE STAGE; see the tables below. Prints how many requests the
 * kernel did before and after. Exits with 0 if every output was the default provider's. usage:
 * sandboxed CAGE -- COMMAND [ARGS...]: enters the sandbox and executes the command.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <seccomp.h>

#include "stats/table.h"
#include "integration/lives/live.h"
#include "integration/lives/must.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ALG_FAMILY   38 /* AF_ALG */
#define NOBODY	     65534

static OSSL_LIB_CTX *lib;
static EVP_CIPHER *cipher;
static struct kc_stats *stats;

/* @names: of system calls, separated by colons. */
static bool add(scmp_filter_ctx f, uint32_t action, const char *names)
{
	char *rest = strdupa(names), *name;

	while ((name = strsep(&rest, ":"))) {
		int nr = seccomp_syscall_resolve_name(name);

		/* Not every architecture has all of these calls. */
		if (nr >= 0 && seccomp_rule_add(f, action, nr, 0) != 0)
			return false;
	}
	return true;
}

/*
 * As OpenSSH's child before authentication: unlisted calls kill the process, and files cannot be
 * opened.
 */
static bool enter_strict(uint32_t action)
{
	static const char allowed[] =
		"brk:clock_gettime:clock_nanosleep:close:exit:futex:exit_group:geteuid:"
		"getpid:getrandom:gettid:gettimeofday:getuid:mremap:munmap:nanosleep:"
		"poll:ppoll:pselect6:read:select:shutdown:time:write:writev:"
		"rt_sigprocmask";
	static const char refused[] =
		"fstat:lstat:newfstatat:open:openat:shmget:shmat:shmdt:stat:statx";
	static const int advice[] = { MADV_NORMAL, MADV_FREE, MADV_DONTNEED };
	const struct scmp_arg_cmp data =
		SCMP_A2(SCMP_CMP_MASKED_EQ, ~(uint64_t)(PROT_READ | PROT_WRITE), 0);
	scmp_filter_ctx f = seccomp_init(action);
	bool ok = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, data) == 0 &&
		  seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, data) == 0;

	for (size_t i = 0; i < COUNT(advice); i++)
		ok = ok && seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(madvise), 1,
					    SCMP_A2(SCMP_CMP_EQ, (uint64_t)advice[i])) == 0;
	return ok && add(f, SCMP_ACT_ALLOW, allowed) && add(f, SCMP_ACT_ERRNO(EACCES), refused) &&
	       seccomp_load(f) == 0;
}

/*
 * As a service with systemd's SystemCallFilter=: unlisted calls kill the process. Allows everything
 * that a program needs to load kcrypto and to encrypt, but no socket, no ioctl on a device, and no
 * pipe.
 */
static bool enter_service(uint32_t action)
{
	static const char allowed[] =
		"access:arch_prctl:brk:clock_gettime:clone3:close:exit:exit_group:fstat:"
		"fstat64:futex:getegid:geteuid:getgid:getpid:getrandom:getrlimit:gettid:"
		"gettimeofday:getuid:lseek:madvise:mmap:mprotect:mremap:munmap:"
		"newfstatat:open:openat:pread64:prlimit64:pwrite64:read:readlink:"
		"readlinkat:rseq:rt_sigaction:rt_sigprocmask:sched_getaffinity:"
		"set_robust_list:set_tid_address:stat:statx:sysinfo:uname:write:writev";
	scmp_filter_ctx f = seccomp_init(action);

	return add(f, SCMP_ACT_ALLOW, allowed) && seccomp_load(f) == 0;
}

/* As a service with RestrictAddressFamilies=, or as a container that forbids AF_ALG. */
static bool enter_family(uint32_t action)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);

	return seccomp_rule_add(f, action, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, ALG_FAMILY)) ==
		       0 &&
	       seccomp_load(f) == 0;
}

/* Files may be opened, but ioctl may only ask whether they are terminals. */
static bool enter_ioctl(uint32_t action)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);

	return seccomp_rule_add(f, action, SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_NE, TCGETS)) == 0 &&
	       seccomp_load(f) == 0;
}

static bool refuse(const char *names, uint32_t action)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);

	return add(f, action, names) && seccomp_load(f) == 0;
}

/* As enter_strict() in its effect on kcrypto, but terminal ioctls pass. */
static bool enter_terminal(uint32_t action)
{
	return refuse("open:openat:fstat:newfstatat:statx", action) &&
	       enter_ioctl(SCMP_ACT_KILL_PROCESS);
}

/* A container's filter and a second one inside it. Neither concerns kcrypto. */
static bool enter_container(uint32_t action)
{
	return refuse("bpf", action) && refuse("kexec_load", action);
}

static bool enter_empty_root(uint32_t unused)
{
	char dir[] = "/run/kcrypto-empty-XXXXXX";

	(void)unused;
	return mkdtemp(dir) && chroot(dir) == 0 && chdir("/") == 0;
}

static bool become_nobody(uint32_t unused)
{
	(void)unused;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       setresgid(NOBODY, NOBODY, NOBODY) == 0 && setresuid(NOBODY, NOBODY, NOBODY) == 0;
}

/* The action for the calls: deadly, or refused. */
static const struct cage {
	const char *name;
	bool (*enter)(uint32_t action);
	uint32_t action;
} cages[] = {
	{ "strict", enter_strict, SCMP_ACT_KILL_PROCESS },
	{ "service", enter_service, SCMP_ACT_KILL_PROCESS },
	{ "family-unsupported", enter_family, SCMP_ACT_ERRNO(EAFNOSUPPORT) },
	{ "family-forbidden", enter_family, SCMP_ACT_ERRNO(EPERM) },
	{ "family-deadly", enter_family, SCMP_ACT_KILL_PROCESS },
	{ "ioctl-deadly", enter_ioctl, SCMP_ACT_KILL_PROCESS },
	{ "ioctl-refused", enter_ioctl, SCMP_ACT_ERRNO(EPERM) },
	{ "terminal", enter_terminal, SCMP_ACT_ERRNO(EACCES) },
	{ "container", enter_container, SCMP_ACT_ERRNO(EPERM) },
	{ "empty-root", enter_empty_root },
	{ "nobody", become_nobody },
};

/* When the program enters the sandbox. */
static const char *const stages[] = { "start", "loaded", "fetched", "tried", "live", "thread" };
enum stage { START, LOADED, FETCHED, TRIED, LIVE, THREAD };

static unsigned long long requests(void)
{
	return kc_stats_sum(&stats->row[KC_ALG_AES_128_CBC]).requests;
}

static EVP_CIPHER_CTX *context(int enc)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	must(c && EVP_CipherInit_ex(c, cipher, NULL, live_key, live_iv, enc), "init");
	EVP_CIPHER_CTX_set_padding(c, 0);
	return c;
}

static void encrypt_right(EVP_CIPHER_CTX *c)
{
	must(live_is_right(c), "wrong ciphertext");
}

static void decrypt_right(EVP_CIPHER_CTX *c)
{
	unsigned char buf[LIVE_LEN];
	int n = 0;

	memcpy(buf, live_want[0], LIVE_LEN);
	must(EVP_DecryptUpdate(c, buf, &n, buf, LIVE_LEN) && n == LIVE_LEN, "update in place");
	must(memcmp(buf, live_in, LIVE_LEN) == 0, "wrong plaintext");
}

/* What a program does with contexts that it has, and with new ones. */
static void use(EVP_CIPHER_CTX *old)
{
	EVP_CIPHER_CTX *c = context(1), *d = context(0), *copy = EVP_CIPHER_CTX_new();

	for (int i = 0; i < 100; i++)
		encrypt_right(old ? old : c);
	encrypt_right(c);
	decrypt_right(d);
	must(EVP_CIPHER_CTX_copy(copy, old ? old : c), "copy");
	encrypt_right(copy);
	must(EVP_EncryptInit_ex(c, NULL, NULL, live_key, live_iv), "new key");
	encrypt_right(c);
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_CTX_free(d);
	EVP_CIPHER_CTX_free(copy);
	must(ERR_peek_error() == 0, "something is in the error queue");
}

/* Maps the counters as the provider finds them: it takes only memory that its own user owns. */
static void map_counters(uid_t owner)
{
	char path[KC_STATS_PATH];
	int fd = kc_stats_make(path);

	must(fd >= 0 && (stats = kc_stats_map(path)) && fchown(fd, owner, owner) == 0 &&
		     setenv("KCRYPTO_STATS", path, 1) == 0,
	     "counters");
}

static const struct cage *cage;

static void enter(void)
{
	must(cage->enter(cage->action), "could not enter");
}

static void *alone(void *unused)
{
	(void)unused;
	use(NULL);
	enter();
	use(NULL);
	return NULL;
}

/* One thread enters the sandbox, this one does not. */
static void thread_alone(void)
{
	EVP_CIPHER_CTX *c = context(1);
	pthread_t thread;

	must(pthread_create(&thread, NULL, alone, NULL) == 0, "thread");
	for (int i = 0; i < 200; i++)
		encrypt_right(c);
	must(pthread_join(thread, NULL) == 0, "join");
	EVP_CIPHER_CTX_free(c);
}

static void enter_at(enum stage now, enum stage stage)
{
	if (now == stage)
		enter();
}

static void live_a_life(const char *config, enum stage stage)
{
	unsigned long long before = 0;
	EVP_CIPHER_CTX *c;

	enter_at(START, stage);
	lib = OSSL_LIB_CTX_new();
	must(OSSL_LIB_CTX_load_config(lib, config), "configuration");
	enter_at(LOADED, stage);
	cipher = EVP_CIPHER_fetch(lib, "AES-128-CBC", "?provider=kcrypto");
	must(cipher != NULL, "fetch");
	enter_at(FETCHED, stage);
	if (stage > FETCHED) {
		c = context(1);
		encrypt_right(c);
		EVP_CIPHER_CTX_free(c);
	}
	enter_at(TRIED, stage);
	c = context(1);
	if (stage > TRIED)
		encrypt_right(c);
	before = requests();
	enter_at(LIVE, stage);
	if (stage == THREAD)
		thread_alone();
	use(c);
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_free(cipher);
	OSSL_LIB_CTX_free(lib);
	printf("%llu %llu\n", before, requests() - before);
}

int main(int argc, char **argv)
{
	size_t stage = 0;
	bool becomes;

	must(argc >= 4, "usage: sandboxed CONFIG CAGE STAGE, or sandboxed CAGE -- COMMAND");
	becomes = strcmp(argv[2], "--") == 0;
	for (size_t i = 0; i < COUNT(cages); i++)
		if (strcmp(cages[i].name, argv[2 - becomes]) == 0)
			cage = &cages[i];
	if (becomes && cage) {
		enter();
		execvp(argv[3], argv + 3);
	}
	while (stage < COUNT(stages) && strcmp(stages[stage], argv[3]) != 0)
		stage++;
	must(cage && stage < COUNT(stages), "no such cage or stage");
	map_counters(stage <= LOADED && cage->enter == become_nobody ? NOBODY : 0);
	live_prepare();
	live_a_life(argv[1], (enum stage)stage);
	return 0;
}
