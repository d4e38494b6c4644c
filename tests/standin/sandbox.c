/* SPDX-License-Identifier: Apache-2.0 */
/* The test decides whether this thread is in a sandbox, as tests run in containers, too. */
#include "standin.h"

bool standin_is_shut;
void (*standin_asked)(void);

void kc_sandbox_loaded(bool is_trusted)
{
	(void)is_trusted;
}

void kc_sandbox_trust(void)
{
}

bool kc_sandbox_permits(void)
{
	if (standin_asked)
		standin_asked();
	return !standin_is_shut;
}
