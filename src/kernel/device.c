/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /dev/kcrypto, the module in kernel/: a session is an open file, and a request is one ioctl. The
 * kernel copies all input first and writes output only when it is right, so a driver never gets the
 * caller's pages. A descriptor that has changed hands needs no check: other files refuse these
 * ioctls (-ENOTTY), and another session of the device refuses our random number (-ESTALE), both
 * before any input is read.
 */
#include "core/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcrypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/process.h"
#include "core/quiet.h"
#include "kernel/node.h"

#define PATH "/dev/kcrypto"

/* The algorithm with a key that only the device can open. */
#define WRAPPED(number) ((number) + KCRYPTO_CBC_PAES - KCRYPTO_CBC_AES)

#define MAX_LISTED 256

static const char names[][KC_KERNEL_NAME_SIZE] = {
#define KCRYPTO_ALG(id, number, name, ...) [number] = name,
#include <linux/kcrypto_algs.h>
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

static unsigned device_number(const struct kc_alg *alg)
{
	for (unsigned i = 1; i < N_NAMES; i++)
		if (strcmp(names[i], alg->kernel_name) == 0)
			return i;
	return 0;
}

/* The rows for blocks have the names of the digests. */
static unsigned number_for(const struct kc_alg *alg, const struct kc_key *key)
{
	if (!key->is_blocks)
		return device_number(alg);
	for (unsigned i = KCRYPTO_BLOCKS_MD5; i < N_NAMES; i++)
		if (strcmp(names[i], alg->kernel_name) == 0)
			return i;
	return 0;
}

static uint64_t address_of(const void *p)
{
	return (uintptr_t)p;
}

/* Records that a digest's driver, which is in the list already, does blocks, too. */
static void add_blocks(struct kc_drivers *drivers, const struct kcrypto_driver *found)
{
	for (size_t i = 0; i < drivers->n; i++)
		if (strcmp(drivers->v[i].name, names[found->algorithm]) == 0 &&
		    strcmp(drivers->v[i].driver, found->name) == 0)
			drivers->v[i].blocks = 1;
}

/* The numbers of each kind follow one another. */
static enum kc_kind kind_in_kernel(unsigned number)
{
	if (number < KCRYPTO_GCM_AES)
		return KC_CIPHER;
	if (number < KCRYPTO_MD4)
		return KC_AEAD;
	return KC_DIGEST;
}

static void add_driver(struct kc_drivers *drivers, const struct kcrypto_driver *found)
{
	struct kc_driver driver = { .priority = found->priority,
				    .async = found->flags & KCRYPTO_DRIVER_ASYNC,
				    .kernel_driver_only = found->flags & KCRYPTO_DRIVER_HARDWARE,
				    .flags_known = true };

	if (found->algorithm >= N_NAMES || !names[found->algorithm][0] ||
	    strnlen(found->name, sizeof(found->name)) >= sizeof(driver.driver))
		return;
	if (found->algorithm >= KCRYPTO_BLOCKS_MD5) {
		add_blocks(drivers, found);
		return;
	}
	driver.kind = kind_in_kernel(found->algorithm);
	snprintf(driver.name, sizeof(driver.name), "%s", names[found->algorithm]);
	memcpy(driver.driver, found->name, sizeof(driver.driver));
	kc_drivers_add(drivers, &driver);
}

/* The device lists the drivers that root admits, so no other source is asked. */
static KC_RUNS_AT_LOAD int device_discover(struct kc_drivers *drivers)
{
	struct kcrypto_driver *found;
	struct kcrypto_list list;
	int fd, err = -ENOMEM;

	if (!kc_sandbox_permits())
		return -EPERM;
	fd = kc_node_open(PATH, O_RDWR);
	if (fd < 0)
		return -ENODEV;
	found = calloc(MAX_LISTED, sizeof(*found));
	list = (struct kcrypto_list){ .drivers = address_of(found),
				      .count = MAX_LISTED,
				      .driver_size = sizeof(*found) };
	if (found)
		err = kc_node_ask(fd, KCRYPTO_IOC_LIST, &list);
	kc_node_close(fd);
	for (unsigned i = 0; !err && i < list.count && i < MAX_LISTED; i++)
		add_driver(drivers, &found[i]);
	free(found);
	return err;
}

static int make_session(struct kc_session *s, unsigned number, const char *driver,
			const struct kc_key *key)
{
	struct kcrypto_open arg = { .algorithm = number, .tag_len = key->tag_len };
	int err;

	if (key->serial) {
		arg.flags = KCRYPTO_KEY_SERIAL;
		arg.key_serial = key->serial;
	} else {
		arg.key = address_of(key->bytes);
		arg.key_len = (uint32_t)key->len;
	}
	memcpy(arg.driver, driver, strnlen(driver, sizeof(arg.driver) - 1));
	err = kc_node_ask(s->fd, KCRYPTO_IOC_OPEN, &arg);
	s->id = arg.session;
	/* An older module does not tell. Pieces are whole blocks. */
	if (arg.max_len && arg.max_len < s->limit)
		s->limit = arg.max_len - arg.max_len % KC_MAX_BLOCK;
	return err;
}

static bool has_wrapped(unsigned number)
{
	return number && number <= KCRYPTO_XTS_AES;
}

static int device_open(struct kc_session *s, const char *driver, const struct kc_key *key)
{
	unsigned number = number_for(s->alg, key);
	int err = -ENOENT;

	s->fd = kc_node_open(PATH, O_RDWR);
	if (s->fd < 0)
		return s->fd;
	if (number)
		err = make_session(s, number, driver, key);
	if (err == -ENOENT && *driver && has_wrapped(number))
		err = make_session(s, WRAPPED(number), driver, key);
	if (err)
		kc_node_close(s->fd);
	return err;
}

/* Adds what a cipher's request does not have. A digest's blocks have a midstate at both ends. */
static void add_others(struct kcrypto_request *arg, const struct kc_session *s,
		       const struct kc_req *req)
{
	arg->tag = address_of(req->tag);
	arg->tag_len = s->alg->kind == KC_AEAD ? s->tag_len : s->alg->out_len;
	arg->aad = address_of(req->aad);
	arg->aad_len = (uint32_t)req->aad_len;
	if (s->is_blocks)
		arg->iv_len = arg->tag_len = s->alg->state_len;
}

/* Does an ioctl with a request. 0 or -errno. */
static int ask_device(const struct kc_session *s, unsigned long how, const struct kc_req *req,
		      uint64_t number)
{
	struct kcrypto_request arg = { .session = s->id,
				       .len = (uint32_t)req->len,
				       .in = address_of(req->in),
				       .iv = address_of(req->iv),
				       .iv_len = s->alg->iv_len,
				       .user_data = number };

	if (s->alg->kind != KC_CIPHER)
		add_others(&arg, s, req);
	if (!kc_alg_is_hash(s->alg)) {
		arg.out = address_of(req->out);
		if (req->dir == KC_DECRYPT)
			arg.flags = KCRYPTO_DECRYPT;
	} else if (!req->tag) {
		return -EOPNOTSUPP;
	}
	if (syscall(SYS_ioctl, s->fd, how, &arg) >= 0)
		return 0;
	return kc_node_ask_again(s->fd, how, &arg);
}

static int device_run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	(void)room;
	return ask_device(s, KCRYPTO_IOC_RUN, req, 0);
}

