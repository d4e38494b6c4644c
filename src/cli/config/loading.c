/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the whole text, with everything that it includes, from a file of its own. */
#include "cli/config/loading.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/reach.h"
#include "cli/run/temp.h"
#include "policy/config_keys.h"

static int write_all(int fd, const struct kc_text *text)
{
	size_t done = 0;

	while (done < text->len) {
		ssize_t n = write(fd, text->at + done, text->len - done);

		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

/* Here it does not matter which algorithms programs get. */
static int no_nid(const struct kc_alg *alg)
{
	(void)alg;
	return 0;
}

static const char *judge(const struct kc_conf *conf, const struct kc_reach *reach, bool is_on,
			 char why[KC_WHY_SIZE])
{
	if (!reach->is_told)
		return "a program that loads this configuration crashes or hangs";
	if (!reach->starts)
		return "a program with this configuration does not start: config_diagnostics is on, "
		       "and OpenSSL cannot do everything that the file asks for";
	if (!reach->has_rest)
		return "programs with this configuration lack most algorithms";
	if (is_on && conf->is_active && !reach->is_loaded) {
		snprintf(why, KC_WHY_SIZE, "OpenSSL cannot load the module: %s",
			 reach->module_error);
		return why;
	}
	if (is_on && conf->engine[0] && !conf->is_active && !reach->engine[0])
		return "OpenSSL cannot load the engine: 'kcrypto engine-names install' puts it "
		       "where OpenSSL looks";
	return NULL;
}

static const char *load_file(const char *path, bool is_on, char why[KC_WHY_SIZE])
{
	struct kc_conf conf = { .file = "" };
	struct kc_reach reach;
	struct kc_config config;

	kc_config_init(&config);
	kc_conf_read(&conf, path, &config);
	kc_reach_ask(&reach, &conf, no_nid);
	return judge(&conf, &reach, is_on, why);
}

const char *kc_load(const struct kc_cnf *cnf, bool is_on, char why[KC_WHY_SIZE])
{
	char path[KC_TEMP_PATH];
	int fd = kc_temp_open(path);
	int err = fd < 0 ? -errno : write_all(fd, &cnf->text);
	const char *problem = why;

	if (fd >= 0)
		close(fd);
	if (err)
		snprintf(why, KC_WHY_SIZE, "cannot write a temporary file: %s", strerror(-err));
	else
		problem = load_file(path, is_on, why);
	if (fd >= 0)
		kc_temp_remove(path);
	return problem;
}
