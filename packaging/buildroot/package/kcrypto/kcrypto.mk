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

# Members of this group may open /dev/kcrypto.
define KCRYPTO_USERS
	- -1 kcrypto -1 - - - - /dev/kcrypto
endef

define KCRYPTO_INSTALL_RULE
	$(INSTALL) -D -m 644 $(@D)/kernel/60-kcrypto.rules \
		$(TARGET_DIR)/usr/lib/udev/rules.d/60-kcrypto.rules
	$(INSTALL) -D -m 644 $(@D)/kernel/kcrypto.conf \
		$(TARGET_DIR)/etc/modules-load.d/kcrypto.conf
endef
KCRYPTO_POST_INSTALL_TARGET_HOOKS += KCRYPTO_INSTALL_RULE

# The options of Linux that the module needs, and the drivers of accelerators.
define KCRYPTO_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_HW)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_CBC)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_GCM)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_SHA256)
endef

# mdev has one file for all devices.
ifeq ($(BR2_ROOTFS_DEVICE_CREATION_DYNAMIC_MDEV),y)
define KCRYPTO_INSTALL_MDEV
	grep -q '^kcrypto ' $(TARGET_DIR)/etc/mdev.conf || \
		echo 'kcrypto root:kcrypto 0660' >>$(TARGET_DIR)/etc/mdev.conf
endef
KCRYPTO_TARGET_FINALIZE_HOOKS += KCRYPTO_INSTALL_MDEV
endif

$(eval $(kernel-module))
endif

$(eval $(meson-package))
