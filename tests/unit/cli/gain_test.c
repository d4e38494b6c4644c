/* SPDX-License-Identifier: Apache-2.0 */
/* What kcrypto without a command prints of the gain, which kcrypto tune or bench has measured. */
#include "unit/check.h"

#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor/gain.h"
#include "cli/evidence/evidence.h"
#include "policy/tune_file.h"
#include "standin/standin.h"

static char path[64];
static struct kc_policy policy;
static struct kc_config config;

/* A fact about a row of the stand-in. */
struct told {
	enum kc_alg_id id;
	uint32_t threshold, speed, cpu;
	enum kc_doer by;
};

static void add(struct kc_tuned *t, const struct told *told)
{
	struct kc_fact *fact = kc_tuned_add_fact(t, policy.row[told->id]);

	for (int i = 0; i < KC_PREFER_COUNT * 2; i++)
		fact->threshold[i / 2][i % 2] = told->threshold;
	fact->speed = told->speed;
	fact->cpu = told->cpu;
	fact->done_by = told->by;
}

static void write_file(const struct kc_tuned *t)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, t, t->size), t->size);
	assert_int_equal(fchmod(fd, 0644), 0);
	close(fd);
}

static void tune(const struct told *told, size_t n)
{
	struct kc_tuned *t;

	kc_policy_free(&policy);
	kc_policy_load(&policy, &config);
	t = kc_tuned_new(standin.drivers.n, n);
	assert_non_null(t);
	kc_tuned_add_drivers(t, kc_backends[0], &standin.drivers);
	for (size_t i = 0; i < n && told[i].threshold; i++)
		add(t, &told[i]);
	kc_tuned_seal(t);
	write_file(t);
	free(t);
}

static void set_up(void)
{
	int fd;

	strcpy(path, "/tmp/kc-gain.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	standin_reset();
	standin_driver("cbc(aes)", "mv-cbc-aes", 300, true);
	standin_driver("ctr(aes)", "mv-ctr-aes", 300, true);
	kc_config_init(&config);
	kc_config_set(&config, "tune_file", path);
}

static void tear_down(void)
{
	unlink(path);
	kc_policy_free(&policy);
}

TEST(the_gain_is_what_tune_measured)
{
	static const struct {
		struct told told[2];
		const char *want;
		bool is_none;
	} cases[] = {
		{ { { KC_ALG_AES_256_CBC, 7072, 214, 33, KC_DONE_BY_DEVICE } },
		  "AES-256-CBC from 6.9 KiB: up to 2.1 times as fast, 33% of the CPU time" },
		/* The CPU's clock was too coarse. */
		{ { { KC_ALG_AES_256_CBC, 512, 430, 0, KC_DONE_BY_DEVICE } },
		  "AES-256-CBC from 512 bytes: up to 4.3 times as fast" },
		/* The cipher that is asked for, though another one gains more. */
		{ { { KC_ALG_AES_128_CTR, 1024, 900, 10, KC_DONE_BY_DEVICE },
		    { KC_ALG_AES_256_CBC, 2048, 120, 50, KC_DONE_BY_POLLING } },
		  "AES-256-CBC from 2.0 KiB: up to 1.2 times as fast, 50% of the CPU time" },
		/* Another cipher, where that one has no gain. */
		{ { { KC_ALG_AES_128_CTR, 1024, 900, 10, KC_DONE_BY_DEVICE },
		    { KC_ALG_AES_256_CBC, KC_TUNED_NEVER, 90, 50, KC_DONE_BY_DEVICE } },
		  "AES-128-CTR from 1.0 KiB: up to 9.0 times as fast, 10% of the CPU time" },
		{ { { KC_ALG_AES_256_CBC, KC_TUNED_NEVER, 90, 50, KC_DONE_BY_DEVICE } },
		  "none: kcrypto tune found software faster at every length" },
		{ { { KC_ALG_AES_256_CBC, 512, 430, 0, KC_DONE_UNKNOWN } },
		  "AES-256-CBC from 512 bytes: up to 4.3 times as fast; not seen whether the "
		  "device did it" },
		/* The kernel's software is no gain of the accelerator. */
		{ { { KC_ALG_AES_256_CBC, 1024, 150, 50, KC_DONE_BY_SOFTWARE } },
		  "none: mv-cbc-aes leaves AES-256-CBC to the kernel's software",
		  .is_none = true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[256];

		tune(cases[i].told, COUNT(cases[i].told));
		assert_int_equal(kc_gain_tell(text, sizeof(text), &config,
					      policy.row[KC_ALG_AES_256_CBC]),
				 !cases[i].is_none);
		assert_string_equal(text, cases[i].want);
	}
}

static void add_row(struct json_object *rows, const char *line, double size, double speed,
		    double cpu, const char *by)
{
	struct json_object *row = json_object_new_object();

	json_object_object_add(row, "line", json_object_new_string(line));
	json_object_object_add(row, "kind", json_object_new_string("hardware"));
	json_object_object_add(row, "done_by", json_object_new_string(by));
	json_object_object_add(row, "size", json_object_new_double(size));
	json_object_object_add(row, "mb_per_s", json_object_new_double(speed));
	json_object_object_add(row, "machine_s_per_gb", json_object_new_double(cpu));
	json_object_array_add(rows, row);
}

TEST(the_gain_is_what_bench_measured)
{
	static const struct {
		double speed, cpu; /* software: 50 MB/s, 20 s/GB */
		const char *by, *want;
		bool is_none;
	} cases[] = {
		{ 100, 5, "device",
		  "AES-256-CBC in requests of 16 KiB: 2.0 times as fast, 25% of the CPU time" },
		{ 40, 5, "device",
		  "AES-256-CBC in requests of 16 KiB: 0.8 times as fast, 25% of the CPU time, "
		  "with prefer = cpu" },
		{ 40, 19, "device", "none with AES-256-CBC: software is faster up to 64 KiB",
		  .is_none = true },
		{ 100, 5, "software",
		  "none: mv-cbc-aes leaves AES-256-CBC to the kernel's software", .is_none = true },
		{ 0, 0, "device", "unknown: AES-256-CBC could not be measured" },
	};

	tune(NULL, 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct json_object *rows = json_object_new_array();
		char text[256];

		for (double size = 16384; size <= 65536; size *= 4) {
			add_row(rows, "software", size, 50, 20, "");
			add_row(rows, "stand-in", size, cases[i].speed, cases[i].cpu, cases[i].by);
		}
		assert_int_equal(kc_gain_of_rows(text, sizeof(text), rows,
						 policy.row[KC_ALG_AES_256_CBC]),
				 !cases[i].is_none);
		assert_string_equal(text, cases[i].want);
		json_object_put(rows);
	}
}

const struct suite suite = { .set_up = set_up, .tear_down = tear_down };
