/* SPDX-License-Identifier: Apache-2.0 */
/* The child that plays the messages, and the parent that waits until the deadline. */
#include "cli/selftest/rounds.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/provider.h>

#include "cli/bench/field.h"
#include "cli/probe.h"
#include "cli/run/counters.h"
#include "cli/selftest/message.h"

_Static_assert(sizeof(struct kc_rounds) <= PIPE_BUF, "it is written and read whole");

static bool play(const struct kc_field *field, const struct kc_alg *alg, bool is_plain,
		 uint64_t seed)
{
	const struct kc_contender *software = &field->contender[0], *driver = &field->contender[1];
	static struct kc_outcome want, got;
	static struct kc_message m;

	if (!kc_message_make(&m, alg, is_plain, &seed, software->lib))
		return false;
	kc_message_run(&m, software->lib, software->properties, &want);
	kc_message_run(&m, driver->lib, driver->properties, &got);
	return kc_outcome_is_same(&want, &got);
}

/* Reports after each message, so that the parent sees that it goes on. */
static void child(const struct kc_candidate *c, unsigned n, uint64_t seed, int fd)
{
	uint64_t before = kc_counters_requests(c->alg);
	struct kc_field field = { .trusts_seccomp = true };
	struct kc_rounds r = { .seed = seed };

	kc_child_begins();
	r.began = kc_field_add_software(&field) &&
		  kc_field_add_backend(&field, c->alg, c->backend->name, c->driver) &&
		  OSSL_PROVIDER_available(field.contender[1].lib, "kcrypto");
	while (r.began && r.done < n && !r.wrong) {
		r.seed = seed + r.done;
		r.wrong += !play(&field, c->alg, r.done == 0, r.seed);
		r.done++;
		r.requests = kc_counters_requests(c->alg) - before;
		if (write(fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
			return;
	}
}

/* Until the pipe's end, or the deadline of one message. */
static struct kc_rounds listen_to(int fd, unsigned n)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct kc_rounds r = { .began = false }, next;

	while (r.done < n && !r.wrong) {
		if (poll(&pfd, 1, KC_ROUNDS_SECONDS * 1000) != 1) {
			r.has_no_answer = true;
			break;
		}
		if (read(fd, &next, sizeof(next)) != (ssize_t)sizeof(next))
			break;
		r = next;
	}
	return r;
}

struct kc_rounds kc_rounds_run(const struct kc_candidate *c, unsigned n, uint64_t seed)
{
	struct kc_rounds r = { .began = false };
	int fd[2];
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) != 0)
		return r;
	pid = fork();
	if (pid == 0) {
		child(c, n, seed, fd[1]);
		_exit(0);
	}
	close(fd[1]);
	if (pid > 0)
		r = listen_to(fd[0], n);
	close(fd[0]);
	/* One that hangs in a driver does not even die: nobody waits for it. */
	if (pid > 0)
		kill(pid, SIGKILL);
	if (pid > 0 && !r.has_no_answer)
		waitpid(pid, NULL, 0);
	return r;
}
