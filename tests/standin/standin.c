/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scripted backend. Its descriptors are open files of /dev/null, so that leaks can be counted.
 */
#include "standin.h"

#include "keys/blob.h"
#include "standin/fault.h"
#include "standin/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

struct standin standin;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static OSSL_LIB_CTX *ctx;

/* Keys by descriptor, as the kernel has them. */
static uint8_t keys[4096][KC_MAX_MAC_KEY];
static size_t key_lens[4096];
static unsigned tag_lens[4096]; /* of AEADs, bytes */
static int32_t serials[4096];	/* of a key of the kernel's */
static bool spoiled[4096];	/* a request failed: the state of pending data is unknown */
static pid_t owner[4096];	/* the process that opened it: no other may use or close it */

void standin_reset(void)
{
	memset(&standin, 0, sizeof(standin));
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
			       .flags_known = true };

	snprintf(d.name, sizeof(d.name), "%s", name);
	snprintf(d.driver, sizeof(d.driver), "%s", driver);
	kc_drivers_add(&standin.drivers, &d);
}

static int discover(struct kc_drivers *drivers)
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

/* A wrapped key comes as a blob, by its serial number or not. */
static int take_key(int fd, const struct kc_key *key, bool is_wrapped)
{
	uint8_t blob[BLOB_HEAD + KC_MAX_KEY], *to = is_wrapped ? blob : keys[fd];
	const char *serial = key->serial ? getenv("KC_STANDIN_SERIAL") : NULL;
	size_t n = key->len;
	int err = 0;

	if (key->serial && is_wrapped)
		err = kc_keyring.length(key->serial, "user", &n);
	if (!err && is_wrapped && n > sizeof(blob))
		err = -EINVAL;
	if (err)
		return err;
	/* An error, or "hang". */
	while (serial && strcmp(serial, "hang") == 0)
		pause();
	if (serial)
		err = -atoi(serial);
	else if (key->serial)
		err = standin_key(key->serial, to, n);
	else if (n)
		memcpy(to, key->bytes, n);
	key_lens[fd] = n;
	if (!err && is_wrapped)
		err = blob_open(blob, n, keys[fd], &key_lens[fd]);
	return err;
}

static int make_session(struct kc_session *s, const struct kc_key *key, bool is_wrapped)
{
	int err = 0;

	s->fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	if (s->fd >= (int)(sizeof(keys) / sizeof(keys[0]))) {
		close(s->fd);
		return -EMFILE;
	}
	s->lends_pages = standin.lends_pages;
	pthread_mutex_lock(&lock);
	err = take_key(s->fd, key, is_wrapped);
	tag_lens[s->fd] = key->tag_len;
	serials[s->fd] = key->serial;
	pieces_end(s->fd);
	spoiled[s->fd] = false;
	owner[s->fd] = getpid();
	standin.opened++;
	if (!ctx) {
		ctx = OSSL_LIB_CTX_new();
		ERR_set_mark();
		OSSL_PROVIDER_load(ctx, "default");
		OSSL_PROVIDER_load(ctx, "legacy");
		ERR_pop_to_mark();
	}
	pthread_mutex_unlock(&lock);
	if (err)
		close(s->fd);
	return err;
}

static int open_session(struct kc_session *s, const struct kc_alg *alg, const char *driver,
			const struct kc_key *key)
{
	bool is_wrapped = driver && strstr(driver, "(paes)");
	bool is_wrong =
		alg->kind == KC_DIGEST ? key->len : alg->key_len && key->len != alg->key_len;
	int err = is_wrong && !is_wrapped ? fault_broken("keys") : 0;

	if (err)
		return err;
	if (fault_is("absent"))
		return -ENOENT;
	return standin.open_errno ? -standin.open_errno : make_session(s, key, is_wrapped);
}

static int do_crypt(const struct kc_session *s, const struct kc_req *req)
{
	char name[KC_ALG_NAME_SIZE];
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(ctx, kc_alg_name(s->alg, name, sizeof(name)), NULL);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t key[KC_MAX_KEY];
	int n = 0, ok;

	pthread_mutex_lock(&lock);
	memcpy(key, keys[s->fd], sizeof(key));
	pthread_mutex_unlock(&lock);
	ok = cipher && c &&
	     EVP_CipherInit_ex(c, cipher, NULL, key, req->iv, req->dir == KC_ENCRYPT) &&
	     EVP_CIPHER_CTX_set_padding(c, 0) &&
	     EVP_CipherUpdate(c, req->out, &n, req->in, (int)req->len) && (size_t)n == req->len;

	explicit_bzero(key, sizeof(key));
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_free(cipher);
	return ok ? 0 : -EINVAL;
}

