/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What board.c calls in job.c. The functions for the engines are in board.h. */
#ifndef BOARDS_JOB_H
#define BOARDS_JOB_H

/* Reads the speed from the environment and creates the file $BOARD_STATS. */
void job_start(void);

#endif
