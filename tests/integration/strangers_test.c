/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session's descriptor number becomes another socket's just after it was checked: every kind of
 * socket that this kernel has must refuse the AF_ALG backend's message. Before each request, the
 * session is told that the stranger is its own.
 */
#include "unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/backend.h"
#include "session/buffers.h"
#include "session/request.h"

extern const struct kc_backend kc_afalg;

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#define LEN	     64
#define MANY_MAX     48 /* families */
#define MANY_TYPES   10
#define AT_LEAST_ALL 9

static uint8_t *in, *room;

static struct kc_session opened(enum kc_alg_id id)
{
	struct kc_session s = { .alg = &kc_algs[id], .limit = KC_MAX_REQUEST, .fd = -1 };
	struct kc_key key = { .bytes = (const uint8_t *)"0123456789abcdef", .len = 16 };

	if (s.alg->kind == KC_DIGEST)
		key.len = 0;
	if (s.alg->kind == KC_AEAD)
		s.tag_len = key.tag_len = 16;
	assert_int_equal(kc_afalg.open(&s, s.alg, "", &key), 0);
	return s;
}

/* 0 or -errno of a request to this socket, or to the session's own for -1. */
static int ask(enum kc_alg_id id, int stranger)
{
	struct kc_session s = opened(id), wrong = s;
	uint8_t iv[16] = { 0 }, out[LEN], tag[KC_MAX_OUT];
	const struct kc_req req = {
		.dir = KC_ENCRYPT, .iv = iv, .in = in, .out = out, .len = LEN, .tag = tag
	};
	int err;

	if (stranger >= 0) {
		fcntl(stranger, F_SETFL, O_NONBLOCK);
		wrong.fd = stranger;
		assert_int_equal(kc_identity_note(&wrong), 0);
	}
	err = kc_afalg.run(&wrong, &req, room);
	close(s.fd);
	return err;
}

static void refuses(const char *name, int stranger, int far, bool takes)
{
	static const enum kc_alg_id ids[] = { KC_ALG_AES_128_CBC, KC_ALG_AES_128_GCM,
					      KC_ALG_SHA256 };
	uint8_t byte;

	for (size_t i = 0; i < COUNT(ids); i++) {
		int err = ask(ids[i], stranger);

		if (takes)
			print_message("  %-24s would take it\n", name);
		else if (err == 0 || (far >= 0 && recv(far, &byte, 1, MSG_DONTWAIT) >= 0))
			fail_msg("%s takes what is sent for %s", name, kc_algs[ids[i]].kernel_name);
		else if (i == 0)
			print_message("  %-24s %s\n", name, strerror(-err));
	}
	close(stranger);
	if (far >= 0)
		close(far);
}

struct kind {
	const char *name;
	bool (*make)(const struct kind *k, int *fd, int *far);
	int family, type, protocol;
	bool takes; /* it reads neither address nor control messages: SECURITY.md names it */
};

static bool pair(const struct kind *k, int *fd, int *far)
{
	int both[2];

	if (socketpair(k->family, k->type, k->protocol, both) != 0)
		return false;
	*fd = both[0];
	*far = both[1];
	return true;
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_nl netlink;
	struct sockaddr_vm vm;
	struct sockaddr_ll packet;
};

static socklen_t here(int family, union address *to)
{
	memset(to, 0, sizeof(*to));
	to->any.sa_family = (sa_family_t)family;
	if (family == AF_INET)
		to->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (family == AF_INET6)
		to->v6.sin6_addr = in6addr_loopback;
	if (family == AF_VSOCK) {
		to->vm.svm_port = VMADDR_PORT_ANY;
		to->vm.svm_cid = VMADDR_CID_LOCAL;
	}
	if (family == AF_PACKET) {
		to->packet.sll_protocol = htons(ETH_P_ALL);
		to->packet.sll_ifindex = (int)if_nametoindex("lo");
		to->packet.sll_halen = ETH_ALEN;
	}
	return family == AF_INET    ? sizeof(to->v4) :
	       family == AF_INET6   ? sizeof(to->v6) :
	       family == AF_NETLINK ? sizeof(to->netlink) :
	       family == AF_VSOCK   ? sizeof(to->vm) :
				      sizeof(to->packet);
}

