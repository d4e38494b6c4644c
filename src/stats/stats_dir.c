/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens directories step by step, each from the one before, and judges each by its open descriptor.
 */
#include "stats/stats_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stats/stats_file.h"
#include "stats/stats_read.h"

#define NAME	   "kcrypto"
#define DIR_FLAGS  (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define FILE_FLAGS (O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
#define STARTED	   22 /* the field of /proc/PID/stat, counted from 1 */

const char *kc_stats_run = "/run";

/* The second field is a name in parentheses, which may contain anything. */
static uint64_t started_in(const char *text)
{
	const char *at = kc_last(text, ')');

	for (int field = 2; at && *at && field < STARTED; field++)
		at += 1 + strcspn(at + 1, " ");
	return at ? kc_decimal(at) : 0;
}

uint64_t kc_stats_started(pid_t pid)
{
	char path[32] = "/proc/self/stat", text[1024];
	ssize_t n;
	int fd;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return started_in(text);
}

/* Opens a directory that belongs to @uid, and in which no other user may change entries. */
static int enter(int at, const char *name, uid_t uid, mode_t others)
{
	int fd = openat(at, name, DIR_FLAGS);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && (st.st_uid == uid || st.st_uid == geteuid()) &&
	    (!(st.st_mode & (S_IWGRP | S_IWOTH)) || (st.st_mode & others)))
		return fd;
	close(fd);
	return -1;
}

/* The directory for all users, in which each makes a directory of their own. */
static int enter_common(bool makes)
{
	int run = open(kc_stats_run, DIR_FLAGS), fd;
	bool made;

	if (run < 0)
		return -1;
	made = makes && geteuid() == 0 && mkdirat(run, NAME, 0700) == 0;
	fd = enter(run, NAME, 0, S_ISVTX);
	close(run);
	if (made && fd >= 0 && fchmod(fd, S_ISVTX | 0777) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* One of @uid's in @at, which is closed. */
static int enter_below(int at, const char *name, uid_t uid, bool makes)
{
	int fd;

	if (at < 0)
		return -1;
	if (makes)
		mkdirat(at, name, 0700);
	fd = enter(at, name, uid, 0);
	close(at);
	return fd;
}

static int enter_users(void)
{
	const char *path = secure_getenv("XDG_RUNTIME_DIR");

	return path && path[0] == '/' ? enter(AT_FDCWD, path, geteuid(), 0) : -1;
}

int kc_stats_dir_open(void)
{
	char uid[16];
	int fd;

	snprintf(uid, sizeof(uid), "%lu", (unsigned long)geteuid());
	fd = enter_below(enter_common(true), uid, geteuid(), true);
	return fd >= 0 ? fd : enter_below(enter_users(), NAME, geteuid(), true);
}

static const char *own_name(char name[16])
{
	snprintf(name, 16, "%ld", (long)getpid());
	return name;
}

int kc_stats_dir_file(int dir)
{
	char name[16];

	return openat(dir, own_name(name), O_RDWR | O_CREAT | FILE_FLAGS, 0600);
}

void kc_stats_dir_drop(int dir)
{
	char name[16];

	unlinkat(dir, own_name(name), 0);
}

/* Reads a number in the form in which we write it; 0: it is none. */
static unsigned long number_in(const char *name)
{
	unsigned long n = 0;

	if (name[0] == '0' || strlen(name) > 9)
		return 0;
	for (; *name >= '0' && *name <= '9'; name++)
		n = n * 10 + (unsigned long)(*name - '0');
	return *name ? 0 : n;
}

/* A file that is still being made has no head yet; it belongs to the process that exists. */
static bool is_dead(pid_t pid, const struct kc_stats_head *head)
{
	uint64_t now = kc_stats_started(pid);
	uint64_t then = head->started[0] | (uint64_t)head->started[1] << 32;

	return !now || (head->magic[0] && now != then);
}

/* The list owns @fd; on failure it is closed. */
static DIR *list(int fd)
{
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && !d)
		close(fd);
	return d;
}

struct walk {
	int dir;
	uid_t uid;
	kc_stats_seen_fn *seen; /* NULL: only look for dead processes */
	void *arg;
	struct kc_stats *stats; /* room for one */
	unsigned foreign;	/* files of another version */
};

static void look_at(struct walk *w, int fd, pid_t pid, const char *name)
{
	struct kc_stats_head head = { .rows = 0 };
	off_t size;

	if (!kc_stats_file_fits(fd, w->uid, &size) ||
	    pread(fd, &head, offsetof(struct kc_stats_head, name), 0) < 0)
		return;
	if (is_dead(pid, &head))
		unlinkat(w->dir, name, 0);
	else if (w->seen && kc_stats_read_from(fd, w->uid, w->stats))
		w->seen(w->arg, w->uid, pid, w->stats);
	else if (w->seen && head.magic[0])
		w->foreign++;
}

static void walk_files(struct walk *w)
{
	DIR *d = list(openat(w->dir, ".", DIR_FLAGS));
	const struct dirent *entry;

	/* Without /proc all processes would look dead. */
	while (d && kc_stats_started(0) && (entry = readdir(d))) {
		pid_t pid = (pid_t)number_in(entry->d_name);
		int fd = pid ? openat(w->dir, entry->d_name, O_RDONLY | FILE_FLAGS) : -1;

		if (fd < 0)
			continue;
		look_at(w, fd, pid, entry->d_name);
		close(fd);
	}
	if (d)
		closedir(d);
}

void kc_stats_dir_clean(int dir)
{
	struct walk w = { .dir = dir, .uid = geteuid() };

	walk_files(&w);
}

/* Closes @dir. */
static void walk_one(struct walk *w, int dir, uid_t uid)
{
	w->dir = dir;
	w->uid = uid;
	if (dir >= 0) {
		walk_files(w);
		close(dir);
	}
}

static bool is_user(const char *name)
{
	return number_in(name) || strcmp(name, "0") == 0;
}

/* Walks every user's directory in @at, or the directory @below in it. Closes @at. */
static void walk_users(struct walk *w, int at, const char *below)
{
	DIR *d = list(at);
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		uid_t uid = (uid_t)number_in(entry->d_name);
		int dir = is_user(entry->d_name) ? enter(at, entry->d_name, uid, 0) : -1;

		walk_one(w, below ? enter_below(dir, below, uid, false) : dir, uid);
	}
	if (d)
		closedir(d);
}

unsigned kc_stats_dir_walk(kc_stats_seen_fn *seen, void *arg)
{
	struct walk w = { .seen = seen, .arg = arg, .stats = malloc(sizeof(*w.stats)) };
	char path[256];

	if (w.stats && geteuid() == 0) {
		snprintf(path, sizeof(path), "%s/user", kc_stats_run);
		walk_users(&w, enter_common(false), NULL);
		walk_users(&w, enter(AT_FDCWD, path, 0, 0), NAME);
	} else if (w.stats) {
		snprintf(path, sizeof(path), "%lu", (unsigned long)geteuid());
		walk_one(&w, enter_below(enter_common(false), path, geteuid(), false), geteuid());
		walk_one(&w, enter_below(enter_users(), NAME, geteuid(), false), geteuid());
	}
	free(w.stats);
	return w.foreign;
}
