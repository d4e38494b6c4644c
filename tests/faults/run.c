/* SPDX-License-Identifier: Apache-2.0 */
/* The child checks what must be right in every run; the caller checks the counts. */
#include "faults/run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/provider.h>

#include "diff/stats_file.h"
#include "faults/workload.h"
#include "stats/table.h"

#define TOO_LONG 600 /* seconds without a call after which a run counts as hung */

struct result *run_result;
unsigned run_runs, run_failures;

static const char *config;
static OSSL_LIB_CTX *loaded; /* NULL: each process loads the provider itself */
static enum kc_alg_id row;
const char *run_name;
static bool must_recover;

bool run_begin(const char *of)
{
	config = of;
	stats_file_make();
	run_result = mmap(NULL, sizeof(*run_result), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	inject_watch(workload_ours, sizeof(workload_ours));
	return run_result != MAP_FAILED && inject_start(&run_result->seen);
}

static struct row_count count_now(void)
{
	const struct kc_stats_row *r = &stats_file_read()->row[row];

	return (struct row_count){ kc_stats_sum(r).requests, kc_stats_sum(r).bytes,
				   kc_stats_sum(r).failed };
}

static OSSL_LIB_CTX *load(void)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	EVP_CIPHER *fetched;

	if (!OSSL_LIB_CTX_load_config(lib, config))
		run_wrong("no configuration");
	fetched = EVP_CIPHER_fetch(lib, "AES-128-CBC", "?provider=kcrypto");
	run_result->offered =
		fetched &&
		strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(fetched)), "kcrypto") == 0;
	EVP_CIPHER_free(fetched);
	return lib;
}

void run_load_once(void)
{
	loaded = load();
}

bool run_choose(enum kc_alg_id id)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	bool ok = OSSL_PROVIDER_load(lib, "default") && workload_play_software(lib, &kc_algs[id]);

	row = id;
	run_name = kc_alg_name(&kc_algs[id]);
	OSSL_LIB_CTX_free(lib);
	return ok;
}

static void note_first(void)
{
	run_result->at_first = run_result->seen;
}

/* Whether the last message's request went to the kernel. */
static bool in_the_kernel_again(void)
{
	static unsigned long long before;
	static bool seen_before;
	unsigned long long now = count_now().requests;
	bool enough = seen_before && (now > before || !must_recover);

	before = now;
	seen_before = true;
	return enough;
}

void run_wrong(const char *what)
{
	snprintf(run_result->wrong, sizeof(run_result->wrong), "%s", what);
}

#define DIGESTS 3 /* that the workload has at a time; a session of each may wait for the next one */

/*
 * The number of descriptors that may stay open. kcrypto does not close a descriptor that it cannot
 * prove to be its own: fstat must answer, and the device must know the session. The code that has
 * just opened a descriptor knows it without asking.
 */
static unsigned may_stay_open(const struct inject_plan *plan)
{
	bool tells = plan->call == INJECT_FSTAT || plan->call == INJECT_GSESSINFO ||
		     plan->call == INJECT_KC_REAP;
	unsigned waiting = kc_algs[row].kind == KC_DIGEST ? DIGESTS : 0;

	return waiting + (tells ? run_result->seen.fired - run_result->seen.fired_opening : 0);
}

static void judge(const struct inject_plan *plan, const char *wrong)
{
	if (wrong)
		run_wrong(wrong);
	else if (inject_open_sessions() > may_stay_open(plan))
		run_wrong("a session was left open");
	if (run_result->seen.careless)
		run_wrong("a call without SOCK_CLOEXEC, O_CLOEXEC or MSG_NOSIGNAL");
	if (run_result->seen.released)
		run_wrong("text that nobody had vouched for was released");
}

/* However slow the machine is, a run that makes progress makes calls. */
static void look_again(int sig)
{
	static struct inject_seen before;
	const bool goes_on = memcmp(&before, &run_result->seen, sizeof(before)) != 0;

	before = run_result->seen;
	if (!goes_on)
		signal(sig, SIG_DFL);
	alarm(goes_on ? TOO_LONG : 1);
}

static void child(const struct inject_plan *plan)
{
	const struct workload w = { &kc_algs[row], note_first, in_the_kernel_again };
	struct row_count before = count_now(), after;
	OSSL_LIB_CTX *lib;

	signal(SIGALRM, look_again);
	alarm(TOO_LONG);
	inject_set(plan);
	lib = loaded ? loaded : load();
	run_result->at_fetch = run_result->seen;
	judge(plan, workload_play(lib, &w));
	if (!loaded)
		OSSL_LIB_CTX_free(lib);
	after = count_now();
	run_result->count =
		(struct row_count){ after.requests - before.requests, after.bytes - before.bytes,
				    after.redone - before.redone };
	_exit(run_result->wrong[0] != '\0');
}

bool run_play(const struct inject_plan *plan, bool recover)
{
	int status = -1;
	pid_t pid;

	memset(run_result, 0, sizeof(*run_result));
	must_recover = recover;
	run_runs++;
	pid = fork();
	if (pid == 0)
		child(plan);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		run_wrong("no process");
	else if (WIFSIGNALED(status))
		snprintf(run_result->wrong, sizeof(run_result->wrong), "killed by signal %d",
			 WTERMSIG(status));
	if (status == 0 && plan->from && !run_result->seen.fired)
		run_wrong("the call was not made: nothing was tested");
	return run_result->wrong[0] == '\0';
}

static const char *fault_word(int fault)
{
	switch (fault) {
	case INJECT_BAD:
		return "done, and called a bad tag";
	case INJECT_NONE:
		return "0 bytes";
	case INJECT_ONE:
		return "1 byte";
	case INJECT_ALL_BUT_1:
		return "1 byte less";
	case INJECT_HALF:
		return "half, really";
	}
	return strerrorname_np(fault);
}

void run_report(const struct inject_plan *p)
{
	run_failures++;
	fprintf(stderr, "FAILED %s: %s %u%s, %s: %s\n", run_name, inject_name(p->call), p->from,
		p->for_good ? " and on" : "", fault_word(p->fault), run_result->wrong);
}

bool run_undisturbed(struct result *base)
{
	struct inject_plan none = { .from = 0 };
	bool well = run_play(&none, true);

	*base = *run_result;
	printf("%s undisturbed: %llu requests counted, %llu failed", run_name, base->count.requests,
	       base->count.redone);
	for (int call = 0; call < INJECT_CALLS; call++)
		printf("; %s %u", inject_name(call), base->seen.calls[call]);
	printf("\n");
	fflush(stdout);
	if (!well)
		run_report(&none);
	return well && base->count.requests >= 10 && base->count.redone == 0 &&
	       base->seen.calls[INJECT_READ] == base->seen.calls[INJECT_SENDMSG];
}
