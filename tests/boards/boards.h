/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engines. A new one is a file, its start below, a line in boards.c, and one in the table of
 * boards.
 */
#ifndef BOARDS_BOARDS_H
#define BOARDS_BOARDS_H

/* $BOARD is the name of one. variant: a difference between engines of one file. */
struct board {
	const char *name;
	void (*start)(int variant);
	int variant;
};
extern const struct board boards[]; /* the last one has no name */

void geode_start(int variant);
/* variant: the number of engines */
void cesa_start(int variant);
void rk_start(int variant);
void sun8i_ce_start(int variant);
void stm32_start(int variant);
void sun4i_ss_start(int variant);
void mxs_dcp_start(int variant);
void gxl_start(int variant);
/* variant: its era */
void caam_start(int variant);
void aspeed_start(int variant);

#endif
