/* SPDX-License-Identifier: Apache-2.0 */
/* The only place where the tool forks. */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define PATIENCE     10 /* times a deadline, for a child that works */
#define NAP_NS	     2000000
#define NAPS_TO_DIE  500 /* a second: ending takes longer than dying */
#define CODE_NOT_RUN 126 /* as in shells, like the next */
#define CODE_ABSENT  127

/* Returns CPU time: a child in a driver that hangs uses none, one on a busy machine does. */
static int64_t worked_ns(pid_t pid)
{
	struct timespec t = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/*
 * Occupies the numbers from @first on: if a socket got one of them, a child of this child would
 * close it. Also lets go of standard output, so that a reader of the tool's output need not wait
 * for this child.
 */
static void silence(int first)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = first; fd <= STDERR_FILENO; fd++)
		if (nowhere < 0 || dup2(nowhere, fd) != fd)
			close(fd);
	if (nowhere > STDERR_FILENO)
		close(nowhere);
}

bool kc_child_start(struct kc_child *child, void (*work)(void *arg, int fd), void *arg)
{
	int fd[2];

	*child = (struct kc_child){ .pid = -1, .fd = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0)
		return false;
	/* Buffered output could otherwise be written twice. */
	fflush(stdout);
	child->pid = fork();
	if (child->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		silence(STDIN_FILENO);
		work(arg, fd[1]);
		_exit(0);
	}
	close(fd[1]);
	child->fd = fd[0];
	if (child->pid < 0)
		kc_child_end(child);
	return child->pid > 0;
}

struct waiting {
	int64_t worked;		 /* ns of CPU time until the last look */
	unsigned silent, waited; /* seconds without work, and in all */
};

/* A second has passed without an answer. */
static void count_second(const struct kc_child *child, struct waiting *w)
{
	int64_t before = w->worked;

	w->worked = worked_ns(child->pid);
	w->waited++;
	w->silent++;
	if (w->worked > before)
		w->silent = 0;
}

static bool is_over(const struct kc_child *child, const struct waiting *w)
{
	if (w->silent >= child->seconds)
		return true;
	return w->waited >= PATIENCE * child->seconds;
}

size_t kc_child_read_all(struct kc_child *child, char *to, size_t size, unsigned seconds)
{
	struct pollfd pfd = { .fd = child->fd, .events = POLLIN };
	struct waiting waiting = { .worked = worked_ns(child->pid) };
	size_t n = 0;

	child->seconds = seconds;
	child->is_silent = false;
	while (n < size && !child->is_silent) {
		int ready = poll(&pfd, 1, 1000);
		ssize_t got = 0;

		if (ready > 0)
			got = read(child->fd, to + n, size - n);
		if (ready > 0 && got <= 0)
			break;
		n += (size_t)got;
		if (ready == 0) {
			count_second(child, &waiting);
			child->is_silent = is_over(child, &waiting);
		}
	}
	return n;
}

bool kc_child_read(struct kc_child *child, void *to, size_t size, unsigned seconds)
{
	return kc_child_read_all(child, to, size, seconds) == size;
}

/* True if there is nothing more to read. */
static bool has_closed(const struct kc_child *child)
{
	char next;

	return recv(child->fd, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Waits until the child has ended, at most a second. */
static void reap(struct kc_child *child)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	for (unsigned i = 0; !child->has_ended && i <= NAPS_TO_DIE; i++) {
		if (i)
			nanosleep(&nap, NULL);
		/*
		 * An error means that the tool was started with SIGCHLD ignored: the status is
		 * lost.
		 */
		child->has_ended = waitpid(child->pid, &child->status, WNOHANG) != 0;
	}
}

void kc_child_end(struct kc_child *child)
{
	bool must_die = child->fd >= 0 && !has_closed(child);

	if (child->fd >= 0)
		close(child->fd);
	child->fd = -1;
	if (child->pid <= 0 || child->has_ended)
		return;
	if (must_die)
		kill(child->pid, SIGKILL);
	reap(child);
	if (!child->has_ended)
		kill(child->pid, SIGKILL);
}

const char *kc_child_why(const struct kc_child *child, char why[KC_CHILD_WHY_SIZE])
{
	if (child->pid <= 0)
		snprintf(why, KC_CHILD_WHY_SIZE, "could not be started");
	else if (child->is_silent || !child->has_ended)
		snprintf(why, KC_CHILD_WHY_SIZE, "did not answer within %u s", child->seconds);
	else if (WIFSIGNALED(child->status))
		snprintf(why, KC_CHILD_WHY_SIZE, "killed by signal %d", WTERMSIG(child->status));
	else
		snprintf(why, KC_CHILD_WHY_SIZE, "ended with exit code %d",
			 WEXITSTATUS(child->status));
	return why;
}

struct filling {
	void (*fill)(void *data);
	void *data;
	size_t size;
};

static void answer(void *arg, int fd)
{
	const struct filling *q = arg;

	q->fill(q->data);
	if (write(fd, q->data, q->size) != (ssize_t)q->size)
		_exit(1);
}

bool kc_child_ask(struct kc_child *child, void (*fill)(void *data), void *data, size_t size,
		  unsigned seconds)
{
	struct filling q = { fill, data, size };
	bool ok = size <= PIPE_BUF && kc_child_start(child, answer, &q) &&
		  kc_child_read(child, data, size, seconds);

	kc_child_end(child);
	return ok;
}

static void become(char *const *argv, const char *conf, bool is_quiet)
{
	int error = STDERR_FILENO, code = CODE_NOT_RUN;

	if (is_quiet) {
		error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
		silence(STDOUT_FILENO);
	}
	if (conf && *conf)
		setenv("OPENSSL_CONF", conf, 1);
	execvp(argv[0], argv);
	if (errno == ENOENT)
		code = CODE_ABSENT;
	dprintf(error, "kcrypto: %s: %s\n", argv[0], strerror(errno));
	_exit(code);
}

/* Returns the number after this word in a process's status; 0: there is none. */
static int status_number(pid_t pid, const char *word)
{
	char path[64], line[256];
	KC_FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, word, strlen(word)) == 0)
			return atoi(line + strlen(word));
	return 0;
}

/* Before Linux 5.9 the number of filters is not told: then only the first one is noticed. */
static bool has_more_filters(pid_t pid)
{
	static const char *const lines[] = { "Seccomp:", "Seccomp_filters:" };
	pid_t ours = getpid();

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (status_number(pid, lines[i]) > status_number(ours, lines[i]))
			return true;
	return false;
}

/* Waits for the end. Returns the exit code that a shell would; -1: there is no process. */
static int wait_for(pid_t pid, bool *is_filtered)
{
	siginfo_t info;
	int status = 0;

	if (pid < 0)
		return -1;
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	*is_filtered = has_more_filters(pid);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

int kc_child_run(char *const *argv, const char *conf, bool is_quiet, bool *is_filtered)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction interrupt, quit;
	pid_t pid;
	int code = 0;

	fflush(stdout);
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	pid = fork();
	if (pid)
		code = wait_for(pid, is_filtered);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	if (pid == 0)
		become(argv, conf, is_quiet);
	return code;
}
