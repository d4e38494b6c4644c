/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of kcrypto.ko. */
#ifndef KCRYPTO_H
#define KCRYPTO_H

#include <linux/cache.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <crypto/aead.h>
#include <crypto/hash.h>
#include <crypto/skcipher.h>
#include <uapi/linux/kcrypto.h>

#include "compat.h"

struct kcrypto_traits;

#define KCRYPTO_MAX_IV	16
#define KCRYPTO_MAX_OUT	64 /* bytes of a digest, MAC or midstate */
#define KCRYPTO_MAX_TAG	16
#define KCRYPTO_MIN_TAG	4
#define KCRYPTO_MAX_STATE 1024 /* bytes that a driver may export within a digest */

/* A driver may put a request into its backlog, and may sleep. */
#define KCRYPTO_MAY (CRYPTO_TFM_REQ_MAY_BACKLOG | CRYPTO_TFM_REQ_MAY_SLEEP)

/*
 * A device may write whole lines of the cache, whatever length it was told; and a request of the
 * crypto API has an alignment of its own.
 */
union kcrypto_aligned {
	u8 dma[1] __aligned(ARCH_DMA_MINALIGN);
	u8 line[1] __aligned(L1_CACHE_BYTES);
	u8 request[1] CRYPTO_MINALIGN_ATTR;
};

#define KCRYPTO_ALIGN	__alignof__(union kcrypto_aligned)

enum kcrypto_kind { KCRYPTO_CIPHER, KCRYPTO_AEAD, KCRYPTO_DIGEST, KCRYPTO_MAC, KCRYPTO_BLOCKS };

/**
 * struct kcrypto_alg - a row of the closed table
 * @name: in the crypto API; NULL: no row
 * @kind: the kind of transform
 * @unit: a request's length is a multiple of it
 * @min_len: shortest text of a request in bytes
 * @iv_len: bytes, of a midstate too
 * @out_len: bytes of a digest, MAC or midstate; else 0
 */
struct kcrypto_alg {
	const char *name;
	enum kcrypto_kind kind;
	u8 unit;
	u8 min_len;
	u8 iv_len;
	u8 out_len;
};

/**
 * struct kcrypto_choice - the driver of a session
 * @driver: exact name
 * @queue: name of the queue in which its requests wait: the driver's module or, if it is built in,
 *	the driver
 * @max_len: longest text of a request in bytes
 */
struct kcrypto_choice {
	char driver[KCRYPTO_NAME_LEN];
	char queue[KCRYPTO_NAME_LEN];
	u32 max_len;
};

/**
 * struct kcrypto_user - a user's open files
 * @node: in the list of all
 * @uid: the user, see kcrypto_user_get()
 * @sessions: number of open files; the record is in the list as long as there are any, or as
 *	completions wake no waiters themselves
 * @refs: of this memory: the list and @waker
 * @lock: for @crowds
 * @crowds: sessions whose waiters @waker has to wake
 * @waker: runs on kcrypto_wq
 * @slow_until: in jiffies: until then no completion wakes waiters itself, because that took long
 */
struct kcrypto_user {
	struct list_head node;
	kuid_t uid;
	unsigned int sessions;
	refcount_t refs;
	spinlock_t lock; /* see above */
	struct list_head crowds;
	struct work_struct waker;
	unsigned long slow_until;
};

/**
 * struct kcrypto_line - what one user has waiting in a queue
 * @node: in struct kcrypto_turn; empty: in neither of its lists
 * @items: first come, first served
 */
struct kcrypto_line {
	struct list_head node;
	struct list_head items;
};

/**
 * struct kcrypto_turn - the lines of several users, each served in turn
 * @fresh: lines that were empty: served first, so that a single request waits for no turn
 * @old: the others, in their order; a line that becomes empty stays until its next turn
 */
struct kcrypto_turn {
	struct list_head fresh;
	struct list_head old;
};

#define KCRYPTO_CLASSES 5 /* of requests, by their length */

