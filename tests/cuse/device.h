/* SPDX-License-Identifier: Apache-2.0 */
/* The device that main.c starts, and its options. */
#ifndef KC_TESTS_CUSE_DEVICE_H
#define KC_TESTS_CUSE_DEVICE_H

#define FUSE_USE_VERSION 31
#include <cuse_lowlevel.h>
#include <stdbool.h>

#include "cuse/control.h"
#include "cuse/sessions.h"

struct device {
	struct control *control;
	const char *driver; /* pattern of the name; %m: mode, %c: cipher */
	uint32_t flags;	    /* SIOP_FLAG_* */
	uint16_t alignmask;
	bool offers[CIPHERS];
};

extern const struct cuse_lowlevel_ops device_ops;

#endif
