/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a command line by the command's table of options, and prints the help from it. */
#include "cli/cli.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/screen.h"

#define ASKED_FOR_HELP (-1)

/* Set by kc_command_call(), for the advice below an error. */
static const char *current = "";

int kc_failure(const char *why)
{
	kc_paint(stderr, KC_RED, 0, "kcrypto");
	fprintf(stderr, ": %s\n", why);
	return KC_EXIT_FAILED;
}

int kc_usage_error(const char *format, ...)
{
	va_list args;

	kc_paint(stderr, KC_RED, 0, "kcrypto");
	fputs(": ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\nTry 'kcrypto help%s%s'.\n", *current ? " " : "", current);
	return KC_EXIT_USAGE;
}

int kc_option_number(const char *word, unsigned max, unsigned *number)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (!isdigit((unsigned char)*word) || *end || !n || n > max)
		return kc_usage_error("'%s' is not a whole number from 1 to %u", word, max);
	*number = (unsigned)n;
	return KC_EXIT_OK;
}

/* Is it one of the words between the bars of "show | check"? */
static bool is_among(const char *words, const char *word)
{
	size_t len = strlen(word), n;

	for (; *words; words += n + strspn(words + n, " |")) {
		n = strcspn(words, " |");
		if (n == len && strncmp(words, word, n) == 0)
			return true;
	}
	return false;
}

static bool begins_with_option(const struct kc_call *call)
{
	return call->begin && strncmp(call->begin, "--", 2) == 0;
}

static bool is_used(const struct kc_command *c, unsigned i)
{
	return i == 0 || (i < KC_MAX_CALLS && (c->calls[i].begin || c->calls[i].end));
}

static bool takes_command(const struct kc_command *c)
{
	for (unsigned i = 0; i < KC_MAX_CALLS; i++)
		if (c->calls[i].end && strstr(c->calls[i].end, "-- COMMAND"))
			return true;
	return false;
}

/* What was read. */
struct line {
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
	else if (o->number)
		return kc_option_number(value, o->max, o->number);
	else
		return o->read(value);
	return KC_EXIT_OK;
}