/**
 * struct kcrypto_alone - the time of a request if the driver has no other
 * @driver: of the requests that were measured; only compared, because it may be gone
 * @len: bytes of the first of them
 * @least: shortest time of @len bytes, in ns, since @since
 * @before: shortest, in ns, of the period before that
 * @last: latest, in ns
 * @since: jiffies when the period began
 * @at: jiffies when the latest request ended that was given to the driver alone
 * @tries: number of these, counted up to the number that suffices
 * @looks: number of those that were measured, counted in the same way
 */
struct kcrypto_alone {
	const struct crypto_alg *driver;
	u32 len;
	u64 least;
	u64 before;
	u64 last;
	unsigned long since;
	unsigned long at;
	unsigned int tries;
	unsigned int looks;
};

/**
 * struct kcrypto_window - how many requests a driver gets, and the measurements behind that
 * @size: requests that the driver may have while others wait
 * @count: while a rate is measured: its requests so far, plus one; else 0
 * @begun: ns when the rate's measurement began, or that of @sample
 * @work: ns that these requests would have taken alone, by the least times
 * @last_work: the same, by the latest times
 * @has_gaps: at times no request waited, or requests were answered that cannot be compared
 * @is_fresh: @alone was measured after a rate had made @size seem wrong
 * @sample: the request whose time alone is being measured, or NULL
 * @alone: by class of length
 */
struct kcrypto_window {
	unsigned int size;
	unsigned int count;
	u64 begun;
	u64 work;
	u64 last_work;
	bool has_gaps;
	bool is_fresh;
	const struct kcrypto_job *sample;
	struct kcrypto_alone alone[KCRYPTO_CLASSES];
};

/**
 * struct kcrypto_queue - the way to a device: of all drivers that one module registers
 * @node: in the list of all queues, until the module is unloaded
 * @name: see struct kcrypto_choice
 * @shares: its users' shares
 * @wq: runs everything that may have to wait for the device
 * @lock: for all that follows except @making, and for the shares' lines; taken by completions
 * @jobs: requests that wait for their turn
 * @started: requests that the driver has, oldest first, without those that were given up
 * @n_started: number of these
 * @n_waiting: number of requests in @jobs
 * @is_giving: a caller is on the way to the driver with a request
 * @window: how many requests the driver gets
 * @moved: jiffies when the oldest request was last answered
 * @answered: jiffies when any request was last answered
 * @pump: gives the driver the requests that wait
 * @clock: looks for requests that the driver does not answer
 * @is_ticking: @clock is scheduled
 * @due: jiffies when it is due
 * @tasks: setups and releases that wait for their turn
 * @running: number of tasks that run
 * @worked: jiffies when a task last ended or made progress
 * @is_stuck: a caller waited for a task in vain, and none has ended since
 * @making: read-locked to make a transform, write-locked to count what the device gives
 * @held: number of sessions that have or want a transform
 * @given: number of transforms that the driver has given
 * @seen: most transforms that it was seen to give at once
 * @is_full: it refused to give more
 * @learned: jiffies when @seen and @is_full were last found out
 */
struct kcrypto_queue {
	struct list_head node;
	char name[KCRYPTO_NAME_LEN];
	struct list_head shares;
	struct workqueue_struct *wq;
	spinlock_t lock; /* see above */
	struct kcrypto_turn jobs;
	struct list_head started;
	unsigned int n_started;
	unsigned int n_waiting;
	bool is_giving;
	struct kcrypto_window window;
	unsigned long moved;
	unsigned long answered;
	struct work_struct pump;
	struct delayed_work clock;
	bool is_ticking;
	unsigned long due;
	struct kcrypto_turn tasks;
	unsigned int running;
	unsigned long worked;
	bool is_stuck;
	struct rw_semaphore making;
	unsigned int held;
	unsigned int given;
	unsigned int seen;
	bool is_full;
	unsigned long learned;
};

