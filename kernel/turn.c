// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns. Each user has a line; the lines are served in turn, one item each. Call everything here
 * under the queue's lock.
 */
#include "kcrypto.h"

/**
 * kcrypto_turn_add() - adds an item to a user's line
 * @turn: the lines of all users
 * @line: the user's
 * @item: the item
 */
void kcrypto_turn_add(struct kcrypto_turn *turn, struct kcrypto_line *line, struct list_head *item)
{
	list_add_tail(item, &line->items);
	if (list_empty(&line->node))
		list_add_tail(&line->node, &turn->fresh);
}

static bool kcrypto_turn_is_open(const struct kcrypto_line *line,
				 bool (*may)(const struct kcrypto_line *line))
{
	if (list_empty(&line->items))
		return false;
	return !may || may(line);
}

/**
 * kcrypto_turn_next() - finds the line whose turn it is, and puts it at the end
 * @turn: the lines of all users
 * @may: whether a line may be served now, or NULL
 *
 * A line that was empty comes first, but only once: it then stays among the others until their
 * turns have come, so that a user who always asks for one thing more does not get all turns.
 *
 * Return: a line with at least one item, or NULL.
 */
struct kcrypto_line *kcrypto_turn_next(struct kcrypto_turn *turn,
				       bool (*may)(const struct kcrypto_line *line))
{
	struct kcrypto_line *line, *next;

	list_for_each_entry_safe(line, next, &turn->fresh, node) {
		list_move_tail(&line->node, &turn->old);
		if (kcrypto_turn_is_open(line, may))
			return line;
	}
	list_for_each_entry_safe(line, next, &turn->old, node) {
		if (kcrypto_turn_is_open(line, may)) {
			list_move_tail(&line->node, &turn->old);
			return line;
		}
		if (list_empty(&line->items))
			list_del_init(&line->node);
	}
	return NULL;
}
