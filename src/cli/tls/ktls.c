/* SPDX-License-Identifier: Apache-2.0 */
/* TCP connections over loopback. For known records, one end is the kernel's TLS. */
#include "cli/tls/tls.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/tls.h>

#include "cli/bench/work.h"
#include "cli/cli.h"

#ifndef SOL_TLS
#define SOL_TLS 282
#endif
#ifndef TCP_ULP
#define TCP_ULP 31
#endif

#define TEXT	16000 /* bytes: below the largest record */
#define TYPE	23
#define HEADER	5
#define NONCE	8 /* bytes that a TLS 1.2 record carries */
#define TAG	16
#define MAX_LEN (HEADER + NONCE + KC_WORK_OUT(TEXT + 1) + TAG)

static int accept_at(int listener, struct sockaddr_in *at, int client)
{
	socklen_t len = sizeof(*at);

	if (bind(listener, (struct sockaddr *)at, len) != 0 || listen(listener, 1) != 0)
		return -1;
	if (getsockname(listener, (struct sockaddr *)at, &len) != 0)
		return -1;
	if (connect(client, (struct sockaddr *)at, len) != 0)
		return -1;
	return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

/* Delayed acknowledgements would hold back data that precede an answer. */
static bool set_options(int fd)
{
	const struct timeval limit = { .tv_sec = 10 };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) != 0)
		return false;
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) != 0)
		return false;
	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int)) == 0;
}

bool kc_loopback(int fd[2])
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	KC_FD listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	fd[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	fd[1] = -1;
	if (listener >= 0 && fd[0] >= 0)
		fd[1] = accept_at(listener, &at, fd[0]);
	if (fd[1] >= 0 && set_options(fd[0]) && set_options(fd[1]))
		return true;
	for (int i = 0; i < 2; i++) {
		if (fd[i] >= 0)
			close(fd[i]);
		fd[i] = -1;
	}
	return false;
}

/* No secrets. */
static const unsigned char key[16] = "kcrypto selftest", salt[4] = "salt", iv[8] = "nonce 01";

enum { KERNEL, PLAIN }; /* ends of the connection */

static bool give_key(int fd, int direction, bool is_13)
{
	struct tls12_crypto_info_aes_gcm_128 info = {
		.info = { is_13 ? TLS_1_3_VERSION : TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128 },
	};

	memcpy(info.key, key, sizeof(key));
	memcpy(info.salt, salt, sizeof(salt));
	memcpy(info.iv, iv, sizeof(iv));
	return setsockopt(fd, SOL_TLS, direction, &info, sizeof(info)) == 0;
}

/* Returns what libcrypto encrypts for a record. In TLS 1.3, the header is the AAD. */
static struct kc_message message_of(bool is_13, unsigned char number, const unsigned char *header,
				    const unsigned char *text, size_t len)
{
	const unsigned char aad[] = { 0,      0,    0, 0, 0,	     0,		 0,
				      number, TYPE, 3, 3, TEXT >> 8, TEXT & 0xff };
	struct kc_message m = { .alg = &kc_algs[KC_ALG_AES_128_GCM], .dir = KC_ENCRYPT };

	m.in = text;
	m.len = m.piece = len;
	m.aad_len = sizeof(aad);
	memcpy(m.aad, aad, sizeof(aad));
	memcpy(m.key, key, sizeof(key));
	memcpy(m.iv, salt, sizeof(salt));
	memcpy(m.iv + sizeof(salt), iv, sizeof(iv));
	if (is_13) {
		m.aad_len = HEADER;
		memcpy(m.aad, header, HEADER);
		m.iv[sizeof(salt) + sizeof(iv) - 1] ^= number;
	}
	return m;
}

/*
 * Makes the record of this number with this text by libcrypto. Returns its length; 0: it could not.
 * In TLS 1.3, the record's type follows the text.
 */
static size_t make_record(bool is_13, unsigned char number, unsigned char text[TEXT + 1],
			  unsigned char *record)
{
	size_t explicit = is_13 ? 0 : NONCE, inner = is_13 ? TEXT + 1 : TEXT;
	size_t body = explicit + inner + TAG;
	unsigned char *sealed = record + HEADER + explicit;
	const unsigned char header[HEADER] = { TYPE, 3, 3, (unsigned char)(body >> 8),
					       (unsigned char)body };
	struct kc_message m = message_of(is_13, number, header, text, inner);
	struct kc_work w;
	int ok;

	text[TEXT] = TYPE;
	memcpy(record, header, HEADER);
	memcpy(record + HEADER, iv, explicit);
	ok = kc_work_begin(&w, &m, NULL, NULL, sealed) && kc_work_message(&w);
	memcpy(sealed + inner, w.tag, TAG);
	kc_work_end(&w);
	if (!ok)
		return 0;
	return HEADER + body;
}

static bool seals(const int fd[2], const unsigned char *text, const unsigned char *want, size_t len)
{
	static unsigned char got[MAX_LEN];

	if (send(fd[KERNEL], text, TEXT, MSG_NOSIGNAL) != TEXT)
		return false;
	if (recv(fd[PLAIN], got, len, MSG_WAITALL) != (ssize_t)len)
		return false;
	return memcmp(got, want, len) == 0;
}

static bool opens(const int fd[2], const unsigned char *text, const unsigned char *record,
		  size_t len)
{
	static unsigned char got[TEXT];

	if (send(fd[PLAIN], record, len, MSG_NOSIGNAL) != (ssize_t)len)
		return false;
	if (recv(fd[KERNEL], got, TEXT, MSG_WAITALL) != TEXT)
		return false;
	return memcmp(got, text, TEXT) == 0;
}

/* True if the kernel refuses the record with one bit changed. */
static bool refuses(const int fd[2], unsigned char *record, size_t len)
{
	unsigned char got;

	record[len / 2] ^= 1;
	if (send(fd[PLAIN], record, len, MSG_NOSIGNAL) != (ssize_t)len)
		return false;
	return recv(fd[KERNEL], &got, 1, 0) < 0 && errno == EBADMSG;
}

static const char *judge_records(const int fd[2], bool is_13)
{
	static unsigned char text[TEXT + 1], record[MAX_LEN];
	size_t len;

	for (size_t i = 0; i < TEXT; i++)
		text[i] = (unsigned char)(i * 7 + i / 251);
	len = make_record(is_13, 0, text, record);
	if (!len)
		return "OpenSSL could not make a record";
	if (!seals(fd, text, record, len))
		return "a record that the kernel sealed is wrong";
	if (!opens(fd, text, record, len))
		return "the kernel could not open a record";
	len = make_record(is_13, 1, text, record);
	if (!refuses(fd, record, len))
		return "the kernel accepted a forged record";
	return NULL;
}

const char *kc_ktls_check(bool is_13, bool *is_absent)
{
	const char *why;
	int fd[2];

	*is_absent = true;
	if (!kc_loopback(fd))
		return "no connection over loopback";
	if (setsockopt(fd[KERNEL], IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) != 0)
		why = "the kernel has no TLS: its module is tls, on OpenWrt kmod-tls";
	else if (!give_key(fd[KERNEL], TLS_TX, is_13) || !give_key(fd[KERNEL], TLS_RX, is_13))
		why = "the kernel's TLS lacks this version or cipher";
	else {
		*is_absent = false;
		why = judge_records(fd, is_13);
	}
	close(fd[KERNEL]);
	close(fd[PLAIN]);
	return why;
}
