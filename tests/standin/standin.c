/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scripted backend. Its descriptors are open files of /dev/null, so that leaks can be counted.
 * The base, which the program under test has opened, does the work.
 */
#include "standin.h"

#include "keys/blob.h"
#include "standin/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/err.h>

#include "core/base.h"

/*
 * After this many requests every row has had its trial, whose failure would refuse the driver for
 * good.
 */
#define TRIALS 2000

struct standin standin;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What the kernel keeps of each session, by descriptor. */
static struct held {
	uint8_t key[KC_MAX_MAC_KEY];
	size_t key_len;
	unsigned tag_len; /* of an AEAD, bytes */
	int32_t serial;	  /* of a key in the keyring */
	bool is_spoiled;  /* a request failed: the state of pending data is unknown */
	pid_t owner;	  /* the process that opened it: no other one may use or close it */
	uint8_t *text;	  /* of a MAC's message that is not finished */
	size_t text_len;
} held[4096];

/* Also runs when the program starts, which may not use the script. */
__attribute__((constructor)) void standin_reset(void)
{
	const char *fail = getenv("KC_STANDIN_FAIL"), *lie = getenv("KC_STANDIN_LIE_AT");

	standin = (struct standin){ .fail_one_in = fail ? (unsigned)atoi(fail) : 0,
				    .fail_errno = getenv("KC_STANDIN_BADMSG") ? EBADMSG : 0,
				    .after = fail ? TRIALS : 0,
				    .lie_at = lie ? (unsigned)atoi(lie) : 0,
				    .takes_blocks = getenv("KC_STANDIN_BLOCKS") };
	standin_is_shut = false;
}

static enum kc_kind kind_of(const char *name)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (strcmp(kc_algs[i].kernel_name, name) == 0)
			return kc_algs[i].kind == KC_MAC ? KC_DIGEST : kc_algs[i].kind;
	return KC_CIPHER;
}

void standin_driver(const char *name, const char *driver, int priority, bool kernel_driver_only)
{
	struct kc_driver d = { .kind = kind_of(name),
			       .priority = priority,
			       .async = kernel_driver_only,
			       .kernel_driver_only = kernel_driver_only,
			       .flags_known = true,
			       .blocks = standin.takes_blocks };

	snprintf(d.name, sizeof(d.name), "%s", name);
	snprintf(d.driver, sizeof(d.driver), "%s", driver);
	kc_drivers_add(&standin.drivers, &d);
}

int standin_discover(struct kc_drivers *drivers)
{
	const char *name = getenv("KC_STANDIN_DRIVER");

	if (!standin.drivers.n)
		for (size_t i = 0; i < KC_ALG_COUNT; i++)
			if (!fault_plays() || strcmp(fault_plays(), kc_algs[i].kernel_name) == 0)
				standin_driver(kc_algs[i].kernel_name,
					       name ? name : "standin-device", 300,
					       !getenv("KC_STANDIN_SOFT"));
	*drivers = standin.drivers;
	return 0;
}

/* A wrapped key is a blob, given by its serial number or as bytes. */
static int take_key(struct held *h, const struct kc_key *key, bool is_wrapped)
{
	uint8_t blob[BLOB_HEAD + KC_MAX_KEY], *to = is_wrapped ? blob : h->key;
	const char *serial = key->serial ? getenv("KC_STANDIN_SERIAL") : NULL;
	size_t n = key->len;
	int err = 0;

	if (key->serial && is_wrapped)
		err = kc_keyring_length(key->serial, "user", &n);
	if (!err && is_wrapped && n > sizeof(blob))
		err = -EINVAL;
	if (err)
		return err;
	/* An errno, or "hang". */
	while (serial && strcmp(serial, "hang") == 0)
		pause();
	if (serial)
		err = -atoi(serial);
	else if (key->serial)
		err = standin_key(key->serial, to, n);
	else if (n)
		memcpy(to, key->bytes, n);
	h->key_len = n;
	if (!err && is_wrapped)
		err = blob_open(blob, n, h->key, &h->key_len);
	return err;
}

static void drop_text(struct held *h)
{
	free(h->text);
	h->text = NULL;
	h->text_len = 0;
}

static int make_session(struct kc_session *s, const struct kc_key *key, bool is_wrapped)
{
	struct held *h;
	int err = 0;

	s->fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	if (s->fd >= (int)(sizeof(held) / sizeof(held[0]))) {
		close(s->fd);
		return -EMFILE;
	}
	s->lends_pages = standin.lends_pages;
	h = &held[s->fd];
	pthread_mutex_lock(&lock);
	drop_text(h);
	*h = (struct held){ .tag_len = key->tag_len, .serial = key->serial, .owner = getpid() };
	err = take_key(h, key, is_wrapped);
	standin.opened++;
	pthread_mutex_unlock(&lock);
	if (err)
		close(s->fd);
	return err;
}

