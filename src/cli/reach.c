/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that loads a configuration, and the parent that waits only until the deadline: the file
 * may name any module, and a module may crash or hang.
 */
#include "cli/reach.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/conf.h>

_Static_assert(sizeof(struct kc_reach) <= PIPE_BUF, "an answer is written and read whole");

/* The flags with which OpenSSL loads the file automatically. */
#define AS_PROGRAMS_DO                                                                             \
	(CONF_MFLAGS_DEFAULT_SECTION | CONF_MFLAGS_IGNORE_MISSING_FILE |                           \
	 CONF_MFLAGS_IGNORE_RETURN_CODES)

/* Modules may print and read. */
static void silence(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
}

static void child(const struct kc_conf *conf, const char *file,
		  int (*nid_of)(const struct kc_alg *alg), int fd)
{
	struct kc_reach reach = { .is_told = true };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	silence();
	unsetenv("KCRYPTO_STATS");
	OPENSSL_load_builtin_modules();
	kc_reach_load_engines();
	reach.starts = CONF_modules_load_file(file, NULL, AS_PROGRAMS_DO) > 0;
	if (reach.starts) {
		kc_reach_by_provider(&reach, conf, file);
		kc_reach_by_engine(&reach, conf, nid_of);
	}
	if (write(fd, &reach, sizeof(reach)) != (ssize_t)sizeof(reach))
		_exit(1);
}

void kc_reach_ask(struct kc_reach *reach, const struct kc_conf *conf, const char *file,
		  int (*nid_of)(const struct kc_alg *alg))
{
	struct pollfd pfd = { .events = POLLIN };
	int fd[2];
	pid_t pid;

	memset(reach, 0, sizeof(*reach));
	if (pipe2(fd, O_CLOEXEC) != 0)
		return;
	pid = fork();
	if (pid == 0) {
		child(conf, file, nid_of, fd[1]);
		_exit(0);
	}
	close(fd[1]);
	pfd.fd = fd[0];
	if (pid > 0 && (poll(&pfd, 1, KC_REACH_SECONDS * 1000) != 1 ||
			read(fd[0], reach, sizeof(*reach)) != (ssize_t)sizeof(*reach)))
		memset(reach, 0, sizeof(*reach));
	close(fd[0]);
	/* A child that is stuck in a sick driver cannot even be killed, and is not waited for. */
	if (pid > 0 && kill(pid, SIGKILL) == 0)
		waitpid(pid, NULL, WNOHANG);
}