static int device_submit(struct kc_session *s, const struct kc_req *req, uint64_t number)
{
	return ask_device(s, KCRYPTO_IOC_SUBMIT, req, number);
}

/* A driver's own -EAGAIN does not mean that the request is in flight. */
static int device_reap(struct kc_session *s, uint64_t number, bool waits)
{
	struct kcrypto_result result = { .session = s->id,
					 .user_data = number,
					 .flags = KCRYPTO_THIS };
	int err;

	if (!waits)
		result.flags |= KCRYPTO_NOWAIT;
	err = kc_node_ask(s->fd, KCRYPTO_IOC_REAP, &result);
	if (err)
		return err;
	if (result.error == -EAGAIN)
		return -EIO;
	return result.error;
}

/* Asks for number 0, which is unused: only our session answers ENOENT. */
static bool device_is_ours(const struct kc_session *s)
{
	struct kcrypto_result result = { .session = s->id, .flags = KCRYPTO_THIS | KCRYPTO_NOWAIT };

	return kc_node_ask(s->fd, KCRYPTO_IOC_REAP, &result) == -ENOENT;
}

static void device_close(struct kc_session *s)
{
	if (device_is_ours(s))
		kc_node_close(s->fd);
}

/* A session holds only a key, so a copy can share the open file. */
static int device_copy(struct kc_session *to, const struct kc_session *from)
{
	if (!device_is_ours(from))
		return -ECONNRESET;
	to->fd = (int)kc_or_errno(syscall(SYS_fcntl, from->fd, F_DUPFD_CLOEXEC, 3));
	if (to->fd < 0)
		return to->fd;
	return 0;
}

const struct kc_backend kc_device = {
	.names = { PATH, "kcrypto", "device" },
	.copies = true,
	.exists = kc_node_exists,
	.number = device_number,
	.discover = device_discover,
	.open = device_open,
	.run = device_run,
	.submit = device_submit,
	.reap = device_reap,
	.close = device_close,
	.copy = device_copy,
};
