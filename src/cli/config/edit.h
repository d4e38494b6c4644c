/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes to a text that leave every other byte as it is and can be undone exactly: a marked block
 * at its end. Additions end their lines as the text does.
 */
#ifndef KC_CLI_CONFIG_EDIT_H
#define KC_CLI_CONFIG_EDIT_H

#include "cli/cnf/files.h"

/*
 * Adds @lines to the block at the end of the text, or makes that block. 0; -EINVAL if the text's
 * last line would continue into it; -EBADMSG if the block has no end.
 */
int kc_edit_add(const struct kc_text *text, const char *lines, struct kc_text *edited);

/* The lines inside the block; an empty text if there is no block. Points into @text. */
struct kc_text kc_edit_block(const struct kc_text *text);

/*
 * Removes the block. 0, or -EBADMSG if the block has no
 * end.
 */
int kc_edit_undo(const struct kc_text *text, struct kc_text *edited);

#endif
