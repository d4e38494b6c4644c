# SPDX-License-Identifier: Apache-2.0
"""Configurations of servers and options of clients, for the tests that run them."""

SSH_CIPHERS = [f"aes{bits}-{mode}" for mode in ("cbc", "ctr") for bits in (128, 192, 256)]
SSHD = """Port 2222
ListenAddress 127.0.0.1
HostKey {dir}/host
AuthorizedKeysFile {dir}/user.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PidFile none
LogLevel DEBUG3
LoginGraceTime 0
Subsystem sftp internal-sftp
Ciphers {ciphers}
"""

# {main}: further lines, outside all braces.
NGINX = """{main}worker_processes 2;
error_log {dir}/log info;
pid {dir}/pid;
env KCRYPTO_STATS;
events {{ worker_connections 256; }}
http {{
    access_log off;
    keepalive_requests 1000;
    client_body_temp_path {dir}/body;
    proxy_temp_path {dir}/proxy;
    fastcgi_temp_path {dir}/fastcgi;
    uwsgi_temp_path {dir}/uwsgi;
    scgi_temp_path {dir}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {cert};
        ssl_certificate_key {cert};
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_ciphers ALL:@SECLEVEL=0;
        root {files};
    }}
}}
"""


def ssh_options(key, *ciphers):
    """Options of a client that has no configuration, and offers one cipher or the given ones."""
    said = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR",
            "BatchMode=yes", "IdentityFile=" + key, *("Ciphers=" + c for c in ciphers))
    return [word for option in said for word in ("-o", option)]
