// SPDX-License-Identifier: Apache-2.0
/* See disturb.h. */
#include "disturb.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "device.h"

#define DRIVER "/sys/bus/virtio/drivers/virtio_crypto"

/* Takes a number below @below from the dice. */
static uint32_t roll(uint32_t *dice, uint32_t below)
{
	uint32_t rolled = *dice % below;

	*dice /= below;
	return rolled;
}

void disturb(uint32_t dice)
{
	static const char *const delays[] = { "0", "0", "0", "3", "50", "400" };

	set_accel("delay", delays[roll(&dice, COUNT(delays))]);
	set_accel("fail_every", roll(&dice, 4) ? "0" : "7");
	set_accel("engines", roll(&dice, 2) ? "8" : "1");
	set_accel("latency", roll(&dice, 2) ? "200" : "0");
	set_accel("key_delay", roll(&dice, 8) ? "0" : "100");
	set_accel("sessions", roll(&dice, 4) ? "0" : "40");
	set_kcrypto("requests", roll(&dice, 4) ? "2048" : "20");
}

void disturb_no_more(void)
{
	static const char *const faults[] = { "delay", "latency", "fail_every", "key_delay",
					      "sessions" };

	for (size_t i = 0; i < COUNT(faults); i++)
		set_accel(faults[i], "0");
	set_accel("engines", "1");
	set_kcrypto("requests", "2048");
}

static char device[64]; /* its name; empty: none was found */

static void find_device(void)
{
	DIR *dir = opendir(DRIVER);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, "virtio", 6) == 0)
			snprintf(device, sizeof(device), "%.60s", entry->d_name);
	if (dir)
		closedir(dir);
}

void virtio_unbind(void)
{
	find_device();
	if (*device)
		CHECK(write_to(DRIVER "/unbind", device));
}

void virtio_bind(void)
{
	if (*device)
		CHECK(write_to(DRIVER "/bind", device));
}
