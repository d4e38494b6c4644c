/* SPDX-License-Identifier: Apache-2.0 */
/* The command's table decides how a command line is read; what is wrong is named. */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static bool flag, other;
static const char *text;
static unsigned number, called;
static struct kc_args seen;

static const struct kc_option options[] = {
	{ "flag", NULL, "a flag", .flag = &flag },
	{ "other", NULL, "another", .flag = &other, .is_instead = true },
	{ "text", "FILE", "a text", .text = &text, .calls = KC_CALL_PLAIN | KC_CALL_WORD },
	{ "number", "N", "a number", .number = &number, .max = 9, .calls = KC_CALL_COMMAND | 8 },
	{ NULL },
};

static int run(const struct kc_args *args)
{
	seen = *args;
	called++;
	return KC_EXIT_OK;
}

/* What a command takes. */
static const char plain[] = "[-- COMMAND]", one[] = "[WORD]", action[] = "show | check | on | off",
		  wrapper[] = "-- COMMAND";

static const struct {
	const char *operands, *line, *error; /* error: NULL: none */
	const char *word, *rest;	     /* the first operand, and the command's */
} lines[] = {
	{ plain, "" },
	{ one, "--flag word", NULL, "word" },
	{ one, "word --flag", NULL, "word" },
	{ plain, "--text x", NULL },
	{ plain, "--text=x", NULL },
	{ plain, "--number 9 -- cmd --flag", NULL, NULL, "cmd" },
	{ one, "- ", NULL, "-" },
	{ one, "a b", "unexpected argument 'b'" },
	{ one, "-- --flag", NULL, "--flag" },
	{ one, "word --text x", NULL, "word" },
	{ one, "word --number 1", "option '--number' cannot be used in this call" },
	{ plain, "a b", "unexpected argument 'a'; a command comes after '--'" },
	{ plain, "--frob", "unknown option '--frob'" },
	{ plain, "--frob=1", "unknown option '--frob'" },
	{ plain, "--fla", "unknown option '--fla'" },
	{ plain, "-f", "unknown option '-f'" },
	{ plain, "--text", "option '--text' requires an argument" },
	{ plain, "--flag=1", "option '--flag' takes no argument" },
	{ plain, "--number 10 -- x", "'10' is not a whole number from 1 to 9" },
	{ plain, "--number -1 -- x", "'-1' is not a whole number from 1 to 9" },
	{ plain, "--number 0 -- x", "'0' is not a whole number from 1 to 9" },
	{ plain, "--number 3", "option '--number' cannot be used in this call" },
	{ plain, "--text x -- y", "option '--text' cannot be used in this call" },
	{ plain, "--flag --other", "options '--flag' and '--other' exclude each other" },
	{ action, "show", NULL, "show" },
	{ action, "off --number 2", NULL, "off" },
	{ action, "", "'kcrypto name' requires an action" },
	{ action, "sho", "unknown action 'sho'" },
	{ action, "|", "unknown action '|'" },
	{ action, "on --text x", "option '--text' cannot be used in this call" },
	{ action, "on off", "unexpected argument 'off'" },
	{ wrapper, "--flag cmd --help", NULL, NULL, "cmd" },
	{ wrapper, "-- cmd", NULL, NULL, "cmd" },
	{ wrapper, "--flag", "'kcrypto name' requires a command" },
};

/* Parses it and captures standard error. */
static int call(const char *operands, const char *line, char *said, size_t size)
{
	const struct kc_command command = {
		.name = "name", .options = options, .operands = operands, .run = run
	};
	char words[128], *argv[16] = { "name" };
	int argc = 1, before = dup(STDERR_FILENO), code;
	FILE *file = tmpfile();

	snprintf(words, sizeof(words), "%s", line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	dup2(fileno(file), STDERR_FILENO);
	code = kc_command_call(&command, argc, argv);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(file);
	said[fread(said, 1, size - 1, file)] = '\0';
	fclose(file);
	return code;
}

TEST(each_line_is_taken_or_its_error_named)
{
	char said[512], want[512];

	for (size_t i = 0; i < COUNT(lines); i++) {
		unsigned before = called;
		int code = call(lines[i].operands, lines[i].line, said, sizeof(said));

		if (lines[i].error)
			snprintf(want, sizeof(want), "kcrypto: %s\nTry 'kcrypto help name'.\n",
				 lines[i].error);
		assert_string_equal(said, lines[i].error ? want : "");
		assert_int_equal(code, lines[i].error ? KC_EXIT_USAGE : KC_EXIT_OK);
		assert_int_equal(called - before, !lines[i].error);
		if (lines[i].error)
			continue;
		assert_int_equal(seen.word != NULL, lines[i].word != NULL);
		assert_int_equal(seen.command != NULL, lines[i].rest != NULL);
	}
	assert_true(flag);
	assert_int_equal(number, 2);
}