/* Reads @argv[*i], and its value if that is the next word. */
static int read_option(struct line *line, char **argv, int argc, int *i)
{
	char *word = argv[*i], *value = strchr(word, '=');
	size_t len = value ? (size_t)(value++ - word) : strlen(word);
	const struct kc_option *o = line->command->options;

	while (o && o->name &&
	       (strlen(o->name) + 2 != len || strncmp(word, "--", 2) != 0 ||
		strncmp(word + 2, o->name, len - 2) != 0))
		o++;
	if (!o || !o->name)
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

/* Collects the operands at the beginning of @argv. */
static int read_words(struct line *line, int argc, char **argv)
{
	struct kc_args *args = &line->args;
	const struct kc_command *c = line->command;
	int err = KC_EXIT_OK, i;

	args->words = argv;
	for (i = 1; !err && i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
			return ASKED_FOR_HELP;
		if (argv[i][0] == '-' && argv[i][1])
			err = read_option(line, argv, argc, &i);
		else if (c->is_wrapper)
			break;
		else
			args->words[args->n++] = argv[i];
	}
	i += i < argc && strcmp(argv[i], "--") == 0;
	if (i < argc && takes_command(c))
		args->command = argv + i;
	while (!args->command && i < argc)
		args->words[args->n++] = argv[i++];
	return err;
}

static bool is_chosen(const struct line *line, const struct kc_call *call)
{
	const struct kc_option *o = line->command->options;

	if (begins_with_option(call)) {
		for (unsigned i = 0; o[i].name; i++)
			if (line->given >> i & 1 && strcmp(o[i].name, call->begin + 2) == 0)
				return true;
		return false;
	}
	if (call->begin)
		return line->args.n && is_among(call->begin, line->args.words[0]);
	if (call->end && isupper((unsigned char)call->end[0]))
		return line->args.n;
	return line->args.command && call->end && call->end[0] == '-';
}

/* The number of the call; KC_MAX_CALLS: the action is missing or unknown. */
static unsigned choose_call(const struct line *line)
{
	const struct kc_call *calls = line->command->calls;

	for (unsigned i = KC_MAX_CALLS; i--;)
		if ((calls[i].begin || calls[i].end) && is_chosen(line, &calls[i]))
			return i;
	return calls[0].begin && !begins_with_option(&calls[0]) ? KC_MAX_CALLS : 0;
}

static int check_options(const struct line *line, unsigned call)
{
	const struct kc_option *o = line->command->options;
	const struct kc_call *chosen = &line->command->calls[call];

	for (unsigned i = 0; o && o[i].name; i++) {
		if (!(line->given >> i & 1))
			continue;
		if (o[i].is_instead && line->given >> (i - 1) & 1)
			return kc_usage_error("options '--%s' and '--%s' exclude each other",
					      o[i - 1].name, o[i].name);
		if (!o[i].calls || o[i].calls >> call & 1)
			continue;
		if (begins_with_option(chosen))
			return kc_usage_error("option '--%s' cannot be used with '%s'", o[i].name,
					      chosen->begin);
		return kc_usage_error("option '--%s' cannot be used in this call", o[i].name);
	}
	return KC_EXIT_OK;
}

static int check(const struct line *line)
{
	const struct kc_command *c = line->command;
	const struct kc_args *args = &line->args;
	unsigned call = choose_call(line);

	if (call == KC_MAX_CALLS && !args->n)
		return kc_usage_error("'kcrypto %s' requires an action", c->name);
	if (call == KC_MAX_CALLS)
		return kc_usage_error("unknown action '%s'", args->words[0]);
	if (args->n > c->max_words)
		return kc_usage_error("unexpected argument '%s'%s", args->words[c->max_words],
				      takes_command(c) ? "; a command comes after '--'" : "");
	if (c->is_wrapper && !args->command)
		return kc_usage_error("'kcrypto %s' requires a command", c->name);
	return check_options(line, call);
}

int kc_command_call(const struct kc_command *command, int argc, char **argv)
{
	struct line line = { .command = command };
	int err;

	current = command->name;
	err = read_words(&line, argc, argv);
	if (err == ASKED_FOR_HELP) {
		kc_help_print(command);
		return KC_EXIT_OK;
	}
	if (!err)
		err = check(&line);
	return err ? err : command->run(&line.args);
}

/* Prints a part of a call, on the next line if it does not fit on this one. */
static void print_part(FILE *out, const char *part, size_t *column, size_t indent)
{
	if (*column + 1 + strlen(part) > KC_COLUMNS) {
		fprintf(out, "\n%*s", (int)indent - 1, "");
		*column = indent - 1;
	}
	fprintf(out, " %s", part);
	*column += 1 + strlen(part);
}

/* "[--json | --engine-format]". Returns the last option of it. */
static const struct kc_option *make_part(char *part, size_t size, const struct kc_option *o)
{
	size_t len = (size_t)snprintf(part, size, "[--%s%s%s", o->name, o->value ? " " : "",
				      o->value ? o->value : "");

	for (; o[1].name && o[1].is_instead; o++)
		len += (size_t)snprintf(part + len, size - len, " | --%s", o[1].name);
	snprintf(part + len, size - len, "]");
	return o;
}

static void print_call(FILE *out, const struct kc_command *c, unsigned i, const char *label)
{
	const struct kc_call *call = &c->calls[i];
	size_t indent = strlen("usage: kcrypto ") + strlen(c->name) + 1, column = indent - 1;
	char part[80];

	fprintf(out, "%-6s kcrypto %s", label, c->name);
	if (call->begin)
		print_part(out, call->begin, &column, indent);
	for (const struct kc_option *o = c->options; o && o->name; o++) {
		if ((o->calls && !(o->calls >> i & 1)) ||
		    (begins_with_option(call) && strcmp(call->begin + 2, o->name) == 0))
			continue;
		o = make_part(part, sizeof(part), o);
		print_part(out, part, &column, indent);
	}
	if (call->end)
		print_part(out, call->end, &column, indent);
	putc('\n', out);
}

void kc_usage_print(FILE *out, const struct kc_command *command, const char *label)
{
	for (unsigned i = 0; is_used(command, i); i++)
		print_call(out, command, i, i ? "" : label);
}

void kc_help_print(const struct kc_command *command)
{
	const struct kc_option *o = command->options;
	char call[32];

	printf("kcrypto %s %s.\n\n", command->name, command->about);
	kc_usage_print(stdout, command, "usage:");
	putchar('\n');
	for (; o && o->name; o++) {
		snprintf(call, sizeof(call), "--%s%s%s", o->name, o->value ? " " : "",
			 o->value ? o->value : "");
		printf("  %-17s  %s\n", call, o->help);
	}
	puts(command->options ? "\nkcrypto(1) says more." : "kcrypto(1) says more.");
}
