/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend: a kernel interface by which requests reach drivers. It is one file in
 * src/kernel and its name in the list of src/kernel/meson.build.
 */
#ifndef KC_CORE_BACKEND_H
#define KC_CORE_BACKEND_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/driver.h"
#include "core/request.h"

/* Belongs to one context, used by one thread at a time. Closed: fd is -1. */
struct kc_session {
	const struct kc_backend *backend;
	const struct kc_alg *alg;
	int fd;
	dev_t dev; /* what fd was when we opened it; a number can be reused by others */
	ino_t ino;
	uint32_t id;	       /* the backend's own, where a descriptor is not all */
	unsigned alignmask;    /* bits of an address with which the driver can't use it as it is */
	unsigned process_mark; /* of the process that opened it, see core/process.h */
	bool lends_pages;      /* see run(); a fork would take them along */
	size_t limit;	       /* bytes that a request's @in may have here */
	unsigned tag_len;      /* of an AEAD, bytes */
};

struct kc_backend {
	const char *name;
	const char *aliases; /* for the configuration, colon between; NULL: none */

	/*
	 * The module was loaded; notes what can only be seen then. @is_trusted: the administrator
	 * may say that the sandbox in which this happens, if any, does no harm. NULL: nothing.
	 */
	void (*loaded)(bool is_trusted);

	/*
	 * Is this thread in a sandbox, so that nothing is to be tried by this backend? @is_trusted:
	 * the administrator says so. Takes long. NULL: never.
	 */
	bool (*is_shut)(bool is_trusted);

	/*
	 * May this thread use a session of the process's, whatever sandbox it has entered since
	 * that was opened? Takes long. NULL: always.
	 */
	bool (*permits)(void);

	/*
	 * Digests and MACs by this backend may harm the machine: only those that the configuration
	 * names.
	 */
	bool hashes_by_name;

	/*
	 * Does this interface exist here? Opens nothing, as the next, at the first fetch. NULL: it
	 * may.
	 */
	bool (*exists)(void);

	/* Has it this algorithm? NULL: all. */
	bool (*has)(const struct kc_alg *alg);

	/*
	 * Lists the kernel's drivers: opens none, and has no module loaded. Backends with the same
	 * function have the same list. 0 or -errno; -ENODEV: this interface does not exist here.
	 */
	int (*discover)(struct kc_drivers *drivers);

	/*
	 * Marks the rows of which the kernel has not even what their template would be made of, no
	 * module either; asked where software is admitted. NULL: it can't be told.
	 */
	void (*find_absent)(bool is_absent[KC_ALG_COUNT]);

	/*
	 * Opens a session on the driver of this exact name, or on whatever the kernel prefers where
	 * it is "". 0 or -errno; fails with nothing left open. Sets alignmask and lends_pages where
	 * they are not 0.
	 */
	int (*open)(struct kc_session *session, const struct kc_alg *alg, const char *driver,
		    const struct kc_key *key);

	/*
	 * Where the kernel alone chooses the driver, whatever we ask for: which one has it taken
	 * for this session? Fills its name and flags; 0 or -errno. NULL: we get what we ask for.
	 */
	int (*identify)(const struct kc_session *session, struct kc_driver *driver);

	/*
	 * 0: all of out is written. -errno: the session has to be closed; but -EBADMSG of an AEAD's
	 * decryption, a bad tag, leaves it as good as before. @room: KC_MAX_REQUEST bytes on pages
	 * that nobody else writes to, for what the kernel reads or writes in place; then out stays
	 * as it was unless 0 is returned. NULL, but never for an AEAD: it works on in and out
	 * themselves, which does harm where lends_pages is set, and another thread forks or writes
	 * meanwhile. A digest's or MAC's @in has to be on such pages.
	 */
	int (*run)(struct kc_session *session, const struct kc_req *req, uint8_t *room);

	/* Ends a session of this process; a descriptor that is no longer ours stays untouched. */
	void (*close)(struct kc_session *session);

	/* Lets go of a session that another process opened, without touching the peer's. */
	void (*forget)(struct kc_session *session);

	/*
	 * Does the kernel answer with software whatever driver is asked for? 1 yes, 0 no, -errno
	 * where it can't be told. @software: a listed software driver or "". Binds that one.
	 */
	int (*hides_hardware)(const char *software);

	/*
	 * Does the kernel lack this interface, though its drivers may be listed? The kernel may
	 * load a module for the question. NULL: discover says so.
	 */
	bool (*is_absent)(void);

	/*
	 * For engine/dump_info.h: how this backend calls an algorithm, and what is said behind that
	 * where a session does not open. False: it has no such algorithm. NULL: by its name in the
	 * kernel.
	 */
	bool (*describe)(const struct kc_alg *alg, char *buf, size_t size);
	const char *closed;
};

#define KC_MAX_BACKENDS 4

/* All backends of this build, best first, ended by NULL. */
extern const struct kc_backend *const kc_backends[];

/* Defines them. More than the core has room for do not compile. */
#define KC_BACKEND_LIST(...)                                                                       \
	const struct kc_backend *const kc_backends[] = { __VA_ARGS__, NULL };                      \
	_Static_assert(sizeof(kc_backends) / sizeof(kc_backends[0]) <= KC_MAX_BACKENDS + 1,        \
		       "raise KC_MAX_BACKENDS")

#endif
