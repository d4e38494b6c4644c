/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child processes of the tool. A sick driver can hang for ever, a filter may kill a process for a
 * question, and nothing in user space can leave such a call. So a child asks, and the parent waits
 * until a deadline. A child in a driver that hangs cannot even be killed; it is left behind.
 */
#ifndef KC_CLI_CHILD_H
#define KC_CLI_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define KC_CHILD_SECONDS  10 /* the usual deadline of an answer */
#define KC_CHILD_WHY_SIZE 64

struct kc_child {
	pid_t pid;
	int fd;		/* a socket: its answers, and what it is told */
	int status;	/* as wait() gives it; valid if has_ended */
	bool is_silent; /* a deadline passed */
	bool has_ended;
	unsigned seconds; /* the last deadline */
};

/*
 * Starts a child that calls @work(@arg, its end of the socket) and exits with 0. It has no standard
 * input and output, and ends with the tool, however that ends. False: there is no child.
 */
bool kc_child_start(struct kc_child *child, void (*work)(void *arg, int fd), void *arg);

/*
 * Waits for @size bytes of an answer. False: the child ended, or the deadline passed: @seconds in a
 * row in which the child did nothing at all, or ten times as many altogether.
 */
bool kc_child_read(struct kc_child *child, void *to, size_t size, unsigned seconds);

/* Reads until the socket's end, the deadline, or @size bytes. Returns the number of bytes. */
size_t kc_child_read_all(struct kc_child *child, char *to, size_t size, unsigned seconds);

/*
 * Ends the child: waits for one that has closed its socket, kills another. A child that does not
 * die of that is left behind.
 */
void kc_child_end(struct kc_child *child);

/*
 * Returns how it failed: "killed by signal 11", "did not answer within 10 s", "ended with exit code
 * 1".
 */
const char *kc_child_why(const struct kc_child *child, char why[KC_CHILD_WHY_SIZE]);

/*
 * Calls @fill(@data) in a child, and takes over the @size bytes at @data, at most PIPE_BUF, which
 * arrive as a whole. False: no answer came; then @data is unchanged, and @child tells why.
 */
bool kc_child_ask(struct kc_child *child, void (*fill)(void *data), void *data, size_t size,
		  unsigned seconds);

/*
 * Runs a user's command like system(): interrupts from the terminal are for the command alone, and
 * there is no deadline. @conf: its OPENSSL_CONF; NULL or "": unchanged. @is_quiet: its output is
 * discarded. *@is_filtered: it ended in a seccomp filter that this process is not in. Returns the
 * exit code that a shell would; -1: there is no process.
 */
int kc_child_run(char *const *argv, const char *conf, bool is_quiet, bool *is_filtered);

#endif
