/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the contenders' configurations, and the library contexts that load them. */
#include "cli/bench/field.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <openssl/provider.h>

static const char configuration[] =
	"openssl_conf = init\n[init]\nproviders = providers\n[providers]\n"
	"default = default_section\nlegacy = legacy_section\nkcrypto = kcrypto_section\n"
	"[default_section]\nactivate = 1\n[legacy_section]\nactivate = 1\n"
	"[kcrypto_section]\nactivate = 1\ntune_file = none\nsoft_drivers = 1\nbackends = %s\n"
	"ciphers = %s:0\ndigests = %s:0\nmacs = %s:0\nseccomp = %s\n";

static const char *module_file = "";

/* A line of a section that stands at its end, too: sections of one name are one. */
static const char named_driver[] = "[kcrypto_section]\ndriver.%s = %s\n[default]\n";
static const char named_module[] = "[kcrypto_section]\nmodule = %s\n[default]\n";

void kc_field_set_module(const char *module)
{
	module_file = strchr(module, '/') ? module : "";
}

/*
 * Sends every request to this backend, whatever its driver: this shows what the kernel can do, and
 * not what pays.
 */
static int write_configuration(int fd, const struct kc_alg *alg, const char *backend,
			       const char *driver, bool trusts_seccomp)
{
	const char *list[KC_KIND_COUNT] = { "NONE", "NONE", "NONE", "NONE" };
	char name[KC_ALG_NAME_SIZE];

	list[alg->kind] = kc_alg_name(alg, name, sizeof(name));
	if (*driver && dprintf(fd, named_driver, name, driver) < 0)
		return 0;
	if (*module_file && dprintf(fd, named_module, module_file) < 0)
		return 0;
	return dprintf(fd, configuration, backend,
		       alg->kind == KC_AEAD ? list[KC_AEAD] : list[KC_CIPHER], list[KC_DIGEST],
		       list[KC_MAC], trusts_seccomp ? "trust" : "avoid") > 0;
}

/* A library context of its own with that configuration; NULL if it can't be had. */
static OSSL_LIB_CTX *context_for(const struct kc_alg *alg, const char *backend, const char *driver,
				 bool trusts_seccomp)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	int fd = memfd_create("kcrypto-bench", MFD_CLOEXEC), ok;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ok = lib && fd >= 0 && write_configuration(fd, alg, backend, driver, trusts_seccomp) &&
	     OSSL_LIB_CTX_load_config(lib, path);
	if (fd >= 0)
		close(fd);
	if (ok)
		return lib;
	OSSL_LIB_CTX_free(lib);
	return NULL;
}

static OSSL_LIB_CTX *software_context(void)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();

	if (lib && OSSL_PROVIDER_load(lib, "default"))
		OSSL_PROVIDER_load(lib, "legacy");
	return lib;
}

static bool add(struct kc_field *f, OSSL_LIB_CTX *lib, const char *properties, const char *label)
{
	if (!lib || f->n == KC_MAX_CONTENDERS) {
		OSSL_LIB_CTX_free(lib);
		return false;
	}
	f->contender[f->n++] = (struct kc_contender){ label, lib, properties };
	return true;
}

bool kc_field_add_software(struct kc_field *field)
{
	return add(field, software_context(), "provider!=kcrypto", "software");
}

bool kc_field_add_backend(struct kc_field *field, const struct kc_alg *alg, const char *backend,
			  const char *driver)
{
	return add(field, context_for(alg, backend, driver, field->trusts_seccomp),
		   "provider=kcrypto", backend);
}

bool kc_field_add_file(struct kc_field *field, const char *file)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();

	if (lib && !OSSL_LIB_CTX_load_config(lib, file)) {
		OSSL_LIB_CTX_free(lib);
		lib = NULL;
	}
	return add(field, lib, NULL, "as configured");
}

void kc_field_clear(struct kc_field *field)
{
	while (field->n)
		OSSL_LIB_CTX_free(field->contender[--field->n].lib);
}
