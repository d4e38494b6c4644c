/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engines. A new engine needs a file, a declaration below, a line in boards.c, and a line in
 * the table boards.
 */
#ifndef BOARDS_BOARDS_H
#define BOARDS_BOARDS_H

/* A board: $BOARD is its name. variant tells apart the engines that one file implements. */
struct board {
	const char *name;
	void (*start)(int variant);
	int variant;
};
extern const struct board boards[]; /* ends with a board without a name */

void geode_start(int variant);
/* variant: the number of engines */
void cesa_start(int variant);
void rk_start(int variant);
void sun8i_ce_start(int variant);
void stm32_start(int variant);
void sun4i_ss_start(int variant);
void mxs_dcp_start(int variant);
void gxl_start(int variant);
/* variant: the era of the CAAM */
void caam_start(int variant);
void aspeed_start(int variant);

#endif
