# SPDX-License-Identifier: Apache-2.0
SUMMARY = "Kernel module of /dev/kcrypto: requests of programs to crypto accelerators"
DESCRIPTION = "Provides /dev/kcrypto, through which the OpenSSL provider kcrypto reaches crypto accelerators \
               on every kernel. From Linux 7.2 on, AF_ALG no longer does."
HOMEPAGE = "@HOMEPAGE@"
BUGTRACKER = "@ISSUES@"
SECTION = "kernel/modules"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://LICENSE;md5=@MODULE_LICENSE_MD5@"

SRC_URI = "@SITE@/kcrypto-${PV}.tar.xz"
SRC_URI[sha256sum] = "none"
S = "${UNPACKDIR}/kcrypto-${PV}/kernel"

inherit module useradd

CVE_PRODUCT = "kcrypto"
EXTRA_OEMAKE += "KDIR=${STAGING_KERNEL_BUILDDIR}"

do_install:append() {
    install -D -m 0644 ${S}/60-kcrypto.rules ${D}${nonarch_base_libdir}/udev/rules.d/60-kcrypto.rules
}

FILES:${PN} += "${nonarch_base_libdir}/udev/rules.d/60-kcrypto.rules"
KERNEL_MODULE_AUTOLOAD += "kcrypto"

# Members of the group kcrypto may open /dev/kcrypto.
USERADD_PACKAGES = "${PN}"
GROUPADD_PARAM:${PN} = "--system kcrypto"