int standin_open(struct kc_session *s, const char *driver, const struct kc_key *key)
{
	const struct kc_alg *alg = s->alg;
	bool is_wrapped = driver && strstr(driver, "(paes)");
	bool is_wrong = alg->kind == KC_DIGEST ? key->len || (key->is_blocks && !alg->state_len) :
						 alg->key_len && key->len != alg->key_len;
	int err = is_wrong && !is_wrapped ? fault_broken("keys") : 0;

	if (err)
		return err;
	if (fault_is("absent"))
		return -ENOENT;
	return standin.open_errno ? -standin.open_errno : make_session(s, key, is_wrapped);
}

/* Whether the descriptor is still the session's. AF_ALG checks it before each request. */
static bool is_there(const struct kc_session *s)
{
	struct stat st;

	return fstat(s->fd, &st) == 0 && st.st_ino == s->ino && st.st_dev == s->dev;
}

/* A MAC's message continues: its text is kept until the tag is asked for. */
static void keep_text(struct held *h, const uint8_t *text, size_t len)
{
	h->text = realloc(h->text, h->text_len + len + 1);
	if (!h->text)
		abort();
	memcpy(h->text + h->text_len, text, len);
	h->text_len += len;
}

static bool do_whole(const struct kc_session *s, const struct held *h, const struct kc_req *req)
{
	const struct kc_base *base = kc_base_get(s->alg);
	const struct kc_key key = {
		.bytes = h->key, .len = h->key_len, .tag_len = h->tag_len, .is_blocks = s->is_blocks
	};
	void *ctx = base ? base->newctx(base) : NULL;
	bool ok = ctx && base->whole(base, ctx, &key, req);

	if (ctx)
		base->freectx(ctx);
	return ok;
}

static bool do_piece(const struct kc_session *s, struct held *h, const struct kc_req *req)
{
	struct kc_req all = *req;
	bool ok;

	if (!is_there(s))
		return false;
	keep_text(h, req->in, req->len);
	if (!req->tag)
		return true;
	all.in = h->text;
	all.len = h->text_len;
	ok = do_whole(s, h, &all);
	drop_text(h);
	return ok;
}

static bool do_request(const struct kc_session *s, const struct kc_req *req)
{
	struct held *h = &held[s->fd];
	bool is_piece = s->alg->kind == KC_MAC && (!req->tag || h->text);

	return is_piece ? do_piece(s, h, req) : do_whole(s, h, req);
}

/* The bytes in which a lie or half an answer shows. */
static uint8_t *answer_of(const struct kc_session *s, const struct kc_req *req, size_t *len)
{
	bool is_hash = s->alg->kind == KC_DIGEST || s->alg->kind == KC_MAC;
	static uint8_t nowhere[KC_MAX_OUT]; /* a piece has no answer */

	*len = s->is_blocks ? s->alg->state_len : is_hash ? s->alg->out_len : req->len;
	if (is_hash && !req->tag)
		return nowhere;
	return is_hash ? req->tag : req->out;
}

/* The number of requests up to this one. */
struct moment {
	unsigned requests, sessions;
};

/* The script's decision on this request: 0 to do it, 1 to lie, or -errno. */
static int next_of_script(const struct kc_req *req, struct moment *now)
{
	int what = 0;

	pthread_mutex_lock(&lock);
	standin.requests++;
	standin.last_out = req->out;
	if (req->len > standin.largest)
		standin.largest = (unsigned)req->len;
	if (standin.fail_one_in && standin.requests > standin.after &&
	    standin.requests % standin.fail_one_in == 0)
		what = standin.fail_errno ? -standin.fail_errno : -EIO;
	if (standin.lies || getenv("KC_STANDIN_LIES") ||
	    (req->len && standin.lie_len == req->len) || (standin.lie_at && --standin.lie_at == 0))
		what = 1;
	*now = (struct moment){ standin.requests, standin.opened - standin.closed };
	pthread_mutex_unlock(&lock);
	return what;
}

/* The kernel's counter of ChaCha20 has 32 bits; the implementation used here has more. */
static bool carries(const struct kc_alg *alg, const struct kc_req *req)
{
	uint64_t counter = 0;

	for (size_t i = 4; i-- > 0 && alg->iv_rule == KC_IV_ADD_BLOCKS_LE;)
		counter = counter << 8 | req->iv[i];
	return counter + req->len / alg->block_len > (uint64_t)1 << 32;
}

/*
 * A kernel leaves no errors in libcrypto's queue. Like drivers, which check the tag last, it
 * outputs bad text.
 */
static int do_one(const struct kc_session *s, const struct kc_req *req)
{
	bool opens = s->alg->kind == KC_AEAD && req->dir == KC_DECRYPT, ok;

	ERR_set_mark();
	ok = do_request(s, req) || (opens && fault_is("tags"));
	ERR_pop_to_mark();
	if (ok)
		return 0;
	if (opens)
		memset(req->out, 0xbb, req->len);
	errno = opens ? EBADMSG : EINVAL;
	return -errno;
}

/* Whether the session takes any length: XTS in software does. */
static bool may_steal(const struct kc_session *s)
{
	return s->alg->iv_rule == KC_IV_WHOLE && standin.drivers.n &&
	       !standin.drivers.v[0].kernel_driver_only;
}