/**
 * struct kcrypto_share - one user's part of one queue: the budget
 * @node: in the queue's list
 * @queue: the queue
 * @uid: the user
 * @refs: of sessions and queued tasks; under the list's lock
 * @sessions: number of those that have or want a transform; under the queue's lock
 * @requests: number of those that take memory, or have left it to the next request
 * @bytes: size of that memory
 * @jobs: requests that wait
 * @tasks: tasks that wait
 * @running: number of tasks that run; under the queue's lock
 */
struct kcrypto_share {
	struct list_head node;
	struct kcrypto_queue *queue;
	kuid_t uid;
	unsigned int refs;
	unsigned int sessions;
	atomic_t requests;
	atomic_long_t bytes;
	struct kcrypto_line jobs;
	struct kcrypto_line tasks;
	unsigned int running;
};

/**
 * struct kcrypto_task - work that may wait for a device, done by the queue's threads
 * @work: for the queue's threads
 * @node: in the share's line, until it starts
 * @share: whose task it is; referenced until the task has run
 * @queue: the share's
 * @run: does the work; the task may be freed in it
 * @at: jiffies when it was added or started
 * @has_started: it was started
 */
struct kcrypto_task {
	struct work_struct work;
	struct list_head node;
	struct kcrypto_share *share;
	struct kcrypto_queue *queue;
	void (*run)(struct kcrypto_task *task);
	unsigned long at;
	bool has_started;
};

enum kcrypto_state {
	KCRYPTO_NEW,		/* no algorithm yet */
	KCRYPTO_BUSY,		/* being set up */
	KCRYPTO_READY,		/* set up: all other fields of the session are constant */
	KCRYPTO_DEAD,		/* a driver did not answer in time */
};

/**
 * struct kcrypto_setup - input of the task that makes a transform
 * @driver: exact name
 * @key_len: bytes
 * @key: wiped with the whole struct
 */
struct kcrypto_setup {
	char driver[KCRYPTO_NAME_LEN];
	unsigned int key_len;
	u8 key[KCRYPTO_MAX_KEY];
};

/**
 * struct kcrypto_transform - a transform of the crypto API
 * @skcipher: a cipher's
 * @aead: an AEAD's
 * @ahash: of a digest, a MAC, or blocks of a digest
 * @base: the part that the crypto API frees; NULL: there is no transform
 */
struct kcrypto_transform {
	union {
		struct crypto_skcipher *skcipher;
		struct crypto_aead *aead;
		struct crypto_ahash *ahash;
	};
	struct crypto_tfm *base;
};

/**
 * struct kcrypto_session - an open file
 * @refs: of this memory: the file, and the release until it is done
 * @users: of the transform: the file, its setup, and the requests in flight
 * @state: enum kcrypto_state
 * @id: for traces
 * @cookie: the number that user space has to repeat
 * @alg: row of the algorithm
 * @tfm: the transform
 * @is_async: the driver answers later, so its requests go through the queue
 * @reqsize: bytes of a request of the crypto API, with room for the exported state of a digest
 * @tag_len: bytes of an AEAD's tag, of a digest or MAC
 * @max_len: longest text of a request in bytes
 * @user: who opened the file
 * @share: of @user in the driver's queue; NULL: no driver yet
 * @lock: for @jobs and @count
 * @jobs: requests submitted and not reaped, in their order
 * @count: number of these
 * @wait: for one of these to finish, or for room for one more
 * @crowd: in the user's list of sessions whose waiters a thread wakes
 * @setup: belongs to @make
 * @err: the result of @make
 * @make: makes the transform
 * @made: completed when @make has ended
 * @release: frees the transform
 * @released: completed when it has
 * @spare: memory that the last request left for the next one, or NULL
 * @midstate: a session for blocks: what the driver exported after two blocks; else NULL
 * @words_at: the place of the words in it
 * @is_swapped: the words have the other byte order there
 */
