/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/afalg_bind.h"

#include <errno.h>
#include <linux/if_alg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/quiet.h"
#include "discovery/procfs.h"

#define KERN_DRIVER_ONLY 0x1000 /* CRYPTO_ALG_KERN_DRIVER_ONLY */

/* salg_type */
static const char *const types[KC_KIND_COUNT] = {
	[KC_CIPHER] = "skcipher",
	[KC_AEAD] = "aead",
	[KC_DIGEST] = "hash",
	[KC_MAC] = "hash",
};

int kc_afalg_bind(enum kc_kind kind, const char *name, unsigned feature)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG,
				   .salg_feat = feature,
				   .salg_mask = feature };
	long fd, err;

	/* No snprintf(): on arm64 it saves all vector registers, and some hold the base's key. */
	memcpy(sa.salg_type, types[kind], strnlen(types[kind], sizeof(sa.salg_type) - 1));
	memcpy(sa.salg_name, name, strnlen(name, sizeof(sa.salg_name) - 1));
	do {
		fd = kc_or_errno(socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	} while (fd == -EINTR);
	if (fd < 0)
		return (int)fd;
	do {
		err = kc_or_errno(bind((int)fd, (struct sockaddr *)&sa, sizeof(sa)));
	} while (err == -EINTR);
	if (err) {
		close((int)fd);
		return (int)err;
	}
	return (int)fd;
}

/*
 * Returns the name of a driver that is certainly software, or NULL. Never cryptd: binding it makes
 * an instance for the whole system, with a higher priority than the driver that it wraps. A
 * template only if there is nothing else, because the kernel only looks up a plain name.
 */
static const char *software_in(const struct kc_drivers *drivers)
{
	const char *template = NULL;

	for (size_t i = 0; i < drivers->n; i++) {
		const struct kc_driver *d = &drivers->v[i];

		if (d->kind != KC_CIPHER || d->nature != KC_SOFTWARE ||
		    strncmp(d->driver, "cryptd(", 7) == 0)
			continue;
		if (!kc_last(d->driver, '('))
			return d->driver;
		template = d->driver;
	}
	return template;
}

/* Binds an algorithm first, because the kernel lists only those that have been used. */
static const char *find_software(struct kc_drivers *drivers)
{
	int tfm = kc_afalg_bind(KC_CIPHER, "cbc(aes)", 0);

	kc_drivers_init(drivers, NULL);
	kc_procfs_read(drivers);
	if (tfm >= 0)
		close(tfm);
	return software_in(drivers);
}

/* Binds a driver and closes the socket. 0 or -errno. */
static int try_to_bind(const char *name, unsigned feature)
{
	int fd = kc_afalg_bind(KC_CIPHER, name, feature);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

bool kc_afalg_hides_hardware(void)
{
	struct kc_drivers *drivers = malloc(sizeof(*drivers));
	const char *software = NULL;
	int err = -ENODEV;

	if (drivers)
		software = find_software(drivers);
	if (software)
		err = try_to_bind(software, KERN_DRIVER_ONLY);
	/*
	 * Linux 7.3 accepts no driver's name unless told to, but every machine may have this
	 * algorithm.
	 */
	if (err == -ENOENT && try_to_bind(software, 0) != 0)
		err = try_to_bind("xts(aes)", KERN_DRIVER_ONLY);
	free(drivers);
	return err == 0;
}
