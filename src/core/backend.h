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

/* Belongs to one context; one thread at a time uses it. fd is -1 while it is closed. */
struct kc_session {
	const struct kc_backend *backend;
	const struct kc_alg *alg;
	int fd;
	dev_t dev; /* identity of fd when we opened it; a program may reuse the number */
	ino_t ino;
	uint64_t id;	       /* the backend's own number, if a descriptor is not enough */
	unsigned alignmask;    /* the driver can't use addresses directly that have these bits */
	unsigned process_mark; /* of the process that opened it, see core/process.h */
	bool lends_pages;      /* run() lends pages to the driver; a fork would share them */
	bool is_blocks;	       /* for blocks of a digest, see struct kc_key */
	unsigned in_flight;    /* requests submitted and not reaped, abandoned jobs' included */
	size_t limit;	       /* bytes, of a request's longest @in */
	unsigned tag_len;      /* bytes, an AEAD's */
};

#define KC_KEY_TYPE_SIZE 16 /* bytes, with the NUL, for a keyring's key type */

/* The keyring that a new key is linked to. The key goes when its last link does. */
enum kc_ring { KC_RING_SESSION, KC_RING_USER, KC_RING_PROCESS };

/*
 * Keys in the kernel's keyring, implemented by src/kernel. A key has a type, a description and a
 * serial number. None of these functions reads a key's bytes. All return 0 or -errno.
 */

/* Searches the keyrings of the process and the user. */
int kc_keyring_find(const char *type, const char *description, int32_t *serial);

/*
 * Gets "TYPE;UID;GID;PERMISSIONS;DESCRIPTION", cut to @size bytes; then it returns -ENAMETOOLONG.
 */
int kc_keyring_describe(int32_t serial, char *buf, size_t size);

/* Gets the key's length in bytes. -ENODATA: keys of this type do not reveal it. */
int kc_keyring_length(int32_t serial, const char *type, size_t *len);

/* Makes a key from @payload, whose format depends on the type. */
int kc_keyring_add(const char *type, const char *description, const void *payload, size_t len,
		   enum kc_ring ring, int32_t *serial);

/*
 * The seccomp sandbox, implemented by src/kernel. A filter could kill the process for a system call
 * that is new to it, so the policy asks here, and so does every session before it opens.
 */

/*
 * Call when the module is loaded. If the administrator vouches for the present filters
 * (@is_trusted), they are recorded. Only the first call has an effect.
 */
void kc_sandbox_loaded(bool is_trusted);

/* Trusts the recorded filters from now on, in the whole process. */
void kc_sandbox_trust(void);

/*
 * True if this thread may make system calls that are new to it: it has no filter, or only recorded
 * filters that are trusted. False if it can't tell.
 */
bool kc_sandbox_permits(void);

/*
 * True if the machine has high memory, which the kernel can't address all the time. Some drivers
 * then compute a wrong address, see kernel/include/kcrypto_drivers.h. The first call reads a file,
 * so ask only about such a driver. Implemented by src/kernel.
 */
bool kc_memory_is_high(void);

#define KC_BACKEND_NAMES_MAX 3

/*
 * All functions but discover, open and run may be NULL. Errors are -errno. src/session does for
 * every backend what none may leave out: it asks the sandbox, leaves the application enough
 * descriptors, avoids the descriptors 0 to 2, and checks before each request and before closing
 * that the descriptor is still the session's.
 */
struct kc_backend {
	/* Names in the configuration. The first is a device's path; unused ones are "". */
	char names[KC_BACKEND_NAMES_MAX][16];

	/*
	 * Digests and MACs may harm the machine through this backend, so it does only those that
	 * the configuration names.
	 */
	bool hashes_by_name;

	/*
	 * The kernel copies all input, writes output only if it is right, and refuses a descriptor
	 * that is not this session's. run(), close() and copy() then need no check of the
	 * descriptor, and run() never needs @room. Such a backend does whole messages only.
	 */
	bool copies;

	/*
	 * True if the kernel hands a digest's or MAC's message to the driver in parts, even a whole
	 * message. NULL: false.
	 */
	bool (*splits_hashes)(void);

	/*
	 * True if this interface exists here. The first fetch calls it without @thoroughly: then it
	 * opens nothing, and returns true if it can't tell. Tools call it with @thoroughly: then
	 * the kernel may load a module to answer. NULL: true.
	 */
	bool (*exists)(const struct kc_backend *backend, bool thoroughly);