struct kcrypto_session {
	refcount_t refs;
	refcount_t users;
	int state;
	u32 id;
	u64 cookie;
	const struct kcrypto_alg *alg;
	struct kcrypto_transform tfm;
	bool is_async;
	unsigned int reqsize;
	unsigned int tag_len;
	unsigned int max_len;
	struct kcrypto_user *user;
	struct kcrypto_share *share;
	spinlock_t lock; /* see above */
	struct list_head jobs;
	unsigned int count;
	wait_queue_head_t wait;
	struct list_head crowd;
	struct kcrypto_setup *setup;
	int err;
	struct kcrypto_task make;
	struct completion made;
	struct kcrypto_task release;
	struct completion released;
	struct kcrypto_job *spare;
	u8 *midstate;
	unsigned int words_at;
	bool is_swapped;
};

enum kcrypto_stage {
	KCRYPTO_IDLE,		/* not in the queue: not yet, no longer, or never */
	KCRYPTO_WAITING,	/* for its turn */
	KCRYPTO_STARTED,	/* with the driver */
	KCRYPTO_LOST,		/* the driver did not answer in time */
};

/**
 * struct kcrypto_job - a request
 * @refs: the owner's (the waiting caller, or the session's list) and the driver's
 * @session: counted in its users
 * @share: of the user who pays; referenced unless it is the session's
 * @pid: of a submitted one: the process to which the addresses in @req belong
 * @exec: and the program that it ran
 * @node: in the session's list, if it was submitted
 * @req: as user space gave it
 * @is_submitted: it will be reaped, so the session has to be told of its end
 * @done: the driver has answered, or is no longer waited for
 * @err: the driver's answer
 * @stage: enum kcrypto_stage, under the queue's lock
 * @line: in the share's line, or in the queue's list of started requests
 * @at: jiffies when it got into that list
 * @free: ends the job if the driver's reference is the last one
 * @buf: AAD, text and tag, contiguous at least in virtual addresses
 * @text_at: offset of the text in @buf
 * @size: bytes in use in @buf
 * @room: bytes of @buf
 * @sg: @buf for the driver
 * @few: @sg, unless @buf is in several pieces
 * @iv: a copy that the driver may overwrite
 * @result: a digest or MAC, which have no IV; or a midstate, before and after
 * @inner: the crypto API's request, followed by the driver's part
 */
struct kcrypto_job {
	refcount_t refs;
	struct kcrypto_session *session;
	struct kcrypto_share *share;
	struct pid *pid;
	u64 exec;
	struct list_head node;
	struct kcrypto_request req;
	bool is_submitted;
	struct completion done;
	int err;
	int stage;
	struct list_head line;
	unsigned long at;
	struct work_struct free;
	u8 *buf;
	size_t text_at;
	size_t size;
	size_t room;
	struct scatterlist *sg;
	struct scatterlist few[2];
	/* Devices may write to these, so they share no cache line with anything else. */
	union {
		u8 iv[KCRYPTO_MAX_IV];
		u8 result[KCRYPTO_MAX_OUT];
	} __aligned(KCRYPTO_ALIGN);
	void *inner[] __aligned(KCRYPTO_ALIGN);
};

/* Counters and other things that all files share, device.c */
enum kcrypto_counter {
	KCRYPTO_N_SESSIONS,
	KCRYPTO_N_IN_FLIGHT,
	KCRYPTO_N_DONE,
	KCRYPTO_N_BYTES,
	KCRYPTO_N_FAILED,
	KCRYPTO_N_TIMEOUTS,
};

/* Runs everything that never waits for a device; frozen with the machine. */
extern struct workqueue_struct *kcrypto_wq;

/* Adds @change to a counter. May be called in any context. */
void kcrypto_count(enum kcrypto_counter counter, long change);

/* The table and the kernel's drivers, drivers.c */

