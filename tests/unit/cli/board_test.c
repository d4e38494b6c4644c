/* SPDX-License-Identifier: Apache-2.0 */
/* What bench says of the machine, from the files of others. */
#include "unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/bench/board.h"

static const char *const folders[] = { "/proc",	     "/proc/device-tree", "/sys",
				       "/sys/class", "/sys/class/dmi",	  "/sys/class/dmi/id" };

static const struct {
	const char *path, *text;
	size_t len; /* 0: all of the string */
} files[][4] = {
	{ { "/proc/device-tree/model", "Linksys WRT1900ACS", sizeof("Linksys WRT1900ACS") },
	  { "/proc/device-tree/compatible", "linksys,shelby\0marvell,armada385\0marvell,armada380",
	    sizeof("linksys,shelby\0marvell,armada385\0marvell,armada380") },
	  { "/proc/cpuinfo", "model name\t: ARMv7\nFeatures\t: half thumb vfpv3\n" } },
	{ { "/sys/class/dmi/id/product_name", "PowerEdge\n" },
	  { "/proc/cpuinfo", "processor\t: 0\nmodel name\t: Xeon\nflags\t\t: fpu sha aes sha_ni\n"
			     "\nprocessor\t: 1\nflags\t\t: fpu sm4\n" } },
	{ { "/proc/cpuinfo", "cpu\t\t: POWER8\n" } },
};

static const char *const said[] = {
	"{\"board\":\"Linksys WRT1900ACS\",\"soc\":\"marvell,armada380\",\"cpu_instructions\":[]}",
	"{\"board\":\"PowerEdge\",\"soc\":\"Xeon\",\"cpu_instructions\":[\"aes\",\"sha_ni\"]}",
	"{\"board\":null,\"soc\":null,\"cpu_instructions\":null}",
};

static const char *const others[] = { "version", "openssl", "kernel", "machine" };

static void in(const char *root, const char *path, char name[256])
{
	snprintf(name, 256, "%s%s", root, path);
}

static void make(const char *root, size_t machine)
{
	char name[256];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		in(root, folders[i], name);
		assert_int_equal(mkdir(name, 0700), 0);
	}
	for (size_t i = 0; files[machine][i].path; i++) {
		const char *text = files[machine][i].text;
		size_t len = files[machine][i].len ? files[machine][i].len : strlen(text);
		FILE *file;

		in(root, files[machine][i].path, name);
		file = fopen(name, "w");
		assert_non_null(file);
		assert_int_equal(fwrite(text, 1, len, file), len);
		assert_int_equal(fclose(file), 0);
	}
}

static void take_away(const char *root, size_t machine)
{
	char name[256];

	for (size_t i = 0; files[machine][i].path; i++) {
		in(root, files[machine][i].path, name);
		assert_int_equal(unlink(name), 0);
	}
	for (size_t i = sizeof(folders) / sizeof(folders[0]); i--;) {
		in(root, folders[i], name);
		assert_int_equal(rmdir(name), 0);
	}
	assert_int_equal(rmdir(root), 0);
}

TEST(a_machine_is_described_by_its_files)
{
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		char root[] = "/tmp/board_test.XXXXXX";
		struct json_object *o;

		assert_non_null(mkdtemp(root));
		make(root, i);
		o = kc_bench_machine(root);
		for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
			json_object_object_del(o, others[k]);
		assert_string_equal(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
				    said[i]);
		json_object_put(o);
		take_away(root, i);
	}
}
