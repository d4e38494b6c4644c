# SPDX-License-Identifier: Apache-2.0
SUMMARY = "OpenSSL provider for crypto accelerators known to the Linux kernel"
DESCRIPTION = "Sends large requests for ciphers, AEADs, digests and MACs to the kernel, \
               if the kernel has a driver for an accelerator that is faster than software."
HOMEPAGE = "@HOMEPAGE@"
BUGTRACKER = "@ISSUES@"
SECTION = "libs"
LICENSE = "Apache-2.0"
LIC_FILES_CHKSUM = "file://LICENSE;md5=@LICENSE_MD5@"
DEPENDS = "openssl"

SRC_URI = "\
    @SITE@/${BP}.tar.xz \
    file://kcrypto.cnf \
    file://run-ptest \
"
SRC_URI[sha256sum] = "none"

inherit meson pkgconfig ptest systemd

CVE_PRODUCT = "kcrypto"
# Measures the machine after boot; the administrator or the image turns it on.
SYSTEMD_PACKAGES = "${@bb.utils.contains('PACKAGECONFIG', 'tool', '${PN}-tool', '', d)}"
SYSTEMD_SERVICE:${PN}-tool = "kcrypto-tune.timer kcrypto-tune.service"
SYSTEMD_AUTO_ENABLE = "disable"

PACKAGECONFIG ??= "tool"
PACKAGECONFIG[report] = "-Dreport=true,-Dreport=false,,python3-core python3-jinja2 python3-matplotlib"
PACKAGECONFIG[tool] = "-Dtool=enabled,-Dtool=disabled,json-c"

EXTRA_OEMESON = "\
    -Dtests=false \
    -Dmodules_dir=${libdir}/ossl-modules \
    -Dengines_dir=${libdir}/engines-3 \
    -Dsystemd_unit_dir=${systemd_system_unitdir} \
"

do_install:append() {
    install -D -m 0644 ${UNPACKDIR}/kcrypto.cnf ${D}${sysconfdir}/ssl/openssl.cnf.d/kcrypto.cnf
    sed -i 's,@libdir@,${libdir},' ${D}${sysconfdir}/ssl/openssl.cnf.d/kcrypto.cnf
}

# The packages: the provider; its configuration, which turns it on as soon as it is installed; the command.
PACKAGES =+ "${PN}-conf ${PN}-engine ${PN}-report ${PN}-tool"

FILES:${PN} += "${libdir}/ossl-modules/kcrypto.so ${libdir}/ossl-modules/kcrypto.cnf \
                ${libdir}/ossl-modules/kcrypto-keys.so"
FILES:${PN}-conf += "${sysconfdir}/ssl/openssl.cnf.d/kcrypto.cnf"
FILES:${PN}-engine += "${libdir}/engines-3/kcrypto-engine.so"
FILES:${PN}-report += "${bindir}/kcrypto-report ${datadir}/kcrypto/report"
FILES:${PN}-tool += "${bindir}/kcrypto \
                     ${datadir}/bash-completion/completions/kcrypto \
                     ${datadir}/fish/vendor_completions.d/kcrypto.fish \
                     ${datadir}/zsh/site-functions/_kcrypto"
CONFFILES:${PN}-conf = "${sysconfdir}/ssl/openssl.cnf.d/kcrypto.cnf"

RDEPENDS:${PN}-conf = "${PN}"
RDEPENDS:${PN}-ptest += "${PN}-conf openssl-bin"
RRECOMMENDS:${PN} = "\
    kernel-module-af-alg \
    kernel-module-algif-aead \
    kernel-module-algif-hash \
    kernel-module-algif-skcipher \
    kernel-module-kcrypto \
"

# kcrypto bench --tls loads libssl, and measures kTLS as well.
RSUGGESTS:${PN}-tool = "libssl kernel-module-tls"

BBCLASSEXTEND = "native nativesdk"
