/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AF_ALG: a request is one sendmsg() and one read() of exactly its answer, on the op socket. The
 * bound socket is closed once the op socket exists, so a session is one descriptor. libc's system
 * call functions are cancellation points, so the calls of a request, and the close() of an init or
 * a free, are made directly.
 */
#include "core/backend.h"

#include <errno.h>
#include <linux/if_alg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/process.h"
#include "discovery/procfs.h"

#ifndef ALG_SET_KEY_BY_KEY_SERIAL /* Linux 6.2 */
#define ALG_SET_KEY_BY_KEY_SERIAL 7
#endif

#define KERN_DRIVER_ONLY 0x1000 /* CRYPTO_ALG_KERN_DRIVER_ONLY */

/* salg_type */
static const char *const types[KC_KIND_COUNT] = {
	[KC_CIPHER] = "skcipher",
	[KC_AEAD] = "aead",
	[KC_DIGEST] = "hash",
	[KC_MAC] = "hash",
};

/* Returns a bound socket, or -errno. @feature: flags that the driver must have. */
static int bind_to(enum kc_kind kind, const char *name, unsigned feature)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG,
				   .salg_feat = feature,
				   .salg_mask = feature };
	int fd, err;

	/* No snprintf(): on arm64 it saves all vector registers, and the base's key is in some. */
	memcpy(sa.salg_type, types[kind], strnlen(types[kind], sizeof(sa.salg_type) - 1));
	memcpy(sa.salg_name, name, strnlen(name, sizeof(sa.salg_name) - 1));
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

/* 0 or -errno. */
static int set_option(int tfm, int option, const void *value, unsigned len)
{
	int err;

	do {
		err = setsockopt(tfm, SOL_ALG, option, value, len);
	} while (err && errno == EINTR);
	return err ? -errno : 0;
}

/* A digest has no key, and setting an empty one is an error. */
static int set_key(int tfm, const struct kc_key *key)
{
	if (key->serial)
		return set_option(tfm, ALG_SET_KEY_BY_KEY_SERIAL, &key->serial,
				  sizeof(key->serial));
	return key->len ? set_option(tfm, ALG_SET_KEY, key->bytes, (unsigned)key->len) : 0;
}

