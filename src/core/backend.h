/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend: a kernel interface through which requests reach drivers. Each is one file in
 * src/kernel and a name in the list of src/kernel/meson.build.
 */
#ifndef KC_CORE_BACKEND_H
#define KC_CORE_BACKEND_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/driver.h"
#include "core/request.h"

/* Belongs to one context and is used by one thread at a time. Closed: fd is -1. */
struct kc_session {
	const struct kc_backend *backend;
	const struct kc_alg *alg;
	int fd;
	dev_t dev; /* identity of fd when we opened it; others may reuse the number */
	ino_t ino;
	uint64_t id;	       /* the backend's own id, if a descriptor is not enough */
	unsigned alignmask;    /* the driver can't directly use addresses with these bits set */
	unsigned process_mark; /* of the process that opened it, see core/process.h */
	bool lends_pages;      /* see run(); fork would take these pages along */
	bool is_blocks;	       /* of a digest, see struct kc_key */
	unsigned in_flight;    /* requests submitted, not reaped, even if their jobs never go on */
	size_t limit;	       /* the longest @in of a request, in bytes */
	unsigned tag_len;      /* an AEAD's, bytes */
};

#define KC_KEY_TYPE_SIZE 16 /* bytes, including the NUL: of a key in the keyring */

/* Where a new key is linked; no more links, no key. */
enum kc_ring { KC_RING_SESSION, KC_RING_USER, KC_RING_PROCESS };

/*
 * The kernel's keys, of src/kernel: they have a type, a description and a serial number. None of
 * these functions reads the bytes of a key. They return 0 or -errno.
 */

/* Searches the process's keyrings and the user's. */
int kc_keyring_find(const char *type, const char *description, int32_t *serial);

/*
 * Gets "TYPE;UID;GID;PERMISSIONS;DESCRIPTION", cut to @size bytes. -ENAMETOOLONG: it does not fit.
 */
int kc_keyring_describe(int32_t serial, char *buf, size_t size);

/* Gets the length of the key, in bytes. -ENODATA: a key of this type does not tell. */
int kc_keyring_length(int32_t serial, const char *type, size_t *len);

/* Makes a key from @payload, which each type understands in its own way. */
int kc_keyring_add(const char *type, const char *description, const void *payload, size_t len,
		   enum kc_ring ring, int32_t *serial);

/*
 * Under a seccomp filter, a system call that is new to the process could kill it. Also of
 * src/kernel, and asked in one place for all backends: by the policy and before each session.
 */

/*
 * The module was loaded. @is_trusted: the administrator vouches for the filters that are in force
 * now, so they are noted. Only the first call counts.
 */
void kc_sandbox_loaded(bool is_trusted);

/* Trusts the noted filters, from now on and for the whole process. */
void kc_sandbox_trust(void);

/*
 * May this thread try something new? True if it has no filter, or only those that were noted and
 * are trusted, and can tell.
 */
bool kc_sandbox_permits(void);

/*
 * Has the machine memory that the kernel cannot address all the time? Some drivers take a wrong
 * address for it, see kernel/include/kcrypto_drivers.h. Also of src/kernel. Reads a file the first
 * time: ask only about such a driver.
 */
bool kc_memory_is_high(void);

#define KC_BACKEND_NAMES_MAX 3

/*
 * All but names, discover, open and run may be NULL. Errors are -errno. session/request.h does for
 * every backend what none may leave out: it asks the sandbox, leaves the application enough
 * descriptors, keeps off the numbers 0 to 2, and checks before each request and before the end
 * that the descriptor is still ours.
 */
struct kc_backend {
	/* For the configuration; the first one is a device's path, and others may be "". */
	char names[KC_BACKEND_NAMES_MAX][16];

	/*
	 * Digests and MACs may harm the machine through this backend: it does only those that the
	 * configuration names.
	 */
	bool hashes_by_name;

	/*
	 * The kernel copies all input, writes output only when it is right, and refuses a
	 * descriptor that is not this session's: run(), close() and copy() need no check before
	 * them, and run() needs no @room for anything. It does whole messages only.
	 */
	bool copies;

	/*
	 * Does the kernel hand a digest's or MAC's message to the driver in parts, even a whole
	 * one? NULL: no.
	 */
	bool (*splits_hashes)(void);

