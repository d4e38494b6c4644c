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

static void child(const struct kc_conf *conf, int (*nid_of)(const struct kc_alg *alg), int fd)
{
	struct kc_reach reach = { .is_told = true };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	silence();
	unsetenv("KCRYPTO_STATS");
	OPENSSL_load_builtin_modules();
	kc_reach_load_engines();
	reach.starts = CONF_modules_load_file(conf->file, NULL, AS_PROGRAMS_DO) > 0;
	if (reach.starts) {
		kc_reach_by_provider(&reach, conf);
		kc_reach_by_engine(&reach, conf, nid_of);
	}
	if (write(fd, &reach, sizeof(reach)) != (ssize_t)sizeof(reach))
		_exit(1);
}

void kc_reach_ask(struct kc_reach *reach, const struct kc_conf *conf,
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
		child(conf, nid_of, fd[1]);
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

static void explain_engine(struct kc_conf *conf, const struct kc_reach *reach, bool is_missing)
{
	if (OpenSSL_version_num() >= 0x40000000)
		kc_conf_note(conf,
			     "this OpenSSL has no engines: move the lines of the engine %s to a "
			     "provider's section, where they mean the same",
			     conf->engine);
	else if (!reach->engine[0])
		kc_conf_note(conf,
			     "OpenSSL cannot load the engine %s: 'kcrypto engine-names install' "
			     "puts kcrypto's there",
			     conf->engine);
	else if (!reach->is_engine_ours)
		kc_conf_note(conf,
			     "the engine %s that applications load is '%s' and not kcrypto's: "
			     "'kcrypto engine-names install' replaces it",
			     conf->engine, reach->engine);
	else if (is_missing)
		kc_conf_note(conf,
			     "applications load the engine %s, but it is not their default: add "
			     "'default_algorithms = ALL' to its section",
			     conf->engine);
	else
		kc_conf_note(conf,
			     "applications reach kcrypto as the engine %s; see kcrypto-engine(7)",
			     conf->engine);
}

static void explain_provider(struct kc_conf *conf, const struct kc_reach *reach, bool is_missing)
{
	if (!reach->is_loaded)
		kc_conf_note(conf, "applications do not load kcrypto: %s", reach->module_error);
	else if (!reach->has_rest && conf->is_default_active)
		kc_conf_note(conf,
			     "'default_properties = %s' hides most of OpenSSL from applications: "
			     "write '?provider=kcrypto'",
			     conf->query);
	else if (is_missing && conf->query[0])
		kc_conf_note(conf,
			     "'default_properties = %s' does not lead applications to kcrypto: "
			     "write '?provider=kcrypto'",
			     conf->query);
}

void kc_reach_explain(struct kc_conf *conf, const struct kc_reach *reach, bool is_missing)
{
	if (!reach->is_told)
		kc_conf_note(conf,
			     "loading this configuration crashes a program, or takes it more than "
			     "%d seconds",
			     KC_REACH_SECONDS);
	else if (!reach->starts)
		kc_conf_note(conf, "a program with this configuration fails to start: "
				   "config_diagnostics is on, and something in the file is wrong");
	else if (conf->engine[0] && !conf->is_active)
		explain_engine(conf, reach, is_missing);
	else if (conf->is_active)
		explain_provider(conf, reach, is_missing);
}
