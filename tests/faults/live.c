/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain asserts would end in the middle of a thread or a child: a failure is reported, and exits.
 */
#include "live.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/provider.h>

#include "diff/stats_file.h"
#include "stats/stats_read.h"
#include "integration/must.h"

OSSL_LIB_CTX *live_lib;
const unsigned char live_key[16] = "0123456789abcde", live_iv[16] = "fedcba987654321";

static unsigned char in[LIVE_LEN], want[LIVE_LEN];

static EVP_CIPHER_CTX *context(OSSL_LIB_CTX *lib, const char *query)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, "AES-128-CBC", query);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	must(cipher && c && EVP_EncryptInit_ex(c, cipher, NULL, live_key, live_iv), "context");
	EVP_CIPHER_free(cipher);
	return c;
}

void live_prepare(void)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	OSSL_PROVIDER *provider = OSSL_PROVIDER_load(lib, "default");
	EVP_CIPHER_CTX *c = context(lib, NULL);
	int n = 0;

	for (size_t i = 0; i < LIVE_LEN; i++)
		in[i] = (unsigned char)(i * 11 + i / 256);
	must(EVP_EncryptUpdate(c, want, &n, in, LIVE_LEN) && n == LIVE_LEN, "software");
	EVP_CIPHER_CTX_free(c);
	OSSL_PROVIDER_unload(provider);
	OSSL_LIB_CTX_free(lib);
	stats_file_make();
}

void live_load(const char *config)
{
	live_lib = OSSL_LIB_CTX_new();
	if (config)
		must(OSSL_LIB_CTX_load_config(live_lib, config), config);
}

EVP_CIPHER_CTX *live_context(const char *query)
{
	return context(live_lib, query);
}

bool live_is_right(EVP_CIPHER_CTX *c)
{
	unsigned char out[LIVE_LEN];
	int n = 0;

	return EVP_EncryptInit_ex(c, NULL, NULL, NULL, live_iv) &&
	       EVP_EncryptUpdate(c, out, &n, in, LIVE_LEN) && n == LIVE_LEN &&
	       memcmp(out, want, LIVE_LEN) == 0;
}

unsigned long long live_requests(void)
{
	return kc_stats_sum(&stats_file_read()->row[KC_ALG_AES_128_CBC]).requests;
}

unsigned long long live_redone(void)
{
	return kc_stats_sum(&stats_file_read()->row[KC_ALG_AES_128_CBC]).failed;
}

unsigned live_sockets(int *fd, unsigned max)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	unsigned n = 0;

	must(dir != NULL, "/proc/self/fd");
	while ((e = readdir(dir))) {
		char link[64] = "";

		if (readlinkat(dirfd(dir), e->d_name, link, sizeof(link) - 1) <= 0 ||
		    (strncmp(link, "socket:", 7) != 0 && strcmp(link, "/dev/crypto") != 0))
			continue;
		if (n < max)
			fd[n] = atoi(e->d_name);
		n++;
	}
	closedir(dir);
	return n;
}
