/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands, which are also the lines of an engine's section in openssl.cnf. OpenSSL stops
 * reading that file at a command that it does not know or that fails, and ignores the rest, even
 * its TLS settings. So we look up the names ourselves, report a misspelt one as a problem, and
 * never fail.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <openssl/err.h>

#include "base/method.h"
#include "policy/config_value.h"
#include "engine/engine.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int dump_info(void)
{
	kc_dump(stderr, kc_engine_config(), kc_method_nid);
	return 1;
}

static int say_version(void)
{
	fprintf(stderr, "kcrypto %s\n", KC_VERSION);
	return 1;
}

#define TEXT   ENGINE_CMD_FLAG_STRING
#define NUMBER (ENGINE_CMD_FLAG_STRING | ENGINE_CMD_FLAG_NUMERIC)

static const struct command {
	const char *name; /* a key of the configuration, or a command without a value */
	const char *help;
	unsigned flags;
	int (*say)(void); /* for a command without a value */
} commands[] = {
	{ "USE_SOFTDRIVERS",
	  "kernel drivers that may be used: 0 hardware only, 1 software too, 2 hardware and "
	  "drivers that may be either [default=0]",
	  NUMBER },
	{ "CIPHERS",
	  "ALL, NONE, NO_ECB, or ciphers, separated by commas or blanks; each may have :N, the "
	  "smallest request for the kernel, in bytes",
	  TEXT },
	{ "DIGESTS", "ALL, NONE, or digests, written like CIPHERS [default=NONE]", TEXT },
	{ "DUMP_INFO", "prints on standard error the driver that the kernel has for each algorithm",
	  ENGINE_CMD_FLAG_NO_INPUT, dump_info },
	{ "BACKENDS", "kernel interfaces, best first, only for the id kcrypto", TEXT },
	{ "SOFT_DRIVERS", "the same as USE_SOFTDRIVERS", NUMBER },
	{ "MAX_REQUEST", "the largest request to the kernel, in bytes", NUMBER },
	{ "MAX_SESSIONS", "the number of descriptors that a process may hold for sessions",
	  NUMBER },
	{ "VERIFY", "software repeats one request in this many, and the answers are compared",
	  NUMBER },
	{ "STATS", "counts requests for kcrypto stats, yes or no [default=no]", TEXT },
	{ "SECCOMP", "avoid or trust the seccomp filters of the process [default=avoid]", TEXT },
	{ "VERSION", "prints on standard error the version of kcrypto", ENGINE_CMD_FLAG_NO_INPUT,
	  say_version },
	/* Takes names that are close to one of these; not listed. */
	{ "", "", NUMBER },
};

#define MISSPELT ((int)ARRAY_SIZE(commands) - 1)

static void say(const struct kc_problem *problem)
{
	fprintf(stderr, "kcrypto: %s: '%s': %s%s%s\n", problem->key, problem->word,
		kc_reasons[problem->reason].text, problem->nearest[0] ? "; nearest known: " : "",
		problem->nearest);
}

static void set_and_say(const char *key, const char *value)
{
	const struct kc_config *config = kc_engine_config();
	unsigned i = kc_engine_set(key, value);

	for (; kc_engine_is_asked() && i < config->n_problems; i++)
		say(&config->problems[i]);
}

/* Returns the number of the command; 0 if there is none. */
static int find_command(const char *name)
{
	struct kc_problem problem = { .reason = KC_UNKNOWN_KEY };

	kc_word_copy(problem.word, name);
	for (int i = 0; i < MISSPELT; i++) {
		if (strcasecmp(commands[i].name, name) == 0)
			return ENGINE_CMD_BASE + i;
		kc_suggest(&problem, commands[i].name);
	}
	if (!problem.nearest[0])
		return 0;
	set_and_say(name, "");
	return ENGINE_CMD_BASE + MISSPELT;
}

/* Registers again: the offer may have changed, and a list alone makes an engine the default. */
static void activate(ENGINE *e)
{
	ERR_set_mark();
	ENGINE_unregister_ciphers(e);
	ENGINE_unregister_digests(e);
	ENGINE_set_default_ciphers(e);
	ENGINE_set_default_digests(e);
	ERR_pop_to_mark();
}

static int run_command(ENGINE *e, const struct command *command, long i, const char *text)
{
	char number[24];

	if (command == &commands[MISSPELT])
		return 1;
	if (command->say)
		return command->say();
	snprintf(number, sizeof(number), "%ld", i);
	if (!text)
		text = number;
	set_and_say(command->name, text);
	activate(e);
	return 1;
}

/* Returns the length of the answer; -1 if there is no buffer for it. */
static int copy_answer(char *answer, const char *text)
{
	if (!answer)
		return -1;
	return (int)(stpcpy(answer, text) - answer);
}

/*
 * Answers OpenSSL's questions about the commands. -1: this is no such question, or the caller has
 * no buffer for the answer.
 */
static int describe_command(const struct command *command, int question, char *answer)
{
	int at = (int)(command - commands);

	switch (question) {
	case ENGINE_CTRL_GET_NEXT_CMD_TYPE:
		if (at + 1 >= MISSPELT)
			return 0;
		return ENGINE_CMD_BASE + at + 1;
	case ENGINE_CTRL_GET_NAME_LEN_FROM_CMD:
		return (int)strlen(command->name);
	case ENGINE_CTRL_GET_NAME_FROM_CMD:
		return copy_answer(answer, command->name);
	case ENGINE_CTRL_GET_DESC_LEN_FROM_CMD:
		return (int)strlen(command->help);
	case ENGINE_CTRL_GET_DESC_FROM_CMD:
		return copy_answer(answer, command->help);
	case ENGINE_CTRL_GET_CMD_FLAGS:
		return (int)command->flags;
	default:
		return -1;
	}
}

int kc_engine_ctrl(ENGINE *e, int command, long i, void *p, void (*f)(void))
{
	bool is_about_one = i >= ENGINE_CMD_BASE && i <= ENGINE_CMD_BASE + MISSPELT;
	bool is_command = command >= ENGINE_CMD_BASE && command <= ENGINE_CMD_BASE + MISSPELT;

	(void)f;
	if (command == ENGINE_CTRL_GET_FIRST_CMD_TYPE)
		return ENGINE_CMD_BASE;
	if (command == ENGINE_CTRL_GET_CMD_FROM_NAME && p)
		return find_command(p);
	if (is_command)
		return run_command(e, &commands[command - ENGINE_CMD_BASE], i, p);
	if (is_about_one)
		return describe_command(&commands[i - ENGINE_CMD_BASE], command, p);
	return -1;
}
