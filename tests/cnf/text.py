# SPDX-License-Identifier: Apache-2.0
"""The openssl.cnf of a program that a test or the demonstration runs: OpenSSL's default provider, and
kcrypto beside it. kcrypto's section is the last one, so that a test can append lines to it."""

HEAD = """openssl_conf = init
[init]
providers = providers
{algorithms}[providers]
default = default_section
kcrypto = kcrypto_section
[default_section]
activate = 1
[kcrypto_section]
activate = 1
"""

PREFERRED = """alg_section = algorithms
[algorithms]
default_properties = ?provider=kcrypto
"""


def openssl_cnf(*lines, is_preferred=True):
    """The text of openssl.cnf, with these lines in kcrypto's section. is_preferred: programs use kcrypto
    without asking for it."""
    return HEAD.format(algorithms=PREFERRED if is_preferred else "") + "".join(line + "\n" for line in lines)