/* Returns the row with this number; NULL: there is none, or root has left it out. */
const struct kcrypto_alg *kcrypto_alg_find(u32 number);
/* Returns what is known of @driver's device, see kcrypto_drivers.h; NULL: nothing. */
const struct kcrypto_traits *kcrypto_driver_traits(const struct crypto_alg *driver);
/* Returns the name of the queue for @driver's requests, see struct kcrypto_choice. */
const char *kcrypto_driver_queue(const struct crypto_alg *driver);
/* Finds the driver that the caller names, or the one with the highest priority. 0 or an error. */
int kcrypto_driver_choose(const struct kcrypto_alg *alg, struct kcrypto_choice *choice);
/* Writes the admitted drivers to user space. 0 or an error. */
int kcrypto_driver_list(struct kcrypto_list *list);

/* Keys, key.c */

/* Copies the key from user space or from the keyring. 0 or an error. */
int kcrypto_key_get(struct kcrypto_setup *setup, const struct kcrypto_open *open);

/* Transforms, transform.c */

/* Has a driver make a transform with a key. 0 or an error, after which there is none. */
int kcrypto_transform_make(struct kcrypto_transform *tfm, const struct kcrypto_session *session,
			   const struct kcrypto_setup *setup);
/* Frees a transform, if there is one. May wait for the device. */
void kcrypto_transform_free(struct kcrypto_transform *tfm);
/* Returns the bytes that a request of the crypto API takes, with the driver's part. */
unsigned int kcrypto_transform_reqsize(const struct kcrypto_transform *tfm,
				       const struct kcrypto_alg *alg);

/* Blocks from the middle of a digest, midstate.c */

/* True if @driver may be able to start from a midstate; false if its exported form is unknown. */
bool kcrypto_midstate_fits(const struct kcrypto_alg *alg, const struct crypto_alg *driver);
/* Bytes of a request for the driver's exported state. */
unsigned int kcrypto_midstate_room(struct crypto_ahash *ahash);
/* Finds out whether the session's driver starts from a midstate. 0 or an error. */
int kcrypto_midstate_learn(struct kcrypto_session *session);
/* Gives the driver the midstate of a request. 0 or an error. */
int kcrypto_midstate_import(struct kcrypto_job *job);
/* Takes the midstate from the driver after its answer. 0 or an error. */
int kcrypto_midstate_export(struct kcrypto_job *job);

/* Sessions, session.c */

/* Returns a session for a file that is being opened, or an error. */
struct kcrypto_session *kcrypto_session_new(void);
/* Chooses algorithm, driver and key. 0 or an error. */
int kcrypto_session_open(struct kcrypto_session *session, struct kcrypto_open *open);
/* Returns 0 if the session can take a request, or an error. */
int kcrypto_session_check(const struct kcrypto_session *session, u64 cookie);
/* Drops a reference. The last one frees the session. */
void kcrypto_session_put(struct kcrypto_session *session);
/* Ends the session after a driver did not answer in time; wakes all who wait. */
void kcrypto_session_kill(struct kcrypto_session *session);
/* Drops one of ->users; the last one has the transform freed. Not for completions. */
void kcrypto_session_unuse(struct kcrypto_session *session);
/* Closes the file. Its user waits, for a limited time, until the device has forgotten the key. */
void kcrypto_session_close(struct kcrypto_session *session);

/* Those who wait for a session's requests, wake.c */

/* Prepares what wakes the crowds of a user. */
void kcrypto_wake_init(struct kcrypto_user *user);
/* True for a while after waking a user's waiters has taken long: only a thread does it then. */
bool kcrypto_wake_is_slow(const struct kcrypto_user *user);
/* A job has finished: wakes those who wait for it. A thread does it if they are many. */
void kcrypto_session_wake(struct kcrypto_session *session);
/* Wakes only those who wait for one of @events. */
void kcrypto_session_wake_for(struct kcrypto_session *session, __poll_t events);

/* Users and their open files, user.c */

/* Counts one more open file of the caller's user. Returns the user's record, or an error. */
struct kcrypto_user *kcrypto_user_get(void);
/* Returns the caller's user. */
kuid_t kcrypto_user_self(void);
/* Is this the caller's user? */
bool kcrypto_user_is_self(const struct kcrypto_user *user);
/* Counts one file fewer. The last one drops a reference. */
void kcrypto_user_put(struct kcrypto_user *user);
/* Drops a reference. The last one frees the record. */
void kcrypto_user_drop(struct kcrypto_user *user);
/* Call it when the module is unloaded: frees the records, whose users have no open files. */
void kcrypto_user_exit(void);

