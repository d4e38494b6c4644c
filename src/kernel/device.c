/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /dev/kcrypto, the module in kernel/: a session is an open file, and a request is one ioctl. The
 * kernel copies all input first and writes output when it is right, so nothing of the caller's is
 * lent to a driver. A descriptor that has changed hands needs no check: other files refuse these
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

#include "kernel/node.h"

#define PATH "/dev/kcrypto"

/* Of the same key or message sizes, with a key that only the device can open. */
#define WRAPPED(number) ((number) + KCRYPTO_CBC_PAES - KCRYPTO_CBC_AES)

#define MAX_LISTED 256

static const char names[][KC_KERNEL_NAME_SIZE] = {
#define KCRYPTO_ALG(id, number, name, ...) [number] = name,
#include <linux/kcrypto_algs.h>
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

static unsigned number_of(const struct kc_alg *alg)
{
	for (unsigned i = 1; i < N_NAMES; i++)
		if (strcmp(names[i], alg->kernel_name) == 0)
			return i;
	return 0;
}

/* The rows for blocks have the names of the digests. */
static unsigned number_for(const struct kc_alg *alg, const struct kc_key *key)
{
	unsigned i = key->is_blocks ? KCRYPTO_BLOCKS_MD5 : N_NAMES;

	while (i < N_NAMES && strcmp(names[i], alg->kernel_name) != 0)
		i++;
	return i < N_NAMES ? i : key->is_blocks ? 0 : number_of(alg);
}

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

/* A digest's driver, which is in the list already, takes blocks, too. */
static void add_blocks(struct kc_drivers *drivers, const struct kcrypto_driver *found)
{
	for (size_t i = 0; i < drivers->n; i++)
		if (strcmp(drivers->v[i].name, names[found->algorithm]) == 0 &&
		    strcmp(drivers->v[i].driver, found->name) == 0)
			drivers->v[i].blocks = 1;
}

static void add(struct kc_drivers *drivers, const struct kcrypto_driver *found)
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
	driver.kind = found->algorithm < KCRYPTO_GCM_AES ? KC_CIPHER :
		      found->algorithm < KCRYPTO_MD4	 ? KC_AEAD :
							   KC_DIGEST;
	snprintf(driver.name, sizeof(driver.name), "%s", names[found->algorithm]);
	memcpy(driver.driver, found->name, sizeof(driver.driver));
	kc_drivers_add(drivers, &driver);
}

/* The device lists what root admits, so nothing else is asked. */
static int discover(struct kc_drivers *drivers)
{
	struct kcrypto_driver *found;
	struct kcrypto_list list;
	int fd, err;

	if (!kc_sandbox_permits())
		return -EPERM;
	fd = kc_node_open(PATH, O_RDWR);
	if (fd < 0)
		return -ENODEV;
	found = calloc(MAX_LISTED, sizeof(*found));
	list = (struct kcrypto_list){ .drivers = address(found),
				      .count = MAX_LISTED,
				      .driver_size = sizeof(*found) };
	err = found ? kc_node_ask(fd, KCRYPTO_IOC_LIST, &list) : -ENOMEM;
	kc_node_close(fd);
	for (unsigned i = 0; !err && i < list.count && i < MAX_LISTED; i++)
		add(drivers, &found[i]);
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
		arg.key = address(key->bytes);
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

static int open_session(struct kc_session *s, const char *driver, const struct kc_key *key)
{
	unsigned number = number_for(s->alg, key);
	int err;

	s->fd = kc_node_open(PATH, O_RDWR);
	if (s->fd < 0)
		return s->fd;
	err = number ? make_session(s, number, driver, key) : -ENOENT;
	if (err == -ENOENT && *driver && number && number <= KCRYPTO_XTS_AES)
		err = make_session(s, WRAPPED(number), driver, key);
	if (err)
		kc_node_close(s->fd);
	return err;
}

/* 0 or -errno. */
static int ask(const struct kc_session *s, unsigned long how, const struct kc_req *req,
	       uint64_t number)
{
	bool is_hash = kc_alg_is_hash(s->alg);
	struct kcrypto_request arg = { .session = s->id,
				       .len = (uint32_t)req->len,
				       .in = address(req->in),
				       .iv = address(req->iv),
				       .iv_len = s->is_blocks ? s->alg->state_len : s->alg->iv_len,
				       .user_data = number };

	if (is_hash && !req->tag)
		return -EOPNOTSUPP;
	if (!is_hash) {
		arg.out = address(req->out);
		arg.flags = req->dir == KC_DECRYPT ? KCRYPTO_DECRYPT : 0;
	}
	if (is_hash || s->alg->kind == KC_AEAD) {
		arg.tag = address(req->tag);
		arg.tag_len = s->is_blocks ? s->alg->state_len :
			      is_hash	   ? s->alg->out_len :
					     s->tag_len;
		arg.aad = address(req->aad);
		arg.aad_len = (uint32_t)req->aad_len;
	}
	return kc_node_ask(s->fd, how, &arg);
}

static int run(struct kc_session *s, const struct kc_req *req, uint8_t *room)
{
	(void)room;
	return ask(s, KCRYPTO_IOC_RUN, req, 0);
}

static int submit(struct kc_session *s, const struct kc_req *req, uint64_t number)
{
	return ask(s, KCRYPTO_IOC_SUBMIT, req, number);
}

/* A driver's own -EAGAIN does not mean that the request is in flight. */
static int reap(struct kc_session *s, uint64_t number, bool waits)
{
	struct kcrypto_result result = { .session = s->id,
					 .user_data = number,
					 .flags = KCRYPTO_THIS | (waits ? 0 : KCRYPTO_NOWAIT) };
	int err = kc_node_ask(s->fd, KCRYPTO_IOC_REAP, &result);

	if (err)
		return err;
	return result.error == -EAGAIN ? -EIO : result.error;
}

/* No request has this number; but the question is only right for us. */
static bool is_ours(const struct kc_session *s)
{
	struct kcrypto_result result = { .session = s->id, .flags = KCRYPTO_THIS | KCRYPTO_NOWAIT };

	return kc_node_ask(s->fd, KCRYPTO_IOC_REAP, &result) == -ENOENT;
}

static void close_session(struct kc_session *s)
{
	if (is_ours(s))
		kc_node_close(s->fd);
}

/* A session has nothing but a key, so two may be one. */
static int copy_session(struct kc_session *to, const struct kc_session *from)
{
	if (!is_ours(from))
		return -ECONNRESET;
	to->fd = (int)syscall(SYS_fcntl, from->fd, F_DUPFD_CLOEXEC, 3);
	return to->fd < 0 ? -errno : 0;
}

const struct kc_backend kc_device = {
	.names = { PATH, "kcrypto", "device" },
	.copies = true,
	.exists = kc_node_exists,
	.number = number_of,
	.discover = discover,
	.open = open_session,
	.run = run,
	.submit = submit,
	.reap = reap,
	.close = close_session,
	.copy = copy_session,
};
