/* SPDX-License-Identifier: Apache-2.0 */
/* Fork, exec, wait; the interrupts of a terminal are the command's. */
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

#define NOT_RUN	  126 /* as shells say it, this and the next */
#define NOT_FOUND 127

static const int ours[] = { SIGINT, SIGQUIT };
static struct sigaction before[2];

/* As system() does it, so that Ctrl-C ends the command and the file is removed after it. */
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

/* -1 where there is no process. */
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
		return "the openssl.cnf that the command would read can't be parsed";
	return err ? "no configuration for the command can be written" : NULL;
}

const char *kc_command_run(char *const *argv, const char *file, enum kc_with with, bool is_quiet,
			   struct kc_ended *ended)
{
	char *found = file ? NULL : CONF_get1_default_config_file();
	struct kc_made_conf conf = { "" };
	const char *problem = NULL;
	struct kc_meter from, to;

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
	return ended->code < 0 ? "there is no room for another process" : NULL;
}