/* A socket that has a place, and where that is. */
static int placed(const struct kind *k, union address *to, socklen_t *len)
{
	int fd = socket(k->family, k->type, k->protocol);

	*len = here(k->family, to);
	if (fd >= 0 && bind(fd, &to->any, *len) == 0 && getsockname(fd, &to->any, len) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool connection(const struct kind *k, int *fd, int *far)
{
	union address to;
	socklen_t len;
	int listener = placed(k, &to, &len);

	if (listener < 0)
		return false;
	*far = socket(k->family, k->type, k->protocol);
	*fd = listen(listener, 1) == 0 && connect(*far, &to.any, len) == 0 ?
		      accept(listener, NULL, NULL) :
		      -1;
	close(listener);
	if (*fd < 0)
		close(*far);
	return *fd >= 0;
}

static bool datagrams(const struct kind *k, int *fd, int *far)
{
	union address to;
	socklen_t len;

	*far = placed(k, &to, &len);
	*fd = socket(k->family, k->type, k->protocol);
	if (*far >= 0 && *fd >= 0 && connect(*fd, &to.any, len) == 0)
		return true;
	close(*far);
	close(*fd);
	return false;
}

/* Sends to where it is. */
static bool alone(const struct kind *k, int *fd, int *far)
{
	union address to;
	socklen_t len;

	*fd = placed(k, &to, &len);
	*far = -1;
	return *fd >= 0;
}

static const struct kind kinds[] = {
	{ "UNIX stream", pair, AF_UNIX, SOCK_STREAM, 0 },
	{ "UNIX datagram", pair, AF_UNIX, SOCK_DGRAM, 0 },
	{ "UNIX seqpacket", pair, AF_UNIX, SOCK_SEQPACKET, 0 },
	{ "TCP", connection, AF_INET, SOCK_STREAM, IPPROTO_TCP },
	{ "TCP over IPv6", connection, AF_INET6, SOCK_STREAM, IPPROTO_TCP },
	{ "MPTCP", connection, AF_INET, SOCK_STREAM, IPPROTO_MPTCP, .takes = true },
	{ "SCTP", connection, AF_INET, SOCK_STREAM, IPPROTO_SCTP },
	{ "vsock", connection, AF_VSOCK, SOCK_STREAM, 0 },
	{ "UDP", datagrams, AF_INET, SOCK_DGRAM, IPPROTO_UDP },
	{ "UDP over IPv6", datagrams, AF_INET6, SOCK_DGRAM, IPPROTO_UDP },
	{ "UDP-Lite", datagrams, AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE },
	{ "raw IP", datagrams, AF_INET, SOCK_RAW, 253 },
	{ "raw IPv6", datagrams, AF_INET6, SOCK_RAW, 253 },
	{ "raw ICMP", datagrams, AF_INET, SOCK_RAW, IPPROTO_ICMP },
	{ "netlink", datagrams, AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK },
	{ "netlink of routes", alone, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE },
	{ "generic netlink", alone, AF_NETLINK, SOCK_RAW, NETLINK_GENERIC },
	{ "packets", alone, AF_PACKET, SOCK_RAW, 0 },
	{ "packets without header", alone, AF_PACKET, SOCK_DGRAM, 0 },
};

TEST(a_session_of_ours_takes_it)
{
	assert_int_equal(ask(KC_ALG_AES_128_CBC, -1), 0);
	assert_int_equal(ask(KC_ALG_AES_128_GCM, -1), 0);
	assert_int_equal(ask(KC_ALG_SHA256, -1), 0);
}

TEST(a_connected_stranger_refuses_it)
{
	size_t n = 0;
	int fd, far;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!kinds[i].make(&kinds[i], &fd, &far)) {
			print_message("  %-24s not in this kernel\n", kinds[i].name);
			continue;
		}
		refuses(kinds[i].name, fd, far, kinds[i].takes);
		n++;
	}
	assert_true(n >= AT_LEAST_ALL);
}

/* Of whatever family: no peer, but some send without one. */
TEST(any_stranger_refuses_it)
{
	for (int family = 1; family < MANY_MAX; family++) {
		for (int type = 1; type <= MANY_TYPES && family != AF_ALG; type++) {
			char name[32];
			int fd = socket(family, type, 0);

			if (fd < 0 && errno == EAFNOSUPPORT)
				break;
			snprintf(name, sizeof(name), "family %d, type %d", family, type);
			if (fd >= 0)
				refuses(name, fd, -1, false);
		}
	}
}

int main(int argc, char **argv)
{
	in = kc_buffer_take();
	room = kc_buffer_take();
	if (!in || !room)
		return 2;
	memset(in, 0x5a, LEN);
	return check_main(argc, argv);
}
