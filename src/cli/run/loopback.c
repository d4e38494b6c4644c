/* SPDX-License-Identifier: Apache-2.0 */
/* Connects two sockets over the loopback interface. */
#include "cli/run/loopback.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static void drop(int fd)
{
	if (fd >= 0)
		close(fd);
}

static int accept_at(int listener, struct sockaddr_in *at, int client)
{
	socklen_t len = sizeof(*at);

	if (bind(listener, (struct sockaddr *)at, len) != 0 || listen(listener, 1) != 0 ||
	    getsockname(listener, (struct sockaddr *)at, &len) != 0 ||
	    connect(client, (struct sockaddr *)at, len) != 0)
		return -1;
	return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

/* Delayed acknowledgements would hold back whatever is written before an answer. */
static bool set_up(int fd)
{
	const struct timeval limit = { .tv_sec = 10 };

	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0 &&
	       setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0 &&
	       setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int)) == 0;
}

bool kc_loopback(int *client, int *server)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*server = listener >= 0 && *client >= 0 ? accept_at(listener, &at, *client) : -1;
	drop(listener);
	if (*server >= 0 && set_up(*client) && set_up(*server))
		return true;
	drop(*client);
	drop(*server);
	return false;
}