/*
 * Whether the request is invalid, such as part of a block. Only a tool may make one; from other
 * callers it ends the process.
 */
static bool is_broken(const struct kc_session *s, const struct kc_req *req)
{
	bool is_cipher = s->alg->kind == KC_CIPHER, is_stream = s->alg->stream && fault_plays();

	/* Stricter than some devices, and as strict as the strictest. */
	if (s->fd < 0 || (!req->len && !held[s->fd].serial) || req->len > KC_MAX_REQUEST ||
	    (s->alg->kind != KC_AEAD && req->aad_len))
		abort();
	if (s->alg->kind == KC_AEAD &&
	    (req->aad_len > KC_MAX_AAD ||
	     req->aad_len + req->len + held[s->fd].tag_len > KC_MAX_REQUEST || req->in == req->out))
		abort();
	if (carries(s->alg, req))
		abort();
	if (s->is_blocks && (req->len % s->alg->block_len || !req->tag))
		abort();
	if (held[s->fd].is_spoiled || held[s->fd].owner != getpid())
		abort();
	return is_cipher && !is_stream && !may_steal(s) && req->len % s->alg->block_len;
}

static int run_at(struct kc_session *s, const struct kc_req *req)
{
	struct moment now;
	int what = next_of_script(req, &now);
	size_t answer_len;
	uint8_t *answer = answer_of(s, req, &answer_len);
	int err;

	if (is_broken(s, req))
		return fault_broken("parts");
	if (!what && standin.lies_to && standin.lies_to(req, held[s->fd].key_len))
		what = 1;
	if (!what)
		what = fault_at(req, now.requests, now.sessions);
	if (!what && fault_is("short-tag"))
		what = held[s->fd].tag_len == 8;
	if (standin.working)
		standin.working(req->len);
	if (what < 0) {
		memset(answer, 0xee, answer_len / 2);
		held[s->fd].is_spoiled = what != -EBADMSG;
		errno = -what;
		return what;
	}
	if (standin.delay_us)
		usleep(standin.delay_us);
	if (getenv("KC_STANDIN_KBPS"))
		standin_spend(
			(unsigned)(req->len * 1000 / (size_t)atoi(getenv("KC_STANDIN_KBPS"))));
	err = do_one(s, req);
	if (!err && what)
		*(standin.lie_in_tag && req->dir ? req->tag : answer + answer_len / 2) ^= 1;
	return err;
}

/* For programs without a simulated clock. */
__attribute__((weak)) void standin_spend(unsigned us)
{
	usleep(us);
}

static int run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	struct kc_req at = *req;
	int err;

	/* Memory that is reserved for the kernel may be requested in one piece. */
	if (room ? (uintptr_t)room % (uintptr_t)sysconf(_SC_PAGESIZE) != 0 :
		   s->alg->kind == KC_AEAD || (req->len && req->in == req->out))
		abort();
	if (room)
		at.out = room;
	fault_begin();
	err = run_at(s, &at);
	fault_end();
	if (!err && room)
		memcpy(req->out, room, req->len);
	return err;
}

/* As accept() on the op socket. */
static int copy_session(struct kc_session *to, const struct kc_session *from)
{
	const struct held *f = &held[from->fd];
	const struct kc_key key = { .bytes = f->key, .len = f->key_len };
	int err;

	if (!is_there(from))
		return -ECONNRESET;
	err = make_session(to, &key, false);
	if (err)
		return err;
	held[to->fd].serial = f->serial;
	if (f->text)
		keep_text(&held[to->fd], f->text, f->text_len);
	return 0;
}

static void close_session(struct kc_session *s)
{
	pthread_mutex_lock(&lock);
	explicit_bzero(held[s->fd].key, sizeof(held[s->fd].key));
	drop_text(&held[s->fd]);
	close(s->fd);
	if (held[s->fd].owner == getpid())
		standin.closed++;
	else
		standin.forgotten++;
	pthread_mutex_unlock(&lock);
}

static bool hides(void)
{
	return standin.hides || getenv("KC_STANDIN_HIDES");
}

/* For programs that do not use the script. */
static bool exists(const struct kc_backend *backend, bool thoroughly)
{
	(void)backend;
	return !thoroughly || !getenv("KC_STANDIN_ABSENT");
}

const struct kc_backend standin_backend = {
	.names = { "stand-in", "afalg", "devcrypto" }, /* as the engine's ids name them */
	.exists = exists,
	.discover = standin_discover,
	.open = standin_open,
	.run = run,
	.copy = copy_session,
	.close = close_session,
	.hides_hardware = hides,
};

static int other_discover(struct kc_drivers *drivers)
{
	*drivers = standin.other;
	return drivers->n ? 0 : -ENODEV;
}

static int other_open(struct kc_session *s, const char *driver, const struct kc_key *key)
{
	(void)driver;
	return make_session(s, key, false);
}

static int other_run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	(void)room;
	standin.other_requests++;
	return do_one(s, req);
}

const struct kc_backend standin_other = {
	.names = { "other", "another" },
	.discover = other_discover,
	.open = other_open,
	.run = other_run,
	.close = close_session,
};
