/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that tries drivers, and the parent that waits for it no longer than the deadline. The
 * child says which row it begins and how that ended, so the one it hangs in is known.
 */
#include "cli/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "core/trial.h"

#define NO_ROW KC_ALG_COUNT

/* Far below PIPE_BUF, so a message is written and read whole. */
struct message {
	size_t row;
	bool is_done;
	enum kc_reason reason;
	size_t threshold[2];
};

static bool is_offered(const struct kc_choice *choice)
{
	return choice->backend != NULL;
}

static void say(int fd, const struct message *message)
{
	if (write(fd, message, sizeof(*message)) != (ssize_t)sizeof(*message))
		_exit(1);
}

static void child(struct kc_policy *policy, int fd)
{
	int has_base = kc_base_open();

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		struct kc_choice *choice = &policy->row[i];
		struct message message = { .row = i };
		const struct kc_base *base;

		if (!is_offered(choice))
			continue;
		say(fd, &message);
		base = has_base ? kc_base_get(choice->alg) : NULL;
		message.is_done = true;
		message.reason = base ? kc_trial_run(choice, base) : KC_NO_BASE;
		message.threshold[KC_DECRYPT] = atomic_load(&choice->threshold[KC_DECRYPT]);
		message.threshold[KC_ENCRYPT] = atomic_load(&choice->threshold[KC_ENCRYPT]);
		say(fd, &message);
	}
}

static void refuse(struct kc_choice *choice, enum kc_reason reason)
{
	choice->backend = NULL;
	choice->reason = reason;
	atomic_store(&choice->trust, KC_REFUSED);
}

static void take(struct kc_policy *policy, const struct message *message)
{
	struct kc_choice *choice = &policy->row[message->row];

	for (int dir = KC_DECRYPT; dir <= KC_ENCRYPT; dir++)
		atomic_store(&choice->threshold[dir], message->threshold[dir]);
	if (message->reason != KC_OK)
		refuse(choice, message->reason);
	else
		atomic_store(&choice->trust, KC_TRUSTED);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Takes what the child says until it ends or time is up. Returns the row that it did not end. */
static size_t listen_to(struct kc_policy *policy, int fd)
{
	int64_t deadline = now_ms() + KC_PROBE_SECONDS * 1000;
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct message message;
	size_t begun = NO_ROW;

	for (;;) {
		int64_t left = deadline - now_ms();
		int ready = poll(&pfd, 1, left > 0 ? (int)left : 0);

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0 || read(fd, &message, sizeof(message)) != (ssize_t)sizeof(message))
			return begun;
		begun = message.is_done ? NO_ROW : message.row;
		if (message.is_done)
			take(policy, &message);
	}
}

/* Ends the child. One that sits in a sick driver can't be ended: it is not waited for. */
static void end(pid_t pid, struct kc_notes *notes)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };

	kill(pid, SIGKILL);
	for (int i = 0; i < 50; i++) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return;
		nanosleep(&pause, NULL);
	}
	kc_note(notes, "process %d hangs in a driver and cannot be ended before the next boot",
		(int)pid);
}

static void account(struct kc_policy *policy, size_t hung, struct kc_notes *notes)
{
	size_t untried = 0;

	if (hung != NO_ROW)
		refuse(&policy->row[hung], KC_NO_ANSWER);
	policy->offers_any = false;
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_choice *choice = &policy->row[i];

		policy->offers_any |= is_offered(choice);
		untried += is_offered(choice) && atomic_load(&choice->trust) == KC_UNTRIED;
	}
	if (untried)
		kc_note(notes, "%zu algorithms were not tried", untried);
}

int kc_probe_run(struct kc_policy *policy, struct kc_notes *notes)
{
	pid_t parent = getpid(), pid;
	size_t hung;
	int fd[2];

	if (!policy->offers_any)
		return 0;
	if (pipe2(fd, O_CLOEXEC) != 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		int err = errno;

		close(fd[0]);
		close(fd[1]);
		return -err;
	}
	if (pid == 0) {
		/* Whoever interrupts the tool leaves nothing running. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd[0]);
		if (getppid() == parent)
			child(policy, fd[1]);
		_exit(0);
	}
	close(fd[1]);
	hung = listen_to(policy, fd[0]);
	close(fd[0]);
	end(pid, notes);
	account(policy, hung, notes);
	return 0;
}
