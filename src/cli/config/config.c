/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto config: its options, the reading of the configuration, and the actions that change
 * nothing: which file, which layout, and what is on; and the links of kcrypto doctor's chain that
 * openssl.cnf makes.
 */
#include "cli/config/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run/command.h"
#include "cli/screen.h"

int kc_setup_refuse(struct kc_setup *setup, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(setup->error, sizeof(setup->error), format, args);
	va_end(args);
	return err;
}

static int read_conf(struct kc_setup *setup, const char *main)
{
	int err;

	kc_conf_free(&setup->conf);
	kc_config_init(&setup->config);
	err = kc_conf_read_of(&setup->conf, &setup->files, main, &setup->config);
	if (err == -ENOENT)
		err = kc_cnf_be_empty(&setup->conf.cnf);
	return err ? kc_setup_refuse(setup, err, "%s", setup->conf.error) : 0;
}

int kc_setup_read_planned(struct kc_setup *setup)
{
	int err = setup->layout.kind == KC_LAYOUT_UCI ?
			  kc_uci_foresee(&setup->files, &setup->layout, setup->uci) :
			  0;

	if (err)
		return kc_setup_refuse(setup, err, "%s: %s", KC_UCI_FILE, strerror(-err));
	return read_conf(setup, setup->layout.main);
}

static int read_all(struct kc_setup *setup)
{
	char main[PATH_MAX];
	int err = kc_layout_find_main(&setup->files, setup->file, main);

	if (err)
		return kc_setup_refuse(setup, -ENXIO, "there is no openssl.cnf%s%s: %s",
				       *setup->files.root ? " below " : "", setup->files.root,
				       strerror(-err));
	err = read_conf(setup, main);
	kc_layout_detect(&setup->layout, &setup->files, &setup->conf.cnf, main, setup->file);
	if (!err && setup->layout.kind == KC_LAYOUT_UCI)
		err = kc_setup_read_planned(setup);
	return err;
}

/* The child loads the whole text, with everything that it includes, from a file of its own. */
static void ask(struct kc_found *found)
{
	const struct kc_text *text = &found->conf.cnf.text;
	char path[KC_TEMP_PATH];
	FILE *out = kc_temp_open(path);

	if (out)
		fwrite(text->at, 1, text->len, out);
	if (out && kc_temp_close(out)) {
		kc_reach_ask(&found->offers.reach, &found->conf, path);
		found->is_reached = true;
	}
	kc_temp_remove(path);
}

const struct kc_diagnosis *kc_setup_judge(const struct kc_setup *setup)
{
	static struct kc_found found;
	static struct kc_diagnosis d;

	d.n = 0;
	d.may_be_off = true;
	found = (struct kc_found){ .root = "",
				   .is_named = setup->file != NULL,
				   .has_providers = setup->layout.has_providers,
				   .wants_random = setup->layout.wants_random,
				   .conf = setup->conf };
	found.offers.config = setup->config;
	if (!*setup->files.root && !setup->conf.cnf.err) {
		kc_found_modules(&found);
		ask(&found);
	}
	kc_diagnosis_run(&d, &found, true);
	return &d;
}

static void show_layout(const struct kc_setup *setup)
{
	static const char *const manner[] = {
		[KC_LAYOUT_PLAIN] = "in openssl.cnf itself",
		[KC_LAYOUT_OWN_FILE] = "in a file that openssl.cnf includes",
		[KC_LAYOUT_DIRECTORY] = "in a directory that openssl.cnf includes",
		[KC_LAYOUT_UCI] = ("in a directory that openssl.cnf includes, and an entry in "
				   "/etc/config/openssl"),
	};
	const struct kc_layout *layout = &setup->layout;

	printf("openssl.cnf: %s%s\n", setup->files.root, layout->main);
	printf("layout: %s: kcrypto's lines go %s\n", layout->system, manner[layout->kind]);
	printf("file for kcrypto: %s%s\n", setup->files.root, layout->own);
}

/* Prints one setting: whether it is on, and where. */
static void show(const struct kc_setup *setup, const char *what, const char *is,
		 const char *section, const char *name)
{
	struct kc_where where = kc_cnf_where(&setup->conf.cnf, section, name);
	char place[KC_PLACE_SIZE];

	printf("%s: %s%s%s\n", what, is, where.file ? ", by " : "",
	       where.file ? kc_cnf_place(place, &setup->conf.cnf, where) : "");
}

static const char *is_base_on(const struct kc_parts *parts)
{
	if (parts->is_base_active)
		return "on";
	return parts->is_active || parts->other ? "off" : "on, because no other is";
}

