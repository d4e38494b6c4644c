/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AF_ALG: a request is one sendmsg and one read of exactly its answer on the op socket. The bound
 * socket is closed once that exists, so a session is one descriptor. The system calls on a
 * request's way, and the close that an init or a free makes, are made directly, as libc's are
 * cancellation points.
 */
#include "kernel/afalg.h"

#include <errno.h>
#include <linux/if_alg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/discover.h"
#include "kernel/identity.h"
#include "kernel/sandbox.h"

#ifndef AF_ALG
#define AF_ALG 38
#endif
#ifndef SOL_ALG
#define SOL_ALG 279
#endif

#define KERN_DRIVER_ONLY 0x1000 /* CRYPTO_ALG_KERN_DRIVER_ONLY */

/* salg_type */
static const char *const types[KC_KIND_COUNT] = {
	[KC_CIPHER] = "skcipher",
	[KC_AEAD] = "aead",
	[KC_DIGEST] = "hash",
	[KC_MAC] = "hash",
};

/* A bound socket, or -errno. @feature: flags a driver must have. */
static int bind_to(enum kc_kind kind, const char *name, unsigned feature)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG,
				   .salg_feat = feature,
				   .salg_mask = feature };
	int fd, err;

	snprintf((char *)sa.salg_type, sizeof(sa.salg_type), "%s", types[kind]);
	snprintf((char *)sa.salg_name, sizeof(sa.salg_name), "%s", name);
	do {
		fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -errno;
	do {
		err = bind(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0 ? 0 : -errno;
	} while (err == -EINTR);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

/* A digest has no key, and setting none is an error. */
static int accept_op(int tfm, const struct kc_key *key)
{
	int fd, err = 0;

	do {
		if (key->len)
			err = setsockopt(tfm, SOL_ALG, ALG_SET_KEY, key->bytes,
					 (socklen_t)key->len);
	} while (err && errno == EINTR);
	if (err)
		return -errno;
	do {
		fd = accept4(tfm, NULL, NULL, SOCK_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

/*
 * A send above this would wait for a reader, and the reader is us. The kernel counts in pages, and
 * grants one whatever the buffer: with pages of 64 KiB a buffer can be smaller.
 */
static int note_limit(struct kc_session *s)
{
	int size = 0;
	socklen_t len = sizeof(size);
	long page = sysconf(_SC_PAGESIZE);

	if (getsockopt(s->fd, SOL_SOCKET, SO_SNDBUF, &size, &len) != 0)
		return -errno;
	if (size < page)
		size = (int)page;
	if ((size_t)size < s->limit)
		s->limit = (size_t)(size / page * page);
	return 0;
}

static bool is_hash(const struct kc_alg *alg)
{
	return alg->kind == KC_DIGEST || alg->kind == KC_MAC;
}

static int open_session(struct kc_session *s, const struct kc_alg *alg, const char *driver,
			const struct kc_key *key)
{
	int tfm, err;

	if (!kc_sandbox_as_noted())
		return -EPERM;
	tfm = bind_to(alg->kind, *driver ? driver : alg->kernel_name, 0);
	if (tfm < 0)
		return tfm;
	s->fd = accept_op(tfm, key);
	close(tfm);
	if (s->fd < 0)
		return s->fd;
	err = kc_identity_note(s);
	/* What is hashed never waits in the socket. */
	if (!err && !is_hash(alg))
		err = note_limit(s);
	if (err)
		close(s->fd);
	return err;
}

/* All of them are listed anyway. */
static int discover(struct kc_drivers *drivers, const bool *is_named)
{
	(void)is_named;
	return kc_discover(drivers);
}

/* What goes before the data. Wiped by its owner: an IV can be a secret too. */
union control {
	struct cmsghdr header;
	char space[CMSG_SPACE(sizeof(__u32)) + CMSG_SPACE(sizeof(struct af_alg_iv) + KC_MAX_IV)];
};

/* IV and direction go with every request: none without a direction, which would mean decrypt. */
static size_t fill_control(union control *control, const struct kc_alg *alg,
			   const struct kc_req *req)
{
	struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof(*control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	__u32 op = req->dir == KC_ENCRYPT ? ALG_OP_ENCRYPT : ALG_OP_DECRYPT;
	__u32 iv_len = alg->iv_len;

	memset(control, 0, sizeof(*control));
	c->cmsg_level = SOL_ALG;
	c->cmsg_type = ALG_SET_OP;
	c->cmsg_len = CMSG_LEN(sizeof(op));
	memcpy(CMSG_DATA(c), &op, sizeof(op));
	if (!iv_len)
		return CMSG_SPACE(sizeof(op));
	c = CMSG_NXTHDR(&msg, c);
	c->cmsg_level = SOL_ALG;
	c->cmsg_type = ALG_SET_IV;
	c->cmsg_len = CMSG_LEN(sizeof(iv_len) + iv_len);
	memcpy(CMSG_DATA(c), &iv_len, sizeof(iv_len));
	memcpy(CMSG_DATA(c) + sizeof(iv_len), req->iv, iv_len);
	return CMSG_SPACE(sizeof(op)) + CMSG_SPACE(sizeof(iv_len) + iv_len);
}

/* Never waits: what does not fit at once fails, and the session with it. */
static int send_request(int fd, const struct kc_alg *alg, const struct kc_req *req)
{
	union control control;
	struct iovec data = { .iov_base = (void *)(uintptr_t)req->in, .iov_len = req->len };
	struct msghdr msg = { .msg_iov = &data, .msg_iovlen = 1 };
	long n;

	/* Without MSG_MORE it is a whole message, which needs nothing before it to be hashed. */
	if (!is_hash(alg)) {
		msg.msg_control = &control;
		msg.msg_controllen = fill_control(&control, alg, req);
	}
	do {
		n = syscall(SYS_sendmsg, fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	explicit_bzero(&control, sizeof(control));
	if (n < 0)
		return -errno;
	return (size_t)n == req->len ? 0 : -EIO;
}

static int read_answer(int fd, uint8_t *out, size_t len)
{
	long n;

	do {
		n = syscall(SYS_read, fd, out, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

static int run(struct kc_session *s, const struct kc_req *req)
{
	int err;

	if (!kc_identity_holds(s))
		return -EBADF;
	err = send_request(s->fd, s->alg, req);
	if (err)
		return err;
	if (is_hash(s->alg))
		return read_answer(s->fd, req->tag, s->alg->out_len);
	return read_answer(s->fd, req->out, req->len);
}

/* The kernel lists what was used at least once: where it lists none, one is used. 0 or -errno. */
static int find_software(char *name)
{
	struct kc_drivers drivers = { .n = 0 };
	int tfm = bind_to(KC_CIPHER, "cbc(aes)", 0);

	if (tfm < 0)
		return tfm;
	kc_discover(&drivers);
	close(tfm);
	memcpy(name, drivers.software, KC_DRIVER_NAME_SIZE);
	return *name ? 0 : -ENOENT;
}

static int hides_hardware(const char *software)
{
	char found[KC_DRIVER_NAME_SIZE];
	int fd, err;

	if (!kc_sandbox_as_noted())
		return -EPERM;
	if (!*software) {
		err = find_software(found);
		if (err)
			return err;
		software = found;
	}
	fd = bind_to(KC_CIPHER, software, KERN_DRIVER_ONLY);
	/* EEXIST: from 6.12 on, where a template is there but not with these flags. */
	if (fd < 0)
		return fd == -ENOENT || fd == -EEXIST ? 0 : fd;
	close(fd);
	return 1;
}

const struct kc_backend kc_afalg = {
	.name = "AF_ALG",
	.aliases = "afalg",
	.loaded = kc_sandbox_note,
	.discover = discover,
	.open = open_session,
	.run = run,
	.close = kc_close_if_ours,
	.forget = kc_close_if_ours,
	.hides_hardware = hides_hardware,
};
