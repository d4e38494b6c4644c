/* SPDX-License-Identifier: Apache-2.0 */
/* cuse-device: reads its options, and runs until a signal comes. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuse/device.h"
#include "kernel/devcrypto_abi.h"

static const struct option options[] = {
	{ "driver", required_argument, NULL, 'd' },  { "software", no_argument, NULL, 's' },
	{ "ciphers", required_argument, NULL, 'c' }, { "alignmask", required_argument, NULL, 'a' },
	{ "help", no_argument, NULL, 'h' },	     { 0 },
};

static void usage(FILE *to)
{
	fputs("usage: cuse-device [OPTIONS] DIR\n\n"
	      "Is /dev/crypto until a signal comes. DIR/control has its counters and commands.\n\n"
	      "  --driver PATTERN   names of ciphers' drivers, %m: mode, %c: cipher (mv-%m-%c)\n"
	      "  --software         drivers do not say that only the kernel can use them\n"
	      "  --ciphers LIST     of cbc, ctr, ecb, xts, cfb, ofb, des, 3des, blowfish, camellia,\n"
	      "                     gcm (all)\n"
	      "  --alignmask MASK   address bits that make the module copy (0)\n",
	      to);
}

static bool choose(struct device *device, char *list)
{
	memset(device->offers, 0, sizeof(device->offers));
	for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		unsigned i = 0;

		while (i < CIPHERS && strcmp(ciphers[i].option, word) != 0)
			i++;
		if (i == CIPHERS) {
			fprintf(stderr, "cuse-device: no such cipher: %s\n", word);
			return false;
		}
		device->offers[i] = true;
	}
	return true;
}

static bool take(struct device *device, int option)
{
	switch (option) {
	case 'd':
		device->driver = optarg;
		return true;
	case 's':
		device->flags = 0;
		return true;
	case 'c':
		return choose(device, optarg);
	case 'a':
		device->alignmask = (uint16_t)strtoul(optarg, NULL, 0);
		return true;
	case 'h':
		usage(stdout);
		exit(0);
	default:
		return false;
	}
}

static int serve(struct device *device)
{
	const char *names[] = { "DEVNAME=crypto" };
	struct cuse_info info = { .dev_info_argc = 1,
				  .dev_info_argv = names,
				  .flags = CUSE_UNRESTRICTED_IOCTL };
	char program[] = "cuse-device", foreground[] = "-f";
	char *argv[] = { program, foreground, NULL };

	return cuse_lowlevel_main(2, argv, &info, &device_ops, device);
}

int main(int argc, char **argv)
{
	struct device device = { .driver = "mv-%m-%c", .flags = SIOP_FLAG_KERNEL_DRIVER_ONLY };
	int option;

	memset(device.offers, true, sizeof(device.offers));
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (!take(&device, option))
			return 2;
	if (optind + 1 != argc) {
		usage(stderr);
		return 2;
	}
	sessions_prepare();
	device.control = control_make(argv[optind]);
	if (!device.control) {
		perror(argv[optind]);
		return 1;
	}
	return serve(&device);
}
