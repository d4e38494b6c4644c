/* SPDX-License-Identifier: Apache-2.0 */
/* The keyrings of this process, on any kernel that has them. */
#include "unit/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/backend.h"

static const char bytes[] = "thirty-two bytes are not needed";
static char name[64];

/* Skips if the kernel, or a container's filter, provides no keyrings. */
static int32_t add(const char *description)
{
	int32_t serial = 0;
	int err =
		kc_keyring_add("user", description, bytes, sizeof(bytes), KC_RING_PROCESS, &serial);

	if (err == -ENOSYS || err == -EPERM)
		skip();
	assert_int_equal(err, 0);
	assert_true(serial > 0);
	return serial;
}

TEST(a_key_is_found_by_its_description)
{
	int32_t serial = add(name), found = 0;
	char text[200];
	size_t len = 0;

	assert_int_equal(kc_keyring_find("user", name, &found), 0);
	assert_int_equal(found, serial);
	assert_int_equal(kc_keyring_describe(serial, text, sizeof(text)), 0);
	assert_int_equal(strncmp(text, "user;", 5), 0);
	assert_non_null(strstr(text, name));
	assert_int_equal(kc_keyring_length(serial, "user", &len), 0);
	assert_int_equal(len, sizeof(bytes));
}

TEST(a_key_that_is_not_there_is_not_found)
{
	int32_t found = 0;
	size_t len = 0;
	char text[200];

	add(name);
	assert_int_equal(kc_keyring_find("user", "kcrypto-there-is-none", &found), -ENOKEY);
	assert_true(kc_keyring_describe(0x7ffffff0, text, sizeof(text)) < 0);
	assert_true(kc_keyring_length(0x7ffffff0, "user", &len) < 0);
	assert_true(kc_keyring_add("no-such-type", name, bytes, 1, KC_RING_PROCESS, &found) < 0);
}

TEST(a_description_that_does_not_fit_is_cut)
{
	int32_t serial = add(name);
	char text[8];

	assert_int_equal(kc_keyring_describe(serial, text, sizeof(text)), -ENAMETOOLONG);
	assert_true(strnlen(text, sizeof(text)) < sizeof(text));
}

static void set_up(void)
{
	snprintf(name, sizeof(name), "kcrypto-unit-%d", (int)getpid());
}

const struct suite suite = { .set_up = set_up };
