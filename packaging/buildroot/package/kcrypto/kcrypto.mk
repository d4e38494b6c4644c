################################################################################
#
# kcrypto
#
################################################################################

KCRYPTO_VERSION = @VERSION@
KCRYPTO_SOURCE = kcrypto-$(KCRYPTO_VERSION).tar.xz
KCRYPTO_SITE = @SITE@
KCRYPTO_LICENSE = Apache-2.0, GPL-2.0-only (kernel module)
KCRYPTO_LICENSE_FILES = LICENSE kernel/LICENSE
KCRYPTO_DEPENDENCIES = host-pkgconf openssl

KCRYPTO_CONF_OPTS = \
	-Dmodules_dir=/usr/lib/ossl-modules \
	-Dengines_dir=/usr/lib/engines-3 \
	-Dreport=false \
	-Dtests=false

ifeq ($(BR2_PACKAGE_KCRYPTO_TOOL),y)
KCRYPTO_CONF_OPTS += -Dtool=enabled
KCRYPTO_DEPENDENCIES += json-c
else
KCRYPTO_CONF_OPTS += -Dtool=disabled
endif

ifeq ($(BR2_INIT_SYSTEMD),y)
KCRYPTO_CONF_OPTS += -Dsystemd_unit_dir=/usr/lib/systemd/system
else
KCRYPTO_CONF_OPTS += -Dsystemd_unit_dir=none
endif

ifeq ($(BR2_PACKAGE_KCRYPTO_MODULE),y)
KCRYPTO_MODULE_SUBDIRS = kernel

# Who may open the device.
define KCRYPTO_USERS
	- -1 kcrypto -1 - - - - /dev/kcrypto
endef

define KCRYPTO_INSTALL_RULE
	$(INSTALL) -D -m 644 $(@D)/kernel/60-kcrypto.rules \
		$(TARGET_DIR)/usr/lib/udev/rules.d/60-kcrypto.rules
endef
KCRYPTO_POST_INSTALL_TARGET_HOOKS += KCRYPTO_INSTALL_RULE

$(eval $(kernel-module))
endif

$(eval $(meson-package))