static int digest(const struct kc_alg *alg, const struct kc_req *req)
{
	char name[KC_ALG_NAME_SIZE];
	size_t n = 0;

	return EVP_Q_digest(ctx, kc_alg_name(alg, name, sizeof(name)), NULL, req->in, req->len,
			    req->tag, &n) &&
	       n == alg->out_len;
}

static int mac(const struct kc_session *s, const struct kc_req *req)
{
	uint8_t key[KC_MAX_MAC_KEY];
	size_t key_len, n = 0;
	bool ok;

	pthread_mutex_lock(&lock);
	memcpy(key, keys[s->fd], sizeof(key));
	key_len = key_lens[s->fd];
	pthread_mutex_unlock(&lock);
	if (!req->tag || !req->len || pieces_has(s->fd))
		ok = pieces_feed(ctx, s, key, key_len, req);
	else
		ok = EVP_Q_mac(ctx, s->alg->mac, NULL, s->alg->inner, NULL, key, key_len, req->in,
			       req->len, req->tag, s->alg->out_len, &n) &&
		     n == s->alg->out_len;
	explicit_bzero(key, sizeof(key));
	return ok;
}

static bool feed_aead(EVP_CIPHER_CTX *c, const struct kc_session *s, const struct kc_req *req)
{
	bool declares = EVP_CIPHER_CTX_get_mode(c) == EVP_CIPH_CCM_MODE;
	int tag_len = (int)tag_lens[s->fd], n = 0;

	if (declares && !EVP_CipherUpdate(c, NULL, &n, NULL, (int)req->len))
		return false;
	if (req->aad_len && !EVP_CipherUpdate(c, NULL, &n, req->aad, (int)req->aad_len))
		return false;
	if ((req->len && !EVP_CipherUpdate(c, req->out, &n, req->in, (int)req->len)) ||
	    !EVP_CipherFinal_ex(c, req->out, &n))
		return false;
	return req->dir == KC_DECRYPT ||
	       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, tag_len, req->tag) > 0;
}

/* A CCM's IV tells how long the nonce after it is. */
static int do_aead(const struct kc_session *s, const struct kc_req *req)
{
	char name[KC_ALG_NAME_SIZE];
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(ctx, kc_alg_name(s->alg, name, sizeof(name)), NULL);
	bool is_ccm = cipher && EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
	int enc = req->dir == KC_ENCRYPT,
	    nonce_len = is_ccm ? 14 - req->iv[0] : (int)s->alg->iv_len;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t key[KC_MAX_KEY];
	int ok, err = -EINVAL;

	pthread_mutex_lock(&lock);
	memcpy(key, keys[s->fd], sizeof(key));
	pthread_mutex_unlock(&lock);
	ok = cipher && c && EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, enc) &&
	     EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, nonce_len, NULL) > 0 &&
	     (!(is_ccm || !enc) ||
	      EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, (int)tag_lens[s->fd],
				  enc ? NULL : req->tag) > 0) &&
	     EVP_CipherInit_ex(c, NULL, NULL, key, req->iv + is_ccm, -1);
	if (ok)
		err = feed_aead(c, s, req) || fault_is("tags") ? 0 : -EBADMSG;
	explicit_bzero(key, sizeof(key));
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_free(cipher);
	/* Like drivers, which check last: unverified output is there to be seen. */
	if (err == -EBADMSG)
		memset(req->out, 0xbb, req->len);
	errno = err ? -err : errno;
	return err;
}

static int do_request(const struct kc_session *s, const struct kc_req *req)
{
	if (s->alg->kind == KC_DIGEST)
		return digest(s->alg, req) ? 0 : -EINVAL;
	if (s->alg->kind == KC_MAC)
		return mac(s, req) ? 0 : -EINVAL;
	if (s->alg->kind == KC_AEAD)
		return do_aead(s, req);
	return do_crypt(s, req);
}

