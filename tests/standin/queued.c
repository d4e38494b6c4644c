/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scripted backend with requests in flight, as over /dev/kcrypto: input is copied when a
 * request is submitted, and output is written when it is reaped, which a caller may try too early.
 */
#include "standin/queued.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standin/standin.h"

struct queued queued;

/* A submitted request. The copies follow it in memory. */
struct entry {
	uint64_t number;
	int fd;
	pid_t pid;
	unsigned early;
	struct kc_req req;
	uint8_t *in, iv[KC_MAX_IV], aad[KC_MAX_AAD], tag[KC_MAX_OUT];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries[QUEUED_MOST];

/* The lock is held. */
static struct entry **find(int fd, uint64_t number)
{
	for (struct entry **e = entries; e < entries + QUEUED_MOST; e++)
		if (*e && (*e)->fd == fd && (*e)->number == number && (*e)->pid == getpid())
			return e;
	return NULL;
}

static struct entry **find_place(void)
{
	for (struct entry **e = entries; e < entries + QUEUED_MOST; e++)
		if (!*e)
			return e;
	return NULL;
}

static void entry_free(struct entry *e)
{
	if (!e)
		return;
	explicit_bzero(e->in, e->req.len);
	free(e->in);
	explicit_bzero(e, sizeof(*e));
	free(e);
}

static size_t tag_len(const struct kc_session *s)
{
	return kc_alg_is_hash(s->alg) ? s->alg->out_len : s->tag_len;
}

static struct entry *entry_new(const struct kc_session *s, const struct kc_req *req,
			       uint64_t number)
{
	struct entry *e = calloc(1, sizeof(*e));

	e->number = number;
	e->fd = s->fd;
	e->pid = getpid();
	e->req = *req;
	e->in = malloc(req->len + 1);
	memcpy(e->in, req->in, req->len);
	if (s->alg->iv_len)
		memcpy(e->iv, req->iv, s->alg->iv_len);
	if (req->aad_len)
		memcpy(e->aad, req->aad, req->aad_len);
	if (s->alg->kind == KC_AEAD && req->dir == KC_DECRYPT)
		memcpy(e->tag, req->tag, tag_len(s));
	return e;
}

static int submit(struct kc_session *s, const struct kc_req *req, uint64_t number)
{
	const char *told = getenv("KC_STANDIN_EARLY");
	unsigned early = told ? (unsigned)atoi(told) : queued.early;
	struct entry **place;
	int err = 0;

	pthread_mutex_lock(&lock);
	place = queued.fail_submit && ++queued.tried % queued.fail_submit == 0 ? NULL :
										 find_place();
	if (!number || find(s->fd, number))
		abort();
	if (place) {
		*place = entry_new(s, req, number);
		(*place)->early = early ? (unsigned)number % early : 0;
		queued.submitted++;
		queued.now++;
		if (queued.now > queued.most)
			queued.most = queued.now;
	} else {
		err = queued.submit_errno ? -queued.submit_errno : -EAGAIN;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

/* Writes the whole answer or nothing, as the device does. */
static int answer(struct kc_session *s, struct entry *e)
{
	size_t text = kc_alg_is_hash(s->alg) ? 0 : e->req.len;
	uint8_t *out = malloc(text + 1), *room = NULL;
	struct kc_req req = e->req;
	int err = out && posix_memalign((void **)&room, 65536, KC_MAX_REQUEST) == 0 ? 0 : -ENOMEM;

	req.in = e->in;
	req.out = out;
	req.iv = e->iv;
	req.aad = e->aad;
	req.tag = e->tag;
	if (!err)
		err = standin_backend.run(s, &req, text ? room : NULL);
	if (!err && text)
		memcpy(e->req.out, out, text);
	if (!err && e->req.tag && (!text || e->req.dir == KC_ENCRYPT))
		memcpy(e->req.tag, e->tag, tag_len(s));
	free(room);
	free(out);
	return err;
}

static int reap(struct kc_session *s, uint64_t number, bool waits)
{
	struct entry **place, *e = NULL;
	int err = -ENOENT;

	pthread_mutex_lock(&lock);
	place = find(s->fd, number);
	if (place && !waits && (*place)->early) {
		(*place)->early--;
		err = -EAGAIN;
	} else if (place) {
		e = *place;
		*place = NULL;
		queued.now--;
		queued.waited += waits;
	}
	pthread_mutex_unlock(&lock);
	if (e)
		err = answer(s, e);
	entry_free(e);
	return err == -EAGAIN && e ? -EIO : err;
}

static void close_session(struct kc_session *s)
{
	pthread_mutex_lock(&lock);
	for (struct entry **e = entries; e < entries + QUEUED_MOST; e++) {
		if (!*e || (*e)->fd != s->fd)
			continue;
		queued.dropped++;
		queued.now--;
		entry_free(*e);
		*e = NULL;
	}
	pthread_mutex_unlock(&lock);
	standin_backend.close(s);
}

/* This backend copies, so it takes requests that the plain one refuses. */
static int run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	struct entry *e = entry_new(s, req, 1);
	int err = answer(s, e);

	(void)room;
	entry_free(e);
	return err;
}

static const struct kc_backend queued_backend = {
	.names = { "queued" },
	.copies = true,
	.discover = standin_discover,
	.open = standin_open,
	.run = run,
	.submit = submit,
	.reap = reap,
	.close = close_session,
};

KC_BACKEND_LIST(&queued_backend);
