/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program without libcrypto opens a plugin that has it, uses it and closes it, fifty times:
 * nothing of the plugin remains, and of ours only what the first time left, the module itself.
 * usage: plugin_test PLUGIN CONFIG
 */
#include "unit/check.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diff/stats_file.h"
#include "integration/sessions.h"

/* Lines of this file of /proc that have @word in them. */
static unsigned lines(const char *path, const char *word)
{
	FILE *f = fopen(path, "re");
	char line[512];
	unsigned n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, word) != NULL;
	fclose(f);
	return n;
}

static unsigned mapped(const char *word)
{
	return lines("/proc/self/maps", word);
}

/* Pages that a child finds empty, like the fork mark's. */
static unsigned wiped(void)
{
	return lines("/proc/self/smaps", " wf");
}

static void use_it_once(void)
{
	void *lib = dlopen(arguments[0], RTLD_NOW | RTLD_LOCAL);
	int (*run)(const char *);

	if (!lib)
		fail_msg("%s", dlerror());
	*(void **)&run = dlsym(lib, "plugin_run");
	assert_non_null(run);
	assert_int_equal(run(arguments[1]), 1);
	assert_int_equal(dlclose(lib), 0);
	assert_null(dlopen(arguments[0], RTLD_NOW | RTLD_NOLOAD));
}

TEST(a_plugin_that_is_closed_leaves_nothing_more_the_second_time)
{
	size_t fds;
	unsigned files, others;
	pid_t child;

	use_it_once();
	fds = descriptors();
	files = mapped("/");
	others = wiped();
	for (int i = 0; i < 50; i++)
		use_it_once();
	assert_int_equal(descriptors(), fds);
	assert_int_equal(mapped("/"), files);
	assert_int_equal(wiped(), others);
	/* A fork calls nothing of what is no longer there. */
	child = fork();
	if (child == 0)
		_exit(0);
	assert_int_equal(child_status(child), 0);
	assert_int_equal(mapped(strrchr(arguments[0], '/')), 0);
	/* The test can see what it looks for: libcrypto stays for good, it says so itself. */
	assert_true(mapped("libcrypto") > 0);
	assert_true(requests(KC_ALG_AES_128_CBC) >= 51);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	stats_file_make();
	return check_main(argc, argv);
}
