# SPDX-License-Identifier: Apache-2.0
"""What a test's second argument, the machine, says of the kernel:
  uml     AF_ALG with software drivers only
  qemu    virtio-crypto, one driver for AES-CBC
  native  whatever there is
"""

import sys

MACHINE = sys.argv[2]

# Virtio is hardware; elsewhere the kernel's software has to do.
ADMIT = () if MACHINE == "qemu" else ("soft_drivers = 1",)


def only(*machines):
    """A test of these machines; on others it does not exist, so that nothing looks skipped."""
    return lambda test: test if MACHINE in machines else None
