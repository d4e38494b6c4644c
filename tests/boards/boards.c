// SPDX-License-Identifier: GPL-2.0-or-later
/* The engines, by the names that they have in the file boards. */
#include "boards.h"
#include <stddef.h>

const struct board boards[] = {
	{ "geode", geode_start, 0 },
	{ "cesa", cesa_start, 1 },
	{ "cesa-38x", cesa_start, 2 },
	{ "rk", rk_start, 0 },
	{ "sun8i-ce", sun8i_ce_start, 0 },
	{ "stm32", stm32_start, 0 },
	{ "sun4i-ss", sun4i_ss_start, 0 },
	{ "mxs-dcp", mxs_dcp_start, 0 },
	{ "gxl", gxl_start, 0 },
	{ "caam", caam_start, 8 },
	{ "caam-imx6", caam_start, 4 },
	{ "aspeed", aspeed_start, 0 },
	{ NULL, NULL, 0 },
};
