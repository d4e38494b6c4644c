/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For bench/parts: /dev/kcrypto on a host without the module. Preloaded, it takes the system calls
 * of src/kernel and of the bare loop for that device, and libcrypto does the work. callgrind leaves
 * all of it out, so that what is counted is what a program does around the call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcrypto.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <openssl/evp.h>

#define PATH	 "/dev/kcrypto"
#define SESSIONS 64 /* by descriptor */
#define KEY	 16 /* bytes */

static struct session {
	bool is_open;
	uint32_t algorithm;
	unsigned char key[KEY];
} sessions[SESSIONS];

static void *at(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static const EVP_CIPHER *cipher_of(const struct session *s)
{
	static EVP_CIPHER *cbc, *gcm;

	if (!cbc) {
		OSSL_LIB_CTX *own = OSSL_LIB_CTX_new();

		cbc = EVP_CIPHER_fetch(own, "AES-128-CBC", NULL);
		gcm = EVP_CIPHER_fetch(own, "AES-128-GCM", NULL);
	}
	return s->algorithm == KCRYPTO_CBC_AES ? cbc : gcm;
}

static bool transform(EVP_CIPHER_CTX *c, const struct session *s, const struct kcrypto_request *r)
{
	bool encrypts = !(r->flags & KCRYPTO_DECRYPT);
	int n = 0;

	return EVP_CipherInit_ex2(c, cipher_of(s), s->key, at(r->iv), encrypts, NULL) &&
	       EVP_CIPHER_CTX_set_padding(c, 0) &&
	       (!r->aad_len || EVP_CipherUpdate(c, NULL, &n, at(r->aad), (int)r->aad_len)) &&
	       EVP_CipherUpdate(c, at(r->out), &n, at(r->in), (int)r->len) &&
	       (encrypts || !r->tag_len ||
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, (int)r->tag_len, at(r->tag)) > 0) &&
	       EVP_CipherFinal_ex(c, (unsigned char *)at(r->out) + n, &n) &&
	       (!encrypts || !r->tag_len ||
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, (int)r->tag_len, at(r->tag)) > 0);
}

static int run(const struct session *s, const struct kcrypto_request *r)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	bool ok = c && transform(c, s, r);

	EVP_CIPHER_CTX_free(c);
	return ok ? 0 : -EBADMSG;
}

static int set_up(struct session *s, struct kcrypto_open *arg)
{
	if (arg->key_len != KEY)
		return -EINVAL;
	s->algorithm = arg->algorithm;
	memcpy(s->key, at(arg->key), KEY);
	arg->session = 1;
	arg->max_len = KCRYPTO_MAX_LEN;
	return 0;
}

static int list(struct kcrypto_list *arg)
{
	static const uint32_t algorithms[] = { KCRYPTO_CBC_AES, KCRYPTO_GCM_AES };
	struct kcrypto_driver *found = at(arg->drivers);

	arg->count = sizeof(algorithms) / sizeof(algorithms[0]);
	for (uint32_t i = 0; i < arg->count; i++)
		found[i] = (struct kcrypto_driver){ .algorithm = algorithms[i],
						    .flags = KCRYPTO_DRIVER_HARDWARE,
						    .max_key = KEY,
						    .priority = 1000,
						    .max_len = KCRYPTO_MAX_LEN,
						    .name = "null-device" };
	return 0;
}

/* What the device returns. */
static int control(struct session *s, unsigned long what, void *arg)
{
	if (what == KCRYPTO_IOC_LIST)
		return list(arg);
	if (what == KCRYPTO_IOC_OPEN)
		return set_up(s, arg);
	if (what == KCRYPTO_IOC_RUN)
		return run(s, arg);
	return -ENOENT; /* nothing is in flight */
}

static long answer(int err)
{
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

static bool is_session(long fd)
{
	return fd >= 0 && fd < SESSIONS && sessions[fd].is_open;
}

static long opened(long fd)
{
	if (fd >= 0 && fd < SESSIONS)
		sessions[fd].is_open = true;
	return fd;
}

static long call(long number, const long a[6])
{
	static long (*libc)(long number, ...);

	if (!libc)
		libc = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_openat && strcmp(at((uintptr_t)a[1]), PATH) == 0)
		return opened(libc(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC));
	if (number == SYS_ioctl && is_session(a[0]))
		return answer(control(&sessions[a[0]], (unsigned long)a[1], at((uintptr_t)a[2])));
	if (number == SYS_close && is_session(a[0]))
		sessions[a[0]].is_open = false;
	return libc(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* In the places of libc's functions. */
#define PUBLIC __attribute__((visibility("default")))
PUBLIC long syscall(long number, ...);
PUBLIC int open(const char *path, int how, ...);
PUBLIC int ioctl(int fd, unsigned long what, ...);

long syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return call(number, a);
}

int open(const char *path, int how, ...)
{
	va_list args;
	int mode = 0;

	va_start(args, how);
	if (how & O_CREAT)
		mode = va_arg(args, int);
	va_end(args);
	return (int)call(SYS_openat, (long[6]){ AT_FDCWD, (long)path, how, mode });
}

int ioctl(int fd, unsigned long what, ...)
{
	va_list args;
	void *arg;

	va_start(args, what);
	arg = va_arg(args, void *);
	va_end(args);
	return (int)call(SYS_ioctl, (long[6]){ fd, (long)what, (long)arg });
}
