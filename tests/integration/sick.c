/* SPDX-License-Identifier: Apache-2.0 */
/* A module that crashes whoever loads it, or holds it for ever where SICK_HANGS is set. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void be_sick(void)
{
	while (getenv("SICK_HANGS"))
		pause();
	abort();
}