/* Queues, and the budgets of their users, share.c */

/* Finds or makes a user's budget in a queue, and takes a reference; NULL: no memory. */
struct kcrypto_share *kcrypto_share_get(const char *queue, kuid_t uid);
/* Takes one more reference. */
void kcrypto_share_hold(struct kcrypto_share *share);
/* Drops a reference. The last one frees the budget. */
void kcrypto_share_put(struct kcrypto_share *share);
/* Charges a request and its memory to the budget; false: the budget does not suffice. */
bool kcrypto_share_charge(struct kcrypto_share *share, size_t bytes);
/* Returns a request and its memory to the budget. */
void kcrypto_share_uncharge(struct kcrypto_share *share, size_t bytes);
/* True if a session may keep a request's memory for its next one. */
bool kcrypto_share_may_keep(const struct kcrypto_share *share);
/* Call it when the module is loaded. 0 or an error. */
int kcrypto_share_init(void);
/* Call it when the module is unloaded: frees the queues, which are no longer used. */
void kcrypto_share_exit(void);

/* Whose turn it is, turn.c */

/* Adds an item to a user's line. Under the queue's lock, like the next one. */
void kcrypto_turn_add(struct kcrypto_turn *turn, struct kcrypto_line *line,
		      struct list_head *item);
/* Finds the line to serve now, among those that @may accepts, and puts it last; NULL: none. */
struct kcrypto_line *kcrypto_turn_next(struct kcrypto_turn *turn,
				       bool (*may)(const struct kcrypto_line *line));

/* Setups and releases in turn, task.c */

/* Prepares a task, which will call @run. */
void kcrypto_task_init(struct kcrypto_task *task, void (*run)(struct kcrypto_task *task));
/* Has a task run when it is the turn of @share's user. */
void kcrypto_task_add(struct kcrypto_task *task, struct kcrypto_share *share);
/* Takes a task back. True: it has not started, and never will. */
bool kcrypto_task_cancel(struct kcrypto_task *task);
/* A running task is about to wait for another one: until it resumes, it counts as not started. */
void kcrypto_task_pause(struct kcrypto_task *task);
/* A paused task continues. */
void kcrypto_task_resume(struct kcrypto_task *task);
/* The driver has done a part of a task: the time limit starts again. */
void kcrypto_task_progress(struct kcrypto_task *task);
/* Waits until the task completes @done. 0 or an error. */
int kcrypto_task_wait(struct kcrypto_task *task, struct completion *done);
/* True if a caller has waited for the device in vain, and no task has ended since. */
bool kcrypto_task_is_hopeless(const struct kcrypto_task *task);

/* How many sessions of a device one user may have, slot.c */

/* Counts one more session. 0; -EDQUOT: the device has no more for this user. */
int kcrypto_slot_take(struct kcrypto_share *share);
/* Counts one session fewer. */
void kcrypto_slot_give(struct kcrypto_share *share);
/* Finds out whether the device has enough sessions for this one to stay. 0 or an error. */
int kcrypto_slot_prove(struct kcrypto_session *session);
/* The driver has given a transform (@change is 1) or got one back (-1). */
void kcrypto_slot_given(struct kcrypto_share *share, int change);

/* How many requests keep a device busy, window.c; call these under the queue's lock */

/* Forgets everything about the device. */
void kcrypto_window_init(struct kcrypto_window *window);
/* True if @job should be given to the driver alone, to measure its time. */
bool kcrypto_window_wants_alone(const struct kcrypto_window *window, const struct kcrypto_job *job);
/* The driver gets a request while others wait. */
void kcrypto_window_begin(struct kcrypto_window *window, const struct kcrypto_job *job,
			  unsigned int n_started);
