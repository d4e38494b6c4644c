/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that tries drivers, and the parent that waits for it no longer than the deadline. The
 * child answers for one row after another, so the row it hangs in is the first without an answer.
 */
#include "cli/probe.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/open.h"
#include "core/trial.h"

static void conclude(struct kc_choice *c, enum kc_reason reason)
{
	c->reason = reason;
	atomic_store(&c->trust, reason == KC_OK ? KC_TRUSTED : KC_REFUSED);
	if (reason != KC_OK)
		c->backend = NULL;
}

/* The next way behind @c that is offered, row by row; from NULL on. */
static struct kc_choice *next_way(struct kc_policy *policy, struct kc_choice *c)
{
	size_t i = c ? (size_t)(c->alg - kc_algs) : 0;

	c = c ? c->next : policy->row[0];
	while (!c || !c->backend) {
		if (c)
			c = c->next;
		else if (++i < KC_ALG_COUNT)
			c = policy->row[i];
		else
			return NULL;
	}
	return c;
}

/* Sends back each row as it is after its trial; being a fork, its pointers hold in the parent. */
static void child(struct kc_policy *policy, int fd)
{
	int has_base = kc_base_open(kc_policy_offers_legacy(policy));

	/* Ends with the tool, however that ends; and its output is at its end when the tool is. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	for (struct kc_choice *c = next_way(policy, NULL); c; c = next_way(policy, c)) {
		const struct kc_base *base = has_base ? kc_base_get(c->alg) : NULL;

		conclude(c, base ? kc_trial_run(c, base) : KC_NO_BASE);
		if (write(fd, c, sizeof(*c)) != (ssize_t)sizeof(*c))
			return;
	}
}

_Static_assert(sizeof(struct kc_choice) <= PIPE_BUF, "a row is written and read whole");

/* Takes the rows. Where one does not come, those after it stay untried. */
static void listen_to(struct kc_policy *policy, int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	bool is_alive = true;

	policy->offers_any = false;
	for (struct kc_choice *c = next_way(policy, NULL); c; c = next_way(policy, c)) {
		if (is_alive) {
			is_alive = poll(&pfd, 1, KC_PROBE_SECONDS * 1000) == 1 &&
				   read(fd, c, sizeof(*c)) == (ssize_t)sizeof(*c);
			if (!is_alive)
				conclude(c, KC_NO_ANSWER);
		}
		policy->offers_any |= c->backend != NULL;
	}
}

void kc_probe_run(struct kc_policy *policy)
{
	int fd[2];
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) != 0)
		return;
	/* Nobody waits for the child: one that sits in a sick driver does not even die. */
	signal(SIGCHLD, SIG_IGN);
	pid = fork();
	if (pid < 0)
		return;
	if (pid == 0) {
		child(policy, fd[1]);
		_exit(0);
	}
	close(fd[1]);
	listen_to(policy, fd[0]);
}
