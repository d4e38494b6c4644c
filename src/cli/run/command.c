/* SPDX-License-Identifier: Apache-2.0 */
/* Fork, exec, wait; interrupts from a terminal go to the command. */
#include "cli/run/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/conf.h>
#include <openssl/crypto.h>

#include "cli/run/conf_make.h"

#define NOT_RUN	  126 /* as in shells, like the next */
#define NOT_FOUND 127

static const int ours[] = { SIGINT, SIGQUIT };
static struct sigaction before[2];

/* Like system(), so that Ctrl-C ends the command, and the file is removed after that. */
static void ignore_interrupts(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	for (unsigned i = 0; i < 2; i++)
		sigaction(ours[i], &ignore, &before[i]);
}

static void take_interrupts(void)
{
	for (unsigned i = 0; i < 2; i++)
		sigaction(ours[i], &before[i], NULL);
}

static void become(char *const *argv, const char *conf, bool is_quiet)
{
	int null = is_quiet ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;

	take_interrupts();
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	if (*conf)
		setenv("OPENSSL_CONF", conf, 1);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "kcrypto: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? NOT_FOUND : NOT_RUN);
}

/* -1 if there is no process. */
static int run(char *const *argv, const char *conf, bool is_quiet)
{
	pid_t pid;
	int status = 0;

	ignore_interrupts();
	pid = fork();
	if (pid == 0)
		become(argv, conf, is_quiet);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	take_interrupts();
	if (pid < 0)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static const char *why(int err)
{
	if (err == -EINVAL)
		return "cannot parse the openssl.cnf that the command would read";
	return err ? "cannot write a configuration for the command" : NULL;
}

const char *kc_command_run(char *const *argv, const char *file, enum kc_with with, bool is_quiet,
			   struct kc_ended *ended)
{
	char *found = file ? NULL : CONF_get1_default_config_file();
	struct kc_made_conf conf = { "" };
	const char *problem = NULL;
	struct kc_meter from, to;

	if (with != KC_AS_IT_IS && file && access(file, R_OK) != 0)
		return "cannot read the file that --config names";
	if (with != KC_AS_IT_IS)
		problem = why(kc_conf_make(&conf, file ? file : found, with));
	OPENSSL_free(found);
	if (problem)
		return problem;
	from = kc_meter_read();
	ended->code = run(argv, conf.path, is_quiet);
	to = kc_meter_read();
	ended->took = kc_meter_between(&from, &to);
	kc_conf_unmake(&conf);
	return ended->code < 0 ? "cannot start another process" : NULL;
}
