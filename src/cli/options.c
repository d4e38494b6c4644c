/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a command line by the command's table of options, and prints the help from that table. */
#include "cli/cli.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/screen.h"
#include "cli/text.h"

#define ASKED_FOR_HELP (-1)

/* The present command, for the advice below an error. Set by kc_command_call(). */
static const char *current = "";

static void complain(const char *format, va_list args)
{
	kc_paint(stderr, KC_RED, 0, "kcrypto");
	fputs(": ", stderr);
	vfprintf(stderr, format, args);
	putc('\n', stderr);
}

int kc_failure(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
	return KC_EXIT_FAILED;
}

void *kc_must(void *memory)
{
	if (!memory)
		exit(kc_failure("not enough memory"));
	return memory;
}

int kc_usage_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
	fprintf(stderr, "Try 'kcrypto help%s%s'.\n", kc_lead(" ", current), current);
	return KC_EXIT_USAGE;
}

int kc_option_number(const char *word, unsigned max, unsigned *number)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);
	bool is_number = isdigit((unsigned char)*word) && !*end;

	if (!is_number || !n || n > max)
		return kc_usage_error("'%s' is not a whole number from 1 to %u", word, max);
	*number = (unsigned)n;
	return KC_EXIT_OK;
}

static const char *operands_of(const struct kc_command *c)
{
	return kc_text_or(c->operands, "");
}

static bool has_actions(const struct kc_command *c)
{
	return islower((unsigned char)*operands_of(c));
}

static bool takes_command(const struct kc_command *c)
{
	return strstr(operands_of(c), "-- COMMAND");
}

static bool requires_command(const struct kc_command *c)
{
	return operands_of(c)[0] == '-';
}

/* Returns the bit of the word among "show | check"; 0: it is none of these. */
static unsigned find_action(const char *words, const char *word)
{
	size_t len = strlen(word), n;

	for (unsigned bit = 1; *words; words += n + strspn(words + n, " |"), bit <<= 1) {
		n = strcspn(words, " |");
		if (n == len && strncmp(words, word, n) == 0)
			return bit;
	}
	return 0;
}

/* The result of reading. */
struct command_line {
	const struct kc_command *command;
	struct kc_args args;
	unsigned given; /* a bit for each option */
};

static int take_value(const struct kc_option *o, char *value)
{
	if (o->flag)
		*o->flag = true;
	else if (o->text)
		*o->text = value;
	else
		return kc_option_number(value, o->max, o->number);
	return KC_EXIT_OK;
}

/* Returns the option that these @len bytes name, dashes included; NULL: there is none. */
static const struct kc_option *find_option(const struct kc_command *c, const char *word, size_t len)
{
	for (const struct kc_option *o = c->options; o && o->name; o++)
		if (strlen(o->name) + 2 == len && strncmp(word, "--", 2) == 0 &&
		    strncmp(word + 2, o->name, len - 2) == 0)
			return o;
	return NULL;
}

/* Reads @argv[*i], and its value if that is the next word. */
static int read_option(struct command_line *line, char **argv, int argc, int *i)
{
	char *word = argv[*i], *value = strchr(word, '=');
	size_t len = strcspn(word, "=");
	const struct kc_option *o = find_option(line->command, word, len);

	if (value)
		value++;
	if (!o)
		return kc_usage_error("unknown option '%.*s'", (int)len, word);
	if (!o->value && value)
		return kc_usage_error("option '--%s' takes no argument", o->name);
	if (o->value && !value && *i + 1 < argc)
		value = argv[++*i];
	if (o->value && !value)
		return kc_usage_error("option '--%s' requires an argument", o->name);
	line->given |= 1U << (o - line->command->options);
	return take_value(o, value);
}

static int take_word(struct command_line *line, char *word)
{
	const struct kc_command *c = line->command;

	if (takes_command(c))
		return kc_usage_error("unexpected argument '%s'; a command comes after '--'", word);
	if (line->args.word || !*operands_of(c))
		return kc_usage_error("unexpected argument '%s'", word);
	line->args.word = word;
	return KC_EXIT_OK;
}

/* The only option that also has a letter. */
static char long_form[] = "--verbose";

static int read_words(struct command_line *line, int argc, char **argv)
{
	const struct kc_command *c = line->command;
	int err = KC_EXIT_OK, i;

	for (i = 1; !err && i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
			return ASKED_FOR_HELP;
		if (strcmp(argv[i], "-v") == 0)
			argv[i] = long_form;
		if (argv[i][0] == '-' && argv[i][1])
			err = read_option(line, argv, argc, &i);
		else if (requires_command(c))
			break;
		else
			err = take_word(line, argv[i]);
	}
	i += i < argc && strcmp(argv[i], "--") == 0;
	if (i < argc && takes_command(c))
		line->args.command = argv + i;
	while (!err && !line->args.command && i < argc)
		err = take_word(line, argv[i++]);
	return err;
}

static int check_options(const struct command_line *line, unsigned call)
{
	const struct kc_option *o = line->command->options;

	for (unsigned i = 0; o && o[i].name; i++) {
		if (!(line->given >> i & 1))
			continue;
		if (o[i].is_instead && line->given >> (i - 1) & 1)
			return kc_usage_error("options '--%s' and '--%s' exclude each other",
					      o[i - 1].name, o[i].name);
		if (o[i].calls && !(o[i].calls & call))
			return kc_usage_error("option '--%s' cannot be used in this call",
					      o[i].name);
	}
	return KC_EXIT_OK;
}

static unsigned call_of(const struct kc_args *args)
{
	if (args->command)
		return KC_CALL_COMMAND;
	if (args->word)
		return KC_CALL_WORD;
	return KC_CALL_PLAIN;
}

static int check_line(const struct command_line *line)
{
	const struct kc_command *c = line->command;
	const struct kc_args *args = &line->args;
	unsigned call = call_of(args);

	if (has_actions(c) && !args->word)
		return kc_usage_error("'kcrypto %s' requires an action", c->name);
	if (has_actions(c))
		call = find_action(c->operands, args->word);
	if (!call)
		return kc_usage_error("unknown action '%s'", args->word);
	if (requires_command(c) && !args->command)
		return kc_usage_error("'kcrypto %s' requires a command", c->name);
	return check_options(line, call);
}

int kc_command_call(const struct kc_command *command, int argc, char **argv)
{
	struct command_line line = { .command = command };
	int err;

	current = command->name;
	err = read_words(&line, argc, argv);
	if (err == ASKED_FOR_HELP) {
		kc_help_print(command);
		return KC_EXIT_OK;
	}
	if (!err)
		err = check_line(&line);
	if (err)
		return err;
	return command->run(&line.args);
}

void kc_usage_print(FILE *out, const struct kc_command *command, const char *label)
{
	const char *operands = operands_of(command);

	fprintf(out, "%-6s kcrypto %s", label, command->name);
	if (command->options)
		fputs(" [OPTION...]", out);
	fprintf(out, "%s%s\n", kc_lead(" ", operands), operands);
}

void kc_help_print(const struct kc_command *command)
{
	const struct kc_option *o = command->options;
	char call[32];

	printf("kcrypto %s %s.\n\n", command->name, command->about);
	kc_usage_print(stdout, command, "usage:");
	putchar('\n');
	for (; o && o->name; o++) {
		const char *value = kc_text_or(o->value, "");

		snprintf(call, sizeof(call), "--%s%s%s", o->name, kc_lead(" ", value), value);
		printf("  %-17s  %s\n", call, o->help);
	}
	if (command->options)
		putchar('\n');
	puts("kcrypto(1) describes everything.");
}
