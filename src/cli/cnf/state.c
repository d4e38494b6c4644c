/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cnf/state.h"

#include <openssl/err.h>
#include <string.h>
#include <strings.h>

#include "engine/engine_ids.h"

bool kc_state_activates(const struct kc_cnf *cnf, const char *section)
{
	static const char *const no[] = { "0", "no", "off", "false" };
	const char *value = kc_cnf_get(cnf, section, "activate");

	/* Before OpenSSL 3.2 these activate like any value, although the writer means no. */
	for (size_t i = 0; value && i < sizeof(no) / sizeof(no[0]); i++)
		if (strcasecmp(value, no[i]) == 0)
			return false;
	return value;
}

const char *kc_state_skip_dot(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? dot + 1 : name;
}

static const char *last_word(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* By the name of its line, by its identity, or by its module's file. */
static bool is_provider(const struct kc_cnf *cnf, const CONF_VALUE *line, const char *name)
{
	const char *identity = kc_cnf_get(cnf, line->value, "identity");
	const char *module = kc_cnf_get(cnf, line->value, "module");

	return strcmp(identity ? identity : kc_state_skip_dot(line->name), name) == 0 ||
	       (module && strncmp(last_word(module), name, strlen(name)) == 0);
}

static void read_providers(struct kc_state *state, const struct kc_cnf *cnf)
{
	STACK_OF(CONF_VALUE) *lines =
		state->providers ? NCONF_get_section(cnf->conf, state->providers) : NULL;

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);

		if (is_provider(cnf, line, "kcrypto"))
			state->kcrypto = line->value;
		else if (is_provider(cnf, line, "default"))
			state->base = line->value;
		else if (kc_state_activates(cnf, line->value))
			state->other = line->name;
	}
	state->is_active = kc_state_activates(cnf, state->kcrypto);
	state->is_base_active = kc_state_activates(cnf, state->base);
}

static void read_engines(struct kc_state *state, const struct kc_cnf *cnf)
{
	STACK_OF(CONF_VALUE) *lines =
		state->engines ? NCONF_get_section(cnf->conf, state->engines) : NULL;

	for (int i = 0; !state->engine && i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);
		const char *id = kc_cnf_get(cnf, line->value, "engine_id");

		id = id ? id : kc_state_skip_dot(line->name);
		if (kc_id_find(id)) {
			state->engine = line->name;
			state->engine_id = id;
			state->engine_section = line->value;
		}
	}
}

/* Is @clause one of the words of @list, separated by commas and blanks? */
static bool has_word(const char *list, const char *clause)
{
	size_t len = strlen(clause);

	while (list && *(list += strspn(list, ", \t"))) {
		size_t n = strcspn(list, ", \t");

		if (n == len && strncasecmp(list, clause, len) == 0)
			return true;
		list += n;
	}
	return false;
}

static void read_tls(struct kc_state *state, const struct kc_cnf *cnf)
{
	STACK_OF(CONF_VALUE) * lines;

	state->ssl = kc_cnf_get(cnf, state->init, "ssl_conf");
	state->tls = kc_cnf_get(cnf, state->ssl, "system_default");
	lines = state->tls ? NCONF_get_section(cnf->conf, state->tls) : NULL;
	/* Several such lines add up if they have different words before a dot. */
	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);

		if (strcasecmp(kc_state_skip_dot(line->name), "Options") == 0) {
			state->options = line->value;
			state->has_ktls |= has_word(line->value, "KTLS");
		}
	}
}

void kc_state_read(struct kc_state *state, const struct kc_cnf *cnf)
{
	*state = (struct kc_state){ .init = kc_cnf_get(cnf, "default", "openssl_conf") };
	state->providers = kc_cnf_get(cnf, state->init, "providers");
	state->algorithms = kc_cnf_get(cnf, state->init, "alg_section");
	state->random = kc_cnf_get(cnf, state->init, "random");
	state->engines = kc_cnf_get(cnf, state->init, "engines");
	state->query = kc_cnf_get(cnf, state->algorithms, "default_properties");
	state->random_query = kc_cnf_get(cnf, state->random, "properties");
	state->is_only = has_word(state->query, "provider=kcrypto");
	state->is_preferred = state->is_only || has_word(state->query, "?provider=kcrypto");
	read_providers(state, cnf);
	read_engines(state, cnf);
	read_tls(state, cnf);
	ERR_clear_error();
}
