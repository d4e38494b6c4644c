// SPDX-License-Identifier: Apache-2.0
/*
 * A program that uses AES-128-CBC, from whatever openssl.cnf names, in 64 of OpenSSL's asynchronous
 * jobs: paused FILE WANTED KILLS; needs root in a machine with the test accelerator. WANTED is
 * FILE's ciphertext. KILLS times, a process whose jobs all pause is killed; two other processes
 * abandon their jobs.
 */
#include "device.h"

#include <openssl/async.h>
#include <openssl/evp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS	 64
#define LEN	 65536
#define PIECE	 16384	   /* bytes of a call */
#define WARM_UP	 100	   /* requests until a driver has been tried and compared often enough */
#define FOR_EVER "3000000" /* ms */

static const uint8_t zeros[16]; /* the IV */
static uint8_t in[LEN], wanted[LEN];
static int kills;

static struct work {
	EVP_CIPHER_CTX *ctx;
	ASYNC_WAIT_CTX *wait;
	ASYNC_JOB *job;
	bool has_ended;
	uint8_t out[LEN];
} works[JOBS];

static void begin(struct work *w)
{
	static const uint8_t key[16] = "sixteen letters";

	memset(w, 0, sizeof(*w));
	w->ctx = EVP_CIPHER_CTX_new();
	w->wait = ASYNC_WAIT_CTX_new();
	CHECK(EVP_EncryptInit_ex(w->ctx, EVP_aes_128_cbc(), NULL, key, zeros));
	EVP_CIPHER_CTX_set_padding(w->ctx, 0);
}

static int run(void *arg)
{
	struct work *w = *(struct work **)arg;
	int n, ok = 1;

	for (size_t at = 0; ok && at < LEN; at += PIECE)
		ok = EVP_EncryptUpdate(w->ctx, w->out + at, &n, in + at, PIECE) && n == PIECE;
	return ok;
}

static void end(struct work *w)
{
	CHECK(memcmp(w->out, wanted, LEN) == 0);
	EVP_CIPHER_CTX_free(w->ctx);
	ASYNC_WAIT_CTX_free(w->wait);
}

/* Starts or resumes its job. */
static void go_on(struct work *w)
{
	int ret = 1, status = ASYNC_start_job(&w->job, w->wait, &ret, run, &w, sizeof(w));

	w->has_ended = status == ASYNC_FINISH;
	CHECK((w->has_ended || status == ASYNC_PAUSE) && ret);
}

/* Encrypts outside a job. */
static void one_alone(void)
{
	struct work *w = &works[0];
	long before = accel_number("done");

	begin(w);
	CHECK(run(&w));
	end(w);
	CHECK(accel_number("done") >= before + LEN / PIECE);
}

static bool all_pause(void)
{
	bool pauses = true;

	for (size_t i = 0; pauses && i < JOBS; i++) {
		begin(&works[i]);
		go_on(&works[i]);
		pauses = !works[i].has_ended;
	}
	return pauses;
}

/* The jobs are resumed in turn, so most of them too early. */
TEST(requests_of_jobs_that_are_resumed_too_early)
{
	size_t left = JOBS;

	for (int i = 0; i < WARM_UP; i += LEN / PIECE)
		one_alone();
	set_accel("reset", "1");
	set_accel("delay", FOR_EVER);
	CHECK(all_pause());
	CHECK(accel_number("deepest") >= 2); /* as many as keep the device busy */
	set_accel("delay", "0");
	for (size_t i = 0; left; i = (i + 1) % JOBS) {
		if (works[i].has_ended)
			continue;
		go_on(&works[i]);
		left -= works[i].has_ended;
	}
	for (size_t i = 0; i < JOBS; i++)
		end(&works[i]);
	CHECK_IS(accel_number("done"), JOBS * LEN / PIECE);
}

static void pause_for_ever(int to)
{
	if (!all_pause() || write(to, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* Kills it once all its jobs pause, or somewhat earlier. */
static void kill_one(int round)
{
	char byte;
	pid_t child;
	int ends[2];

	CHECK_IS(pipe(ends), 0);
	set_accel("delay", FOR_EVER);
	child = fork();
	if (child == 0)
		pause_for_ever(ends[1]);
	if (round % 2)
		CHECK(read(ends[0], &byte, 1) == 1);
	else
		usleep((useconds_t)(round * 7919 % 100000));
	/* Sometimes the device answers at this moment. */
	if (round % 4 < 2)
		set_accel("delay", "0");
	kill(child, SIGKILL);
	CHECK_IS(end_of(child), SIGKILL);
	set_accel("delay", "0");
	close(ends[0]);
	close(ends[1]);
}

/* Nothing of them is left, and the device still works. */
TEST(processes_that_are_killed_while_their_jobs_pause)
{
	for (int i = 0; i < kills; i++) {
		kill_one(i);
		CHECK(wait_for_counter("in_flight", 0));
		CHECK(wait_for_counter("sessions", 0));
		one_alone();
	}
}

static bool is_right(struct work *w)
{
	return memcmp(w->out, wanted, LEN) == 0;
}

/* The context continues with another message, outside a job, as if the text had not come. */
static bool starts_anew(struct work *w)
{
	memset(w->out, 0, LEN);
	return EVP_EncryptInit_ex(w->ctx, NULL, NULL, NULL, zeros) && run(&w) && is_right(w);
}

/* Runs in a job, which is resumed until it ends. */
static bool goes_through_a_job(struct work *w)
{
	begin(w);
	while (!w->has_ended)
		go_on(w);
	return is_right(w);
}

/*
 * Nobody resumes the jobs. Every second context is freed in the meantime, whether the device has
 * answered or not; the others continue, new ones work, and the process ends normally.
 */
static int abandon_jobs(unsigned has_answered)
{
	bool is_well;

	set_accel("delay", FOR_EVER);
	is_well = all_pause();
	if (has_answered) {
		set_accel("delay", "0");
		is_well = wait_for_counter("in_flight", 0) && is_well;
	}
	for (size_t i = 0; i < JOBS; i += 2)
		EVP_CIPHER_CTX_free(works[i].ctx);
	set_accel("delay", "0");
	for (size_t i = 1; i < JOBS; i += 2)
		is_well = starts_anew(&works[i]) && is_well;
	for (size_t i = 0; i < JOBS; i += 2)
		is_well = goes_through_a_job(&works[i]) && is_well;
	exit(!is_well);
}

TEST(jobs_that_are_abandoned)
{
	for (unsigned has_answered = 0; has_answered < 2; has_answered++) {
		CHECK_IS(end_of(as_user(0, abandon_jobs, has_answered)), 0);
		CHECK(wait_for_counter("in_flight", 0));
		CHECK(wait_for_counter("sessions", 0));
		one_alone();
	}
}

static void read_from(const char *file, uint8_t *to)
{
	FILE *f = fopen(file, "re");

	if (!f || fread(to, LEN, 1, f) != 1) {
		perror(file);
		exit(1);
	}
	fclose(f);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	read_from(argv[1], in);
	read_from(argv[2], wanted);
	kills = atoi(argv[3]);
	return run_tests("");
}
