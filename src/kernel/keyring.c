/* SPDX-License-Identifier: Apache-2.0 */
/* Keys in the kernel's keyrings, by system calls, because libc has no functions for them. */
#include "core/backend.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/alg.h"
#include "core/quiet.h"

/* Returns 0 or more, or -errno. */
static long keyctl(int command, long a, const void *b, const void *c, size_t d)
{
	return kc_or_errno(syscall(SYS_keyctl, command, a, b, c, d));
}

/* Takes a system call's result. 0 or -errno. */
static int note_serial(long answer, int32_t *serial)
{
	if (answer < 0)
		return (int)answer;
	*serial = (int32_t)answer;
	return 0;
}

/* Also searches the user's keyring, because a session keyring need not lead there. */
int kc_keyring_find(const char *type, const char *description, int32_t *serial)
{
	long n;

	if (!kc_sandbox_permits())
		return -EPERM;
	n = syscall(SYS_request_key, type, description, NULL, 0);
	if (n < 0)
		n = keyctl(KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, type, description, 0);
	return note_serial(n, serial);
}

int kc_keyring_describe(int32_t serial, char *buf, size_t size)
{
	long n;

	if (!kc_sandbox_permits())
		return -EPERM;
	n = keyctl(KEYCTL_DESCRIBE, serial, buf, (const void *)(uintptr_t)size, 0);
	if (n < 0)
		return (int)n;
	if ((size_t)n > size)
		return -ENAMETOOLONG;
	return 0;
}

/* The payload is "FORMAT MASTER LENGTH CIPHERTEXT"; the kernel hands out no more than that. */
static int length_of_encrypted(int32_t serial, size_t *len)
{
	long n = keyctl(KEYCTL_READ, serial, NULL, NULL, 0);
	char *text;
	int err = 0;

	if (n < 0)
		return (int)n;
	text = calloc(1, (size_t)n + 1);
	if (!text)
		return -ENOMEM;
	n = keyctl(KEYCTL_READ, serial, text, (const void *)(uintptr_t)n, 0);
	if (n < 0)
		err = (int)n;
	else if (sscanf(text, "%*s %*s %zu", len) != 1)
		err = -ENODATA;
	free(text);
	return err;
}

/* A line of /proc/keys ends with the description, a colon, and the length. */
static int length_in_list(int32_t serial, size_t *len)
{
	FILE *list = fopen("/proc/keys", "re");
	char *line = NULL;
	size_t size = 0;
	int err = -ENODATA;

	if (!list)
		return -errno;
	while (err && getline(&line, &size, list) > 0) {
		const char *end = kc_last(line, ':');

		if (strtoul(line, NULL, 16) != (unsigned long)serial || !end)
			continue;
		*len = (size_t)kc_decimal(end + 1);
		err = 0;
	}
	free(line);
	fclose(list);
	return err;
}

int kc_keyring_length(int32_t serial, const char *type, size_t *len)
{
	if (!kc_sandbox_permits())
		return -EPERM;
	if (strcmp(type, "encrypted") == 0)
		return length_of_encrypted(serial, len);
	if (strcmp(type, "user") == 0 || strcmp(type, "logon") == 0)
		return length_in_list(serial, len);
	return -ENODATA;
}

int kc_keyring_add(const char *type, const char *description, const void *payload, size_t len,
		   enum kc_ring ring, int32_t *serial)
{
	static const int rings[] = {
		[KC_RING_SESSION] = KEY_SPEC_SESSION_KEYRING,
		[KC_RING_USER] = KEY_SPEC_USER_KEYRING,
		[KC_RING_PROCESS] = KEY_SPEC_PROCESS_KEYRING,
	};
	long id = rings[ring], n;

	if (!kc_sandbox_permits())
		return -EPERM;
	/*
	 * If a process has no session keyring, add_key() would give the calling thread a new one
	 * that does not lead to the user's keys. This call gives it the user's session keyring.
	 */
	if (ring == KC_RING_SESSION)
		id = keyctl(KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, NULL, NULL, 0);
	if (ring == KC_RING_SESSION && id < 0)
		return (int)id;
	n = kc_or_errno(syscall(SYS_add_key, type, description, payload, len, id));
	return note_serial(n, serial);
}