	/*
	 * Returns the interface's number for an algorithm; 0 if it has none. NULL: it uses names.
	 */
	unsigned (*number)(const struct kc_alg *alg);

	/*
	 * Adds the kernel's drivers to @drivers, an initialised list, which keeps those of the
	 * wanted rows. Opens no driver, and has no module loaded. Backends with the same function
	 * share a list. 0 or -errno; -ENODEV: this interface does not exist here.
	 */
	int (*discover)(struct kc_drivers *drivers);

	/*
	 * Opens a session with the driver of this exact name; "": with the one that the kernel
	 * prefers. Sets fd and, unless they are 0, id, alignmask and lends_pages; may lower limit.
	 * The caller has set the other fields, and sets the identity later. 0 or -errno; after a
	 * failure nothing stays open.
	 */
	int (*open)(struct kc_session *session, const char *driver, const struct kc_key *key);

	/*
	 * For a kernel that chooses the driver itself, whichever we ask for: gets the name and
	 * flags of the driver that serves this session. 0 or -errno. NULL: we get the driver that
	 * we ask for.
	 */
	int (*identify)(const struct kc_session *session, struct kc_driver *driver);

	/*
	 * Does one request. Like close(), it is no cancellation point: libc's read() is one,
	 * syscall() is not. 0: all of out has been written. -errno: the session must be closed;
	 * except -EBADMSG when an AEAD decrypts: the tag is bad, and the session is still good.
	 *
	 * @room: KC_MAX_REQUEST bytes on pages that nothing else writes to, for the data that the
	 * kernel reads or writes in place; out then changes only if 0 is returned. Without @room
	 * (NULL, never for an AEAD) run() works on in and out directly. That does harm if
	 * lends_pages is set and another thread forks or writes meanwhile. The @in of a digest or
	 * MAC must be on pages that nothing writes to.
	 */
	int (*run)(struct kc_session *session, const struct kc_req *req, uint8_t *room);

	/*
	 * Several requests in flight, for a backend that copies. submit() begins a request, whose
	 * number no other request has; -EAGAIN: too many are in flight. reap() writes the output of
	 * that request and returns as run() does. If the request is not done, reap() waits for it
	 * (@waits), or returns -EAGAIN; the descriptor becomes readable when there is something to
	 * reap. Output is written only by reap(), and only in the process that submitted. NULL:
	 * run() only.
	 */
	int (*submit)(struct kc_session *session, const struct kc_req *req, uint64_t number);
	int (*reap)(struct kc_session *session, uint64_t number, bool waits);

	/*
	 * Ends a session. In a child, ends only the child's copy: the parent's session keeps
	 * working. NULL: closing the descriptor is enough.
	 */
	void (*close)(struct kc_session *session);

	/*
	 * Opens a session with the same key, also if that key is in the keyring; a MAC's has the
	 * same message so far, too. Sets what open() sets. NULL: this backend takes no keys of the
	 * keyring.
	 */
	int (*copy)(struct kc_session *to, const struct kc_session *from);

	/*
	 * True if the kernel uses software whichever driver is asked for; false also if it can't
	 * tell. Binds a software driver to find out.
	 */
	bool (*hides_hardware)(void);
};

/* See exists() above. */
static inline bool kc_backend_exists(const struct kc_backend *backend, bool thoroughly)
{
	return !backend->exists || backend->exists(backend, thoroughly);
}

#define KC_MAX_BACKENDS 4

/* All backends of this build, best first; NULL ends the list. */
extern const struct kc_backend *const kc_backends[];

/* Returns the backend's index in kc_backends. */
static inline unsigned kc_backend_number(const struct kc_backend *backend)
{
	unsigned i = 0;

	while (kc_backends[i] && kc_backends[i] != backend)
		i++;
	return i;
}

/* Defines kc_backends. A list of more than KC_MAX_BACKENDS does not compile. */
#define KC_BACKEND_LIST(...)                                                                       \
	const struct kc_backend *const kc_backends[] = { __VA_ARGS__, NULL };                      \
	_Static_assert(sizeof(kc_backends) / sizeof(kc_backends[0]) <= KC_MAX_BACKENDS + 1,        \
		       "raise KC_MAX_BACKENDS")

#endif