/* From a bound socket, or from an op socket, with the same message so far. */
static int accept_from(int socket)
{
	int fd;

	do {
		fd = accept4(socket, NULL, NULL, SOCK_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

static int accept_op(int tfm, const struct kc_key *key)
{
	/* The value of this option is its length. */
	int err = key->tag_len ? set_option(tfm, ALG_SET_AEAD_AUTHSIZE, NULL, key->tag_len) : 0;

	if (!err)
		err = set_key(tfm, key);
	return err ? err : accept_from(tfm);
}

/*
 * Returns the room in a socket buffer, in bytes; 0 if the socket does not tell. The kernel counts
 * in pages and grants at least one, however small the buffer: with 64 KiB pages a buffer can be
 * smaller than a page.
 */
static size_t room(int fd, int which)
{
	int size = 0, page = (int)kc_page_size();
	socklen_t len = sizeof(size);

	if (getsockopt(fd, SOL_SOCKET, which, &size, &len) != 0)
		return 0;
	return (size_t)(size < page ? page : size / page * page);
}

/*
 * A longer send would wait for a reader, and we are the reader. An answer that does not fit the
 * receive buffer fails; since 6.12 an AEAD's message is silently split in two.
 */
static int note_limit(struct kc_session *s)
{
	size_t limit = room(s->fd, SO_SNDBUF), reader = room(s->fd, SO_RCVBUF);
	size_t more = KC_MAX_AAD + s->tag_len;

	limit = reader < limit ? reader : limit;
	if (s->alg->kind == KC_AEAD)
		limit = limit > more ? limit - more : 0;
	if (!limit)
		return -ENOBUFS;
	if (limit < s->limit)
		s->limit = limit;
	return 0;
}

static bool is_since_6_5(void)
{
	struct utsname name;

	if (uname(&name) != 0)
		return false;
	return kc_decimal(name.release) > 6 ||
	       (strncmp(name.release, "6.", 2) == 0 && kc_decimal(name.release + 2) >= 5);
}

/* Since then the pages of a request are pinned, and fork copies pinned pages for the child. */
static bool pins_pages(void)
{
	return is_since_6_5();
}

/* Before that, a whole message was init, update and final; since then it is digest. */
static bool splits_hashes(void)
{
	return !is_since_6_5();
}

static int open_session(struct kc_session *s, const char *driver, const struct kc_key *key)
{
	const struct kc_alg *alg = s->alg;
	int tfm = bind_to(alg->kind, *driver ? driver : alg->kernel_name, 0), err = 0;

	if (tfm < 0)
		return tfm;
	s->fd = accept_op(tfm, key);
	close(tfm);
	if (s->fd < 0)
		return s->fd;
	s->lends_pages = !pins_pages();
	/* The input of a hash never waits in the socket. */
	if (!kc_alg_is_hash(alg))
		err = note_limit(s);
	if (err)
		close(s->fd);
	return err;
}

static int copy_session(struct kc_session *to, const struct kc_session *from)
{
	to->fd = accept_from(from->fd);
	return to->fd < 0 ? to->fd : 0;
}

/* A type of SOL_SOCKET that no kernel knows. */
#define UNKNOWN_TYPE 0x6b637970

/* The control message in front of the data. Its owner wipes it: an IV can be a secret too. */
union control {
	struct cmsghdr header;
	char space[3 * CMSG_SPACE(sizeof(__u32)) +
		   CMSG_SPACE(sizeof(struct af_alg_iv) + KC_MAX_IV)];
};

/*
 * Writes one entry to @c, a value and optionally more after it; returns the place of the next one.
 */
static struct cmsghdr *put(struct cmsghdr *c, int level, int type, __u32 value, const uint8_t *more,
			   size_t more_len)
{
	char *end = (char *)c + CMSG_SPACE(sizeof(value) + more_len);

	memset(end - sizeof(size_t), 0, sizeof(size_t)); /* what aligns the next one */
	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(sizeof(value) + more_len);
	memcpy(CMSG_DATA(c), &value, sizeof(value));
	if (more_len)
		kc_copy_short(CMSG_DATA(c) + sizeof(value), more, more_len);
	return (struct cmsghdr *)end;
}

/*
 * The first entry is one that AF_ALG skips and other sockets refuse. IV and direction go with every
 * request: a request without a direction would decrypt. A hash ignores all of it: without MSG_MORE
 * it gets a whole message.
 */
static size_t fill_control(union control *control, const struct kc_alg *alg,
			   const struct kc_req *req)
{
	struct cmsghdr *c = &control->header;

	c = put(c, SOL_SOCKET, UNKNOWN_TYPE, 0, NULL, 0);
	if (kc_alg_is_hash(alg))
		return (size_t)((char *)c - (char *)control);
	c = put(c, SOL_ALG, ALG_SET_OP, req->dir == KC_ENCRYPT ? ALG_OP_ENCRYPT : ALG_OP_DECRYPT,
		NULL, 0);
	if (alg->iv_len)
		c = put(c, SOL_ALG, ALG_SET_IV, alg->iv_len, req->iv, alg->iv_len);
	if (alg->kind == KC_AEAD)
		c = put(c, SOL_ALG, ALG_SET_AEAD_ASSOCLEN, (__u32)req->aad_len, NULL, 0);
	return (size_t)((char *)c - (char *)control);
}

/*
 * Never waits: if a request does not fit at once, it fails, and the session with it. The descriptor
 * may have changed hands since it was checked. The invalid address and the control message make
 * nearly all sockets other than AF_ALG's refuse the plaintext.
 */
static int send_request(const struct kc_session *s, const struct kc_req *req)
{
	bool has_tag = s->alg->kind == KC_AEAD && req->dir == KC_DECRYPT;
	union control control;
	struct iovec v[] = { { (void *)(uintptr_t)req->aad, req->aad_len },
			     { (void *)(uintptr_t)req->in, req->len },
			     { req->tag, has_tag ? s->tag_len : 0 } };
	unsigned first = req->aad_len ? 0 : 1;
	sa_family_t address = AF_ALG;
	struct msghdr msg = { .msg_name = &address,
			      .msg_namelen = sizeof(address),
			      .msg_iov = v + first,
			      .msg_iovlen = 2 - first + has_tag,
			      .msg_control = &control };
	int more = kc_alg_is_hash(s->alg) && !req->tag ? MSG_MORE : 0;
	long n;

	msg.msg_controllen = fill_control(&control, s->alg, req);
	do {
		n = syscall(SYS_sendmsg, s->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT | more);
	} while (n < 0 && errno == EINTR);
	explicit_bzero(&control, sizeof(control));
	if (n < 0)
		return -errno;
	return (size_t)n == v[0].iov_len + v[1].iov_len + v[2].iov_len ? 0 : -EIO;
}

/*
 * Reads exactly @len bytes, which must be there already. A read of nothing would return before the
 * tag of an empty message is compared, so @to has room for a byte.
 */
static int read_all(int fd, uint8_t *to, size_t len)
{
	long n;

	do {
		n = syscall(SYS_read, fd, to, len ? len : 1);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

/*
 * An AEAD's answer starts with the AAD, which nobody needs. It is read in one piece: if two pieces
 * shared a page, a fork between them could take that page along.
 */
static int read_answer(const struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	size_t tag_len = req->dir == KC_ENCRYPT ? s->tag_len : 0;
	uint8_t *text = room + req->aad_len;
	int err = read_all(s->fd, room, req->aad_len + req->len + tag_len);

	if (err)
		return err;
	memcpy(req->out, text, req->len);
	if (tag_len)
		memcpy(req->tag, text + req->len, tag_len);
	return 0;
}

/*
 * A hash is copied to its destination; for all others the device itself writes there, see
 * backend.h.
 */
static int run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	int err = send_request(s, req);

	if (err)
		return err;
	if (kc_alg_is_hash(s->alg))
		return req->tag ? read_all(s->fd, req->tag, s->alg->out_len) : 0;
	return room ? read_answer(s, req, room) : read_all(s->fd, req->out, req->len);
}

/*
 * The name of a driver that is certainly software, or NULL. Never cryptd: binding it makes an
 * instance for the whole system, at a higher priority than the driver that it wraps. And a
 * template only if there is nothing else: the kernel just looks up a plain name.
 */
static const char *software_in(const struct kc_drivers *drivers)
{
	const char *template = NULL;

	for (size_t i = 0; i < drivers->n; i++) {
		const struct kc_driver *d = &drivers->v[i];

		if (d->kind != KC_CIPHER || d->nature != KC_SOFTWARE ||
		    strncmp(d->driver, "cryptd(", 7) == 0)
			continue;
		if (!kc_last(d->driver, '('))
			return d->driver;
		template = d->driver;
	}
	return template;
}

/* The kernel lists only algorithms that have been used, so this uses one. */
static const char *find_software(struct kc_drivers *drivers)
{
	int tfm = bind_to(KC_CIPHER, "cbc(aes)", 0);

	kc_drivers_init(drivers, NULL);
	kc_procfs_read(drivers);
	if (tfm >= 0)
		close(tfm);
	return software_in(drivers);
}

/* 0 or -errno. */
static int try_to_bind(const char *name, unsigned feature)
{
	int fd = bind_to(KC_CIPHER, name, feature);

	return fd < 0 ? fd : close(fd);
}

/* Only a kernel that ignores the flag gives software to someone who asks for hardware. */
static bool hides_hardware(void)
{
	struct kc_drivers *drivers = malloc(sizeof(*drivers));
	const char *software = drivers ? find_software(drivers) : NULL;
	int err = software ? try_to_bind(software, KERN_DRIVER_ONLY) : -ENODEV;

	/* Linux 7.3 takes no driver's name unless told to; everybody may have this algorithm. */
	if (err == -ENOENT && try_to_bind(software, 0) != 0)
		err = try_to_bind("xts(aes)", KERN_DRIVER_ONLY);
	free(drivers);
	return err == 0;
}

/* Drivers may be listed without it. */
static bool exists(const struct kc_backend *backend, bool thoroughly)
{
	int fd = thoroughly ? socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;

	(void)backend;
	if (fd >= 0)
		close(fd);
	return fd >= 0 || !thoroughly || errno != EAFNOSUPPORT;
}

const struct kc_backend kc_afalg = {
	.names = { "AF_ALG", "afalg" },
	.splits_hashes = splits_hashes,
	.exists = exists,
	.discover = kc_procfs_read,
	.open = open_session,
	.run = run,
	.copy = copy_session,
	.hides_hardware = hides_hardware,
};
