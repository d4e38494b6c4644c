/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cnf/layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"

#define ENTRY	  "openssl.kcrypto"
#define MAX_WORDS 3
#define ABSENT	  127 /* the exit code without a program */

struct call {
	int dir; /* that of the file */
	const char *words[MAX_WORDS];
};

static void become_uci(void *arg, int fd)
{
	const struct call *call = arg;
	char dir[32];

	/* The copy stays open in uci. */
	snprintf(dir, sizeof(dir), "/proc/self/fd/%d", dup(call->dir));
	if (dup2(fd, STDOUT_FILENO) >= 0)
		execlp("uci", "uci", "-q", "-c", dir, call->words[0], call->words[1], NULL);
	_exit(ABSENT);
}

/* One call, whose answer is a word. uci itself would follow a link. */
static int run(const struct kc_files *files, const char *verb, const char *what, char *answer,
	       size_t size)
{
	struct call call = { .words = { verb, what } };
	struct kc_child child;
	struct kc_spot spot;
	char link;
	int err = kc_spot_find(&spot, files, KC_UCI_FILE, false);
	size_t n;

	if (!err && spot.dir >= 0 && readlinkat(spot.dir, spot.name, &link, 1) >= 0)
		err = -ELOOP;
	call.dir = spot.dir;
	if (err || spot.dir < 0 || !kc_child_start(&child, become_uci, &call)) {
		kc_spot_close(&spot);
		return err ? err : -EIO;
	}
	n = kc_child_read_all(&child, answer, size - 1, KC_CHILD_SECONDS);
	answer[n] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	kc_child_end(&child);
	kc_spot_close(&spot);
	if (!child.has_ended || !WIFEXITED(child.status))
		return -EIO;
	return WEXITSTATUS(child.status) == ABSENT ? -ENOSYS :
	       WEXITSTATUS(child.status)	   ? -ENOENT :
						     0;
}

/* Without an option it is enabled, as to the init script. */
int kc_uci_get(const struct kc_files *files)
{
	static const char no[] = " 0 no off false disabled ";
	char answer[32], word[40];
	int err = run(files, "get", ENTRY, answer, sizeof(answer));

	if (err)
		return err == -ENOENT ? KC_UCI_ABSENT : err;
	err = run(files, "get", ENTRY ".enabled", answer, sizeof(answer));
	snprintf(word, sizeof(word), " %s ", answer);
	return !err && strstr(no, word) ? KC_UCI_OFF : KC_UCI_ON;
}

int kc_uci_set(const struct kc_files *files, const struct kc_layout *layout, enum kc_uci state)
{
	const char *entry = layout->has_providers ? ENTRY "=provider" : ENTRY "=engine";
	char answer[8];
	int err;

	if (state == KC_UCI_AS_IT_IS)
		return 0;
	if (state == KC_UCI_ABSENT)
		err = run(files, "delete", ENTRY, answer, sizeof(answer));
	else
		err = run(files, "set", entry, answer, sizeof(answer));
	if (!err && state != KC_UCI_ABSENT)
		err = run(files, "set",
			  state == KC_UCI_ON ? ENTRY ".enabled=1" : ENTRY ".enabled=0", answer,
			  sizeof(answer));
	return err ? err : run(files, "commit", "openssl", answer, sizeof(answer));
}

/* The lines of the other modules stay as they are. */
int kc_uci_foresee(struct kc_files *files, const struct kc_layout *layout, enum kc_uci state)
{
	const char *path =
		layout->has_providers ? "/var/etc/ssl/providers.cnf" : "/var/etc/ssl/engines.cnf";
	struct kc_text old, text = { .at = NULL };
	int is = state == KC_UCI_AS_IT_IS ? kc_uci_get(files) : (int)state;
	FILE *out;

	if (is < 0)
		return is == -ENOSYS || is == -EIO ? 0 : is;
	kc_files_read(files, path, &old);
	out = open_memstream(&text.at, &text.len);
	for (char *rest = old.at, *line; out && (line = strsep(&rest, "\n"));)
		if (*line && strncmp(line, "kcrypto=", 8) != 0)
			fprintf(out, "%s\n", line);
	if (out && is == KC_UCI_ON)
		fprintf(out, "kcrypto=kcrypto%s\n", layout->suffix);
	kc_text_free(&old);
	return out && fclose(out) == 0 ? kc_files_foresee(files, path, text) : -ENOMEM;
}
