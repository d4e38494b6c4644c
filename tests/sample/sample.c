/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest backend, as a start for your own: AES in CBC, done by libcrypto instead of the
 * kernel. A session is a file in memory that holds the key. The code of sessions, not this file,
 * handles sandboxes, descriptors and forks.
 */
#include "core/backend.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "core/quiet.h"

static int discover(struct kc_drivers *drivers)
{
	struct kc_driver d = { "cbc(aes)", "sample-cbc", .kernel_driver_only = true };

	kc_drivers_add(drivers, &d);
	return 0;
}

static int open_session(struct kc_session *s, const char *driver, const struct kc_key *key)
{
	(void)driver;
	s->fd = memfd_create("sample", MFD_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	if (write(s->fd, key->bytes, key->len) == (ssize_t)key->len)
		return 0;
	close(s->fd);
	return -EIO;
}

static int run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	static const char *const names[] = { "AES-128-CBC", "AES-192-CBC", "AES-256-CBC" };
	const char *name = names[s->alg->key_len / 8 - 2];
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=default");
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t key[KC_MAX_KEY], *out = room ? room : req->out;
	int n = 0;
	KC_QUIETLY; /* pread() is a cancellation point */

	if (c && cipher && pread(s->fd, key, sizeof(key), 0) == (ssize_t)s->alg->key_len &&
	    EVP_CipherInit_ex(c, cipher, NULL, key, req->iv, req->dir == KC_ENCRYPT) &&
	    EVP_CIPHER_CTX_set_padding(c, 0))
		EVP_CipherUpdate(c, out, &n, req->in, (int)req->len);
	EVP_CIPHER_free(cipher);
	EVP_CIPHER_CTX_free(c);
	explicit_bzero(key, sizeof(key));
	if (n && room)
		memcpy(req->out, room, req->len);
	return n ? 0 : -EIO;
}

const struct kc_backend sample = {
	{ "sample" }, .discover = discover, .open = open_session, .run = run
};