static void show_provider(const struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->conf.parts;
	bool is_kept = parts->random_query || !setup->layout.wants_random;

	show(setup, "provider kcrypto", parts->is_active ? "on" : "off", parts->kcrypto,
	     "activate");
	show(setup, "provider default", is_base_on(parts), parts->base, "activate");
	show(setup, "default properties", parts->query ? parts->query : "none", parts->algorithms,
	     "default_properties");
	show(setup, "random numbers", is_kept ? "kept apart" : "not kept apart", parts->random,
	     "properties");
	show(setup, "kTLS", parts->has_ktls ? "on" : "off", parts->tls, "Options");
}

static int show_all(struct kc_setup *setup)
{
	const struct kc_parts *parts = &setup->conf.parts;

	show_layout(setup);
	if (setup->layout.has_providers)
		show_provider(setup);
	show(setup, "engine", parts->id ? parts->id->id : "none", parts->engines,
	     parts->engine ? parts->engine : "");
	return KC_EXIT_OK;
}

static int check(struct kc_setup *setup)
{
	const struct kc_diagnosis *d = kc_setup_judge(setup);
	const struct kc_parts *parts = &setup->conf.parts;

	kc_diagnosis_print(d, stdout);
	putchar('\n');
	if (kc_diagnosis_print_worst(d, stdout))
		return KC_EXIT_FAILED;
	kc_paint(stdout, KC_GREEN, 0, "ok");
	printf(": %s%s: %s\n", setup->files.root, setup->layout.main,
	       parts->is_active ? "kcrypto is on" :
	       parts->id	? "kcrypto is on as an engine" :
				  "kcrypto is off");
	return KC_EXIT_OK;
}

static const struct {
	const char *name;
	int (*run)(struct kc_setup *setup);
	bool may_be_broken; /* the configuration need not be readable */
} actions[] = {
	{ "show", show_all },
	{ "check", check, .may_be_broken = true },
	{ "enable", kc_config_enable },
	{ "disable", kc_config_disable, .may_be_broken = true },
};

/* Paths from the command line, absolute and without links. */
static char root[PATH_MAX], file[PATH_MAX];
static const char *given_root, *given_file;
static struct kc_setup setup = { .files.root = "" };

static const struct kc_option options[] = {
	{ "ktls", NULL, "turns on kTLS, the kernel's own TLS, as well", .flag = &setup.wants_ktls,
	  .calls = 2 },
	{ "dry-run", NULL, "prints the lines that change, and writes nothing",
	  .flag = &setup.is_dry_run, .calls = 2 },
	{ "root", "DIR", "works on the files of a system below DIR", .text = &given_root },
	{ "config", "FILE", "works on FILE, not on the openssl.cnf that programs read",
	  .text = &given_file },
	{ NULL },
};

/* 0, or an exit code. */
static int set_root(void)
{
	if (!realpath(given_root, root)) {
		fprintf(stderr, "kcrypto: %s: %s\n", given_root, strerror(errno));
		return KC_EXIT_FAILED;
	}
	if (strcmp(root, "/") != 0)
		setup.files.root = root;
	return KC_EXIT_OK;
}

/* With a root, the file is inside it. It need not exist. */
static int set_file(void)
{
	char *dir = NULL;
	int n;

	if (given_file[0] != '/' && !*setup.files.root)
		dir = realpath(".", NULL);
	n = snprintf(file, sizeof(file), "%s/%s", dir ? dir : "", given_file);
	free(dir);
	setup.file = file;
	return n < PATH_MAX ? KC_EXIT_OK : kc_usage_error("'%s' is too long", given_file);
}

static int act(const char *action)
{
	int err;

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(action, actions[i].name) != 0)
			continue;
		err = read_all(&setup);
		if (err && (err == -ENXIO || !actions[i].may_be_broken))
			return kc_failure(setup.error);
		return actions[i].run(&setup);
	}
	return KC_EXIT_USAGE;
}

static int run(const struct kc_args *args)
{
	int code = given_root ? set_root() : KC_EXIT_OK;

	if (!code && given_file)
		code = set_file();
	if (!code)
		code = act(args->words[0]);
	kc_conf_free(&setup.conf);
	kc_files_free(&setup.files);
	return code;
}

const struct kc_command kc_cmd_config = {
	.name = "config",
	.about = "shows, checks or changes the configuration that turns kcrypto on",
	.options = options,
	.calls = { { .begin = "show | check" }, { .begin = "enable | disable" } },
	.max_words = 1,
	.run = run,
};
