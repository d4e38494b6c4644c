/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libssl, loaded only when asked for: the tool runs without it, and no package has to depend on it.
 * Each member has the name of the function that it points to.
 */
#ifndef KC_CLI_TLS_LIBSSL_H
#define KC_CLI_TLS_LIBSSL_H

#include <openssl/ssl.h>

/* Built without sockets, libssl lacks it, and is not used. */
#ifdef OPENSSL_NO_SOCK
int SSL_set_fd(SSL *ssl, int fd);
#endif

#define KC_LIBSSL_FUNCTIONS(F)                                                                     \
	F(OPENSSL_init_ssl)                                                                        \
	F(SSL_CTX_ctrl)                                                                            \
	F(SSL_CTX_free)                                                                            \
	F(SSL_CTX_new_ex)                                                                          \
	F(SSL_CTX_set_cipher_list)                                                                 \
	F(SSL_CTX_set_options)                                                                     \
	F(SSL_CTX_use_certificate)                                                                 \
	F(SSL_CTX_use_PrivateKey)                                                                  \
	F(SSL_connect)                                                                             \
	F(SSL_accept)                                                                              \
	F(SSL_free)                                                                                \
	F(SSL_get_rbio)                                                                            \
	F(SSL_get_wbio)                                                                            \
	F(SSL_is_init_finished)                                                                    \
	F(SSL_new)                                                                                 \
	F(SSL_read_ex)                                                                             \
	F(SSL_set_fd)                                                                              \
	F(SSL_write_ex)                                                                            \
	F(TLS_client_method)                                                                       \
	F(TLS_server_method)

struct kc_libssl {
#define KC_MEMBER(name) __typeof__(name) *name;
	KC_LIBSSL_FUNCTIONS(KC_MEMBER)
#undef KC_MEMBER
};

/* The libssl that belongs to this libcrypto, loaded once; NULL, and *@why, where there is none. */
const struct kc_libssl *kc_libssl(const char **why);

#endif
