// SPDX-License-Identifier: Apache-2.0
/* See cover.h. */
#include "cover.h"

#include <fcntl.h>
#include <linux/kcov.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define ROOM 4096 /* places that one call may reach */

static __thread unsigned long *places;

void cover_module(struct cover *cover, const char *module)
{
	char file[128], text[32] = "";
	FILE *f;

	snprintf(file, sizeof(file), "/sys/module/%s/sections/.text", module);
	f = fopen(file, "re");
	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	cover->text = strtoull(text, NULL, 16);
}

int cover_open(void)
{
	return open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
}

void cover_thread(int fd)
{
	void *at;

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, ROOM))
		return;
	at = mmap(NULL, ROOM * sizeof(*places), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED && ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC) == 0)
		places = at;
}

void cover_begin(void)
{
	if (places)
		places[0] = 0;
}

bool cover_end(struct cover *cover)
{
	unsigned long n = places && places[0] < ROOM ? places[0] : 0;
	bool is_new = false;

	for (unsigned long i = 1; i <= n; i++) {
		uint64_t at = places[i] - cover->text;

		if (at < COVERED && !atomic_exchange(&cover->is_covered[at], true)) {
			atomic_fetch_add(&cover->places, 1);
			is_new = true;
		}
	}
	return is_new;
}
