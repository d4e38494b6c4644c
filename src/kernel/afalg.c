/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AF_ALG: a request is one sendmsg() and one read() of exactly its answer, on the op socket. The
 * bound socket is closed once the op socket exists, so a session is one descriptor. libc's
 * functions for system calls are cancellation points, so requests, and the close() of an init or a
 * free, make the calls directly.
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
#include "core/quiet.h"
#include "discovery/procfs.h"
#include "kernel/afalg_bind.h"

#ifndef ALG_SET_KEY_BY_KEY_SERIAL /* Linux 6.2 */
#define ALG_SET_KEY_BY_KEY_SERIAL 7
#endif

/* Sets a socket option. 0 or -errno. */
static int set_option(int tfm, int option, const void *value, unsigned len)
{
	long err;

	do {
		err = kc_or_errno(setsockopt(tfm, SOL_ALG, option, value, len));
	} while (err == -EINTR);
	return (int)err;
}

/* A digest has no key, and setting an empty one is an error. */
static int set_tfm_key(int tfm, const struct kc_key *key)
{
	if (key->serial)
		return set_option(tfm, ALG_SET_KEY_BY_KEY_SERIAL, &key->serial,
				  sizeof(key->serial));
	if (!key->len)
		return 0;
	return set_option(tfm, ALG_SET_KEY, key->bytes, (unsigned)key->len);
}

/* Accepts from a bound socket, or from an op socket, whose message so far is copied. */
static int accept_from(int socket)
{
	long fd;

	do {
		fd = kc_or_errno(accept4(socket, NULL, NULL, SOCK_CLOEXEC));
	} while (fd == -EINTR);
	return (int)fd;
}

static int accept_op(int tfm, const struct kc_key *key)
{
	int err = 0;

	/* The value of this option is its length. */
	if (key->tag_len)
		err = set_option(tfm, ALG_SET_AEAD_AUTHSIZE, NULL, key->tag_len);
	if (!err)
		err = set_tfm_key(tfm, key);
	if (err)
		return err;
	return accept_from(tfm);
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
	if (size < page)
		return (size_t)page;
	return (size_t)(size / page * page);
}

/*
 * Limits requests to the socket's buffers. A longer send would wait for a reader, which is this
 * thread. An answer that does not fit the receive buffer fails; since 6.12 an AEAD's message is
 * silently split in two.
 */
static int note_buffer_limit(struct kc_session *s)
{
	size_t limit = kc_min(room(s->fd, SO_SNDBUF), room(s->fd, SO_RCVBUF));

	if (s->alg->kind == KC_AEAD)
		limit -= kc_min(limit, KC_MAX_AAD + s->tag_len);
	if (!limit)
		return -ENOBUFS;
	s->limit = kc_min(s->limit, limit);
	return 0;
}

static bool is_since_6_5(void)
{
	struct utsname name;

	if (uname(&name) != 0)
		return false;
	if (strncmp(name.release, "6.", 2) == 0)
		return kc_decimal(name.release + 2) >= 5;
	return kc_decimal(name.release) > 6;
}

/*
 * True if the pages of a request are pinned, as since Linux 6.5; fork copies pinned pages for the
 * child.
 */
static bool pins_pages(void)
{
	return is_since_6_5();
}

/* Until Linux 6.4 a whole message was init, update and final; since 6.5 it is digest. */
static bool afalg_splits_hashes(void)
{
	return !is_since_6_5();
}

static int afalg_open(struct kc_session *s, const char *driver, const struct kc_key *key)
{
	const struct kc_alg *alg = s->alg;
	int tfm, err = 0;

	if (!*driver)
		driver = alg->kernel_name;
	tfm = kc_afalg_bind(alg->kind, driver, 0);
	if (tfm < 0)
		return tfm;
	s->fd = accept_op(tfm, key);
	close(tfm);
	if (s->fd < 0)
		return s->fd;
	s->lends_pages = !pins_pages();
	/* The input of a hash never waits in the socket. */
	if (!kc_alg_is_hash(alg))
		err = note_buffer_limit(s);
	if (err)
		close(s->fd);
	return err;
}

static int afalg_copy(struct kc_session *to, const struct kc_session *from)
{
	to->fd = accept_from(from->fd);
	if (to->fd < 0)
		return to->fd;
	return 0;
}

/* A type of SOL_SOCKET that no kernel knows. */
#define UNKNOWN_TYPE 0x6b637970

static const __u32 operations[] = {
	[KC_ENCRYPT] = ALG_OP_ENCRYPT,
	[KC_DECRYPT] = ALG_OP_DECRYPT,
};

/* The control message before the data. Its owner wipes it, because an IV can be secret, too. */
union control {
	struct cmsghdr header;
	char space[3 * CMSG_SPACE(sizeof(__u32)) +
		   CMSG_SPACE(sizeof(struct af_alg_iv) + KC_MAX_IV)];
};