/* Others wait for a driver that has this many requests. */
void kcrypto_window_press(struct kcrypto_window *window, unsigned int n_started);
/* The driver has answered a request. @is_done: without an error. @is_pressed: others wait. */
void kcrypto_window_end(struct kcrypto_window *window, const struct kcrypto_job *job, bool is_done,
			bool is_pressed);
/* Drops the present measurement. */
void kcrypto_window_stop(struct kcrypto_window *window);

/* True while a measurement runs. */
static inline bool kcrypto_window_is_measured(const struct kcrypto_window *window)
{
	return window->sample || window->count;
}

/* Requests in turn, and whether their driver is alive, queue.c */

/* Returns how long a driver may take to answer, in jiffies; at most an hour. */
unsigned long kcrypto_time_limit(void);
/* Initialises a queue, which is zeroed. */
void kcrypto_queue_init(struct kcrypto_queue *queue);
/* True: the caller gives the request to the driver now. False: the request waits for its turn. */
bool kcrypto_queue_enter(struct kcrypto_job *job);
/* The driver has answered @err. False: nobody waits for the answer any longer. */
bool kcrypto_queue_leave(struct kcrypto_job *job, int err);
/* After kcrypto_queue_enter() returned true: the caller has given the request to the driver. */
void kcrypto_queue_given(struct kcrypto_queue *queue);
/* Takes a request back. True: it was waiting, and the driver never gets it. */
bool kcrypto_queue_cancel(struct kcrypto_job *job);
/* Forgets what was learned: the next driver of this name may have another device. */
void kcrypto_queue_forget(struct kcrypto_queue *queue);

/* A request's memory and its way to the driver and back, job.c */

/*
 * Checks a request and copies its input. Returns the job, with its owner's reference, or an error.
 */
struct kcrypto_job *kcrypto_job_new(struct kcrypto_session *session,
				    const struct kcrypto_request *req);
/* Records that the current program of the current process will reap the job. */
void kcrypto_job_submit(struct kcrypto_job *job);
/* Has the job given to the driver, now or when its turn comes. */
void kcrypto_job_start(struct kcrypto_job *job);
/* Gives the job to the driver, whose answer drops a reference. Only in process context. */
void kcrypto_job_give(struct kcrypto_job *job);
/* Writes the output of a finished job to user space. 0 or an error. */
int kcrypto_job_result(struct kcrypto_job *job);
/* Tells the owner that the job has ended. The caller has a reference. */
void kcrypto_job_wake(struct kcrypto_job *job);
/* Drops the owner's reference. Not for completions. */
void kcrypto_job_put(struct kcrypto_job *job);
/* Drops the driver's reference to a job that was started but will not reach the driver. */
void kcrypto_job_unstart(struct kcrypto_job *job);
/* The owner wants no answer: takes the job back if it waits, and drops the owner's reference. */
void kcrypto_job_abandon(struct kcrypto_job *job);
/* Frees the memory of a job that has ended; NULL is fine. */
void kcrypto_job_free(struct kcrypto_job *job);

/* The ioctls of requests, request.c */

/* Does a request and waits for its end. 0 or an error. */
int kcrypto_request_run(struct kcrypto_session *session, const struct kcrypto_request *req);
/* Starts a request, which will be reaped. 0 or an error; -EAGAIN: too many are in flight. */
int kcrypto_request_submit(struct kcrypto_session *session, const struct kcrypto_request *req);
/* Returns a finished request to user space. @nowait: do not wait for one. 0 or an error. */
int kcrypto_request_reap(struct kcrypto_session *session, struct kcrypto_result *result,
			 bool nowait);
/* Returns the present events for poll(): a request can be reaped, or submitted. */
__poll_t kcrypto_request_poll(struct kcrypto_session *session);
/* A process closes its descriptor: drops the requests of processes that have ended. */
void kcrypto_request_flush(struct kcrypto_session *session);
/* Drops all requests of a file that is closed. */
void kcrypto_request_abandon(struct kcrypto_session *session);

#endif
