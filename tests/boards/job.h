/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What board.c calls of job.c; the engines' part is in board.h. */
#ifndef BOARDS_JOB_H
#define BOARDS_JOB_H

/* Reads the speed from the environment, and makes the file $BOARD_STATS. */
void job_start(void);

#endif