/* Writes one entry to @c: a value, and optionally more after it. Returns the next entry's place. */
static struct cmsghdr *put(struct cmsghdr *c, int level, int type, __u32 value, const uint8_t *more,
			   size_t more_len)
{
	char *end = (char *)c + CMSG_SPACE(sizeof(value) + more_len);

	memset(end - sizeof(size_t), 0, sizeof(size_t)); /* padding that aligns the next one */
	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(sizeof(value) + more_len);
	memcpy(CMSG_DATA(c), &value, sizeof(value));
	if (more_len)
		kc_copy_short(CMSG_DATA(c) + sizeof(value), more, more_len);
	return (struct cmsghdr *)end;
}

/*
 * AF_ALG skips the first entry, and other sockets refuse it. IV and direction go with every
 * request: a request without a direction would decrypt. A hash ignores the control message; it gets
 * a whole message unless MSG_MORE is set.
 */
static size_t fill_control(union control *control, const struct kc_alg *alg,
			   const struct kc_req *req)
{
	struct cmsghdr *c = &control->header;

	c = put(c, SOL_SOCKET, UNKNOWN_TYPE, 0, NULL, 0);
	if (kc_alg_is_hash(alg))
		return (size_t)((char *)c - (char *)control);
	c = put(c, SOL_ALG, ALG_SET_OP, operations[req->dir], NULL, 0);
	if (alg->iv_len)
		c = put(c, SOL_ALG, ALG_SET_IV, alg->iv_len, req->iv, alg->iv_len);
	if (alg->kind == KC_AEAD)
		c = put(c, SOL_ALG, ALG_SET_AEAD_ASSOCLEN, (__u32)req->aad_len, NULL, 0);
	return (size_t)((char *)c - (char *)control);
}

/* 0 if all @len bytes of a request or an answer were passed, else -errno. */
static int check_whole(long n, size_t len)
{
	if (n < 0)
		return (int)n;
	if ((size_t)n != len)
		return -EIO;
	return 0;
}

/*
 * Never waits: a request that does not fit at once fails, and the session with it. The descriptor
 * may have changed hands since it was checked; the invalid address and the control message make
 * nearly all other sockets refuse the plaintext.
 */
static int send_request(const struct kc_session *s, const struct kc_req *req)
{
	bool has_tag = s->alg->kind == KC_AEAD && req->dir == KC_DECRYPT;
	size_t tag_len = has_tag ? s->tag_len : 0, len = req->aad_len + req->len + tag_len;
	union control control;
	struct iovec v[] = { { (void *)(uintptr_t)req->aad, req->aad_len },
			     { (void *)(uintptr_t)req->in, req->len },
			     { req->tag, tag_len } };
	unsigned first = !req->aad_len;
	sa_family_t address = AF_ALG;
	struct msghdr msg = { .msg_name = &address,
			      .msg_namelen = sizeof(address),
			      .msg_iov = v + first,
			      .msg_iovlen = 2 - first + has_tag,
			      .msg_control = &control };
	int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
	long n;

	if (kc_alg_is_hash(s->alg) && !req->tag)
		flags |= MSG_MORE;

	msg.msg_controllen = fill_control(&control, s->alg, req);
	do {
		n = kc_or_errno(syscall(SYS_sendmsg, s->fd, &msg, flags));
	} while (n == -EINTR);
	explicit_bzero(&control, sizeof(control));
	return check_whole(n, len);
}

/*
 * Reads exactly @len bytes, which must be there already. @to has room for at least one byte,
 * because a read of 0 bytes would return before the tag of an empty message is compared.
 */
static int read_all(int fd, uint8_t *to, size_t len)
{
	size_t wanted = len ? len : 1;
	long n;

	do {
		n = kc_or_errno(syscall(SYS_read, fd, to, wanted));
	} while (n == -EINTR);
	return check_whole(n, len);
}

/*
 * An AEAD's answer starts with the AAD, which is not used. It is read in one piece: if two pieces
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
 * The kernel copies a hash to its destination; for all others the device itself writes there, see
 * backend.h.
 */
static int afalg_run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	int err = send_request(s, req);

	if (err)
		return err;
	if (kc_alg_is_hash(s->alg) && !req->tag)
		return 0;
	if (kc_alg_is_hash(s->alg))
		return read_all(s->fd, req->tag, s->alg->out_len);
	if (room)
		return read_answer(s, req, room);
	return read_all(s->fd, req->out, req->len);
}

/* Drivers may be listed even if AF_ALG does not exist. */
static bool exists(const struct kc_backend *backend, bool thoroughly)
{
	long fd;

	(void)backend;
	if (!thoroughly)
		return true;
	fd = kc_or_errno(socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	if (fd >= 0)
		close((int)fd);
	return fd != -EAFNOSUPPORT;
}

const struct kc_backend kc_afalg = {
	.names = { "AF_ALG", "afalg" },
	.splits_hashes = afalg_splits_hashes,
	.exists = exists,
	.discover = kc_procfs_read,
	.open = afalg_open,
	.run = afalg_run,
	.copy = afalg_copy,
	.hides_hardware = kc_afalg_hides_hardware,
};