/* The place where a lie or half an answer shows. */
static uint8_t *answer_of(const struct kc_session *s, const struct kc_req *req, size_t *len)
{
	bool is_hash = s->alg->kind == KC_DIGEST || s->alg->kind == KC_MAC;
	static uint8_t nowhere[KC_MAX_OUT]; /* a piece has no answer */

	*len = is_hash ? s->alg->out_len : req->len;
	if (is_hash && !req->tag)
		return nowhere;
	return is_hash ? req->tag : req->out;
}

/* How much was asked for up to a request. */
struct moment {
	unsigned requests, sessions;
};

/* The script's verdict on this request: 0 as it should be, 1 lie, or -errno. */
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
	if (standin.lie_at_wrap && req->len > 16 && req->iv &&
	    memcmp(req->iv + 12, "\xff\xff\xff\xff", 4) == 0)
		what = 1;
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

/* A kernel leaves no errors of libcrypto's. */
static int do_one(const struct kc_session *s, const struct kc_req *req)
{
	int err;

	ERR_set_mark();
	err = do_request(s, req);
	ERR_pop_to_mark();
	return err;
}

/* XTS by software takes any length. */
static bool may_steal(const struct kc_session *s)
{
	return s->alg->iv_rule == KC_IV_WHOLE && standin.drivers.n &&
	       !standin.drivers.v[0].kernel_driver_only;
}

/* Part of a block? A tool may ask for it; nobody makes the requests that end this process. */
static bool is_broken(const struct kc_session *s, const struct kc_req *req)
{
	bool is_cipher = s->alg->kind == KC_CIPHER, is_stream = s->alg->stream && fault_plays();

	/* Stricter than some devices, as strict as the strictest. */
	if (s->fd < 0 || (!req->len && !serials[s->fd]) || req->len > KC_MAX_REQUEST ||
	    (s->alg->kind != KC_AEAD && req->aad_len))
		abort();
	if (s->alg->kind == KC_AEAD &&
	    (req->aad_len > KC_MAX_AAD ||
	     req->aad_len + req->len + tag_lens[s->fd] > KC_MAX_REQUEST || req->in == req->out))
		abort();
	if (carries(s->alg, req))
		abort();
	if (spoiled[s->fd] || owner[s->fd] != getpid())
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
	if (!what)
		what = fault_at(req, now.requests, now.sessions);
	if (what < 0) {
		memset(answer, 0xee, answer_len / 2);
		spoiled[s->fd] = what != -EBADMSG;
		errno = -what;
		return what;
	}
	if (standin.working)
		standin.working(req->len);
	if (standin.delay_us)
		usleep(standin.delay_us);
	err = do_one(s, req);
	if (!err && what)
		*(standin.lie_in_tag && req->dir ? req->tag : answer + answer_len / 2) ^= 1;
	return err;
}

static int run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	struct kc_req at = *req;
	int err;

	/* Memory reserved for the kernel may be requested in one piece. */
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

/* An accept() on the op socket. */
static int copy_session(struct kc_session *to, const struct kc_session *from)
{
	const struct kc_key key = { .bytes = keys[from->fd], .len = key_lens[from->fd] };
	int err;

	if (!pieces_is_there(from))
		return -ECONNRESET;
	err = make_session(to, &key, false);
	if (err)
		return err;
	serials[to->fd] = serials[from->fd];
	pieces_copy(to->fd, from->fd);
	return 0;
}

static void close_session(struct kc_session *s)
{
	pthread_mutex_lock(&lock);
	explicit_bzero(keys[s->fd], sizeof(keys[s->fd]));
	pieces_end(s->fd);
	close(s->fd);
	if (owner[s->fd] == getpid())
		standin.closed++;
	else
		standin.forgotten++;
	pthread_mutex_unlock(&lock);
}

static int hides(const char *software)
{
	(void)software;
	return standin.hides || getenv("KC_STANDIN_HIDES");
}

/* For programs that know nothing of the script. */
static bool exists(bool thoroughly)
{
	return !thoroughly || !getenv("KC_STANDIN_ABSENT");
}

const struct kc_backend standin_backend = {
	.names = { "stand-in" },
	.exists = exists,
	.discover = discover,
	.open = open_session,
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

static int other_open(struct kc_session *s, const struct kc_alg *alg, const char *driver,
		      const struct kc_key *key)
{
	(void)driver;
	(void)alg;
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
