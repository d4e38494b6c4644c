# SPDX-License-Identifier: Apache-2.0
"""A test's second argument, the machine, describes the kernel:
  uml     AF_ALG with software drivers only
  qemu    virtio-crypto, one driver for AES-CBC
  module  like qemu, with kcrypto.ko, whose /dev/kcrypto is the backend in use
  cuse    like uml, with tests/cuse's device at /dev/crypto, which is the backend in use
  uml72   like uml, on Linux 7.2 or later, whose AF_ALG uses software whatever is asked for
  cuse72  like cuse, on the kernel of uml72
  native  this machine's own kernel, whatever it has
Without: host, where the stand-in plays it.
"""

import sys

# Every test of a machine also runs on the same machine with the newer kernel.
NAME = (sys.argv[2:] or ["host"])[0]
MACHINE = NAME.removesuffix("72")
HIDES_HARDWARE = MACHINE != NAME
BACKEND = {"cuse": "/dev/crypto", "module": "/dev/kcrypto"}.get(MACHINE, "AF_ALG")

# Virtio is hardware, and so is the device, as it says; elsewhere the kernel's software has to be
# allowed.
ADMIT = {"qemu": (), "module": (), "cuse": ("backends = devcrypto",)}.get(MACHINE, ("soft_drivers = 1",))


def only(*machines):
    """A test of these machines. It does not exist on others, so nothing looks skipped."""
    return lambda test: test if MACHINE in machines else None
