# SPDX-License-Identifier: Apache-2.0
# The entry point: calls meson and scripts/, which do the work.
PREFIX ?= /usr/local
DESTDIR ?=

help:
	@echo 'make verdict    build, and say in five lines what this machine gains; installs nothing but build packages'
	@echo 'make demo       encrypt a real file with an unchanged program, without and with the accelerator (KERNEL=7.2)'
	@echo 'make check      all tests: on this host, under User-Mode Linux (6.1, 7.2), in QEMU with virtio-crypto'
	@echo 'make fuzz       fuzz parsers and operations: SECONDS= or MINUTES=, TARGETS='
	@echo 'make boards     real drivers of accelerators over emulated engines: BOARD=, KERNEL=7.2, ROUNDS=, PARTS='
	@echo 'make rounds     100,000 differential rounds of everything, under User-Mode Linux: ROUNDS='
	@echo 'make matrix     tests with other OpenSSLs, rare algorithms and on other machines: SUITES=, PARTS=, ROUNDS='
	@echo 'make kernels    Linux 5.10 to 7.3 with OpenSSL 1.1.1 to 4.0, one table: PAIRS=, ROUNDS='
	@echo 'make builds     musl, MIPS, other compilers, OpenSSL without parts: PARTS='
	@echo 'make vectors    published test vectors, fetched by name, computed by the kernel: STEPS='
	@echo 'make apps       nginx, OpenSSH, OpenVPN and others under kcrypto, in chroots: STEPS=, PROGRAMS=, MB='
	@echo 'make soak       nginx for an hour, with reloads, while kernel modules are loaded and unloaded: MINUTES='
	@echo 'make bench      the figures of the README, with their goals'
	@echo 'make report     a page of charts and advice from kcrypto bench on two emulated boards'
	@echo 'make install    PREFIX=/usr/local, DESTDIR; the module goes where OpenSSL looks for it'
	@echo 'make install-module  the kernel module of /dev/kcrypto, for the running kernel'
	@echo 'make dist       the release tarball, in build/dist'
	@echo 'make deb        Debian packages, in build/deb'
	@echo 'make deb-check  Debian packages: build twice, compare, install, use, remove, in clean chroots: SUITE='
	@echo 'make feeds      packages for OpenWrt, Yocto and Buildroot, in build/feeds: SITE='
	@echo 'make uninstall  remove what the last make install installed'

verdict demo check bench report dist deb:
	@scripts/$@

deb-check:
	@tests/debian/run $(SUITE)

feeds:
	@scripts/feeds $(SITE)

fuzz:
	@scripts/fuzz $(if $(SECONDS),--seconds $(SECONDS)) $(if $(MINUTES),--minutes $(MINUTES)) $(TARGETS)

matrix:
	@scripts/matrix $(SUITES)

kernels:
	@scripts/kernels $(PAIRS)

builds:
	@scripts/builds $(PARTS)

boards:
	@scripts/boards $(if $(KERNEL),--kernel $(KERNEL)) $(BOARD)

rounds:
	@scripts/rounds $(ROUNDS)

apps:
	@scripts/apps $(if $(MB),--mb $(MB)) $(STEPS) $(if $(PROGRAMS),-- $(PROGRAMS))

soak:
	@scripts/soak $(MINUTES)

vectors:
	@scripts/vectors $(STEPS)

install:
	@PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) scripts/install

install-module:
	@scripts/install-module

uninstall:
	@scripts/install --remove

clean:
	rm -rf build

.PHONY: help verdict demo check bench report dist deb deb-check feeds fuzz boards rounds matrix kernels builds vectors install install-module uninstall clean