	/*
	 * Does this interface exist here? Called at the first fetch, when it opens nothing and says
	 * yes if it can't tell; with @thoroughly, by tools, the kernel may load a module to answer.
	 * NULL: it does.
	 */
	bool (*exists)(const struct kc_backend *backend, bool thoroughly);

	/* The interface's number for an algorithm; 0: it lacks that. NULL: it goes by names. */
	unsigned (*number)(const struct kc_alg *alg);

	/*
	 * Lists the kernel's drivers without opening any or having a module loaded. Backends with
	 * the same function share a list. @drivers is a list already, and keeps the wanted rows. 0
	 * or -errno; -ENODEV: this interface does not exist here.
	 */
	int (*discover)(struct kc_drivers *drivers);

	/*
	 * Opens a session with the driver of this exact name, or, if the name is "", with the one
	 * that the kernel prefers: sets fd and, unless they are 0, id, alignmask and lends_pages;
	 * may lower limit. The other fields are set, but for the identity. 0 or -errno; after a
	 * failure nothing stays open.
	 */
	int (*open)(struct kc_session *session, const char *driver, const struct kc_key *key);

	/*
	 * If the kernel alone chooses the driver, whatever we ask for: which one has it taken for
	 * this session? Fills in its name and flags; 0 or -errno. NULL: we get the driver that we
	 * ask for.
	 */
	int (*identify)(const struct kc_session *session, struct kc_driver *driver);

	/*
	 * Like close(), not a cancellation point: libc's read() is one, syscall() is not. 0: all of
	 * out has been written. -errno: the session must be closed. The exception is
	 * -EBADMSG when an AEAD is decrypted: the tag is bad, and the session is still good. @room:
	 * KC_MAX_REQUEST bytes on pages that nothing else writes to, for the data that the kernel
	 * reads or writes in place; out is then unchanged unless 0 is returned. Without @room
	 * (NULL, never for an AEAD), run() works on in and out directly, which does harm if
	 * lends_pages is set and another thread forks or writes meanwhile. The @in of a digest or
	 * MAC must be on such pages.
	 */
	int (*run)(struct kc_session *session, const struct kc_req *req, uint8_t *room);

	/*
	 * Several requests in flight, for a backend that copies. submit() begins one, which has a
	 * number that no other one has; -EAGAIN: too many are in flight. reap() writes the output
	 * of the one with this number and returns as run() does, or -EAGAIN: it is not done yet. It
	 * @waits, or else the descriptor is readable once there is something to reap. Nothing is
	 * written at any other time, or for another process than that which submitted. NULL: run()
	 * only.
	 */
	int (*submit)(struct kc_session *session, const struct kc_req *req, uint64_t number);
	int (*reap)(struct kc_session *session, uint64_t number, bool waits);

	/*
	 * Ends a session: in a child, that of its parent, which keeps working. NULL: to close the
	 * descriptor is all.
	 */
	void (*close)(struct kc_session *session);

	/*
	 * Opens another session with the same key, which may be given by its serial number in the
	 * keyring, and, of a MAC, the same message so far; sets what open() sets. NULL: sessions
	 * take no serial numbers.
	 */
	int (*copy)(struct kc_session *to, const struct kc_session *from);

	/*
	 * Does the kernel use software no matter which driver is asked for? False also if that
	 * can't be told. Binds a software driver.
	 */
	bool (*hides_hardware)(void);
};

/* Does it exist here? See above. */
static inline bool kc_backend_exists(const struct kc_backend *backend, bool thoroughly)
{
	return !backend->exists || backend->exists(backend, thoroughly);
}

#define KC_MAX_BACKENDS 4

/* All backends of this build, best first, ended by NULL. */
extern const struct kc_backend *const kc_backends[];

/* Its index there. */
static inline unsigned kc_backend_number(const struct kc_backend *backend)
{
	unsigned i = 0;

	while (kc_backends[i] && kc_backends[i] != backend)
		i++;
	return i;
}

/* Defines them. A list longer than the core has room for does not compile. */
#define KC_BACKEND_LIST(...)                                                                       \
	const struct kc_backend *const kc_backends[] = { __VA_ARGS__, NULL };                      \
	_Static_assert(sizeof(kc_backends) / sizeof(kc_backends[0]) <= KC_MAX_BACKENDS + 1,        \
		       "raise KC_MAX_BACKENDS")

#endif
