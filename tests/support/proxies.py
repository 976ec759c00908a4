"""Debian's proxies, started for tests before a web process on a port of 127.0.0.1."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.support.paths import ROOT

CADDYS_ROOT = "data/caddy/pki/authorities/local/root.crt"  # in Caddy's folder, the certificate of its own CA
PACKAGES = {"caddy": "caddy", "nginx": "nginx-light", "haproxy": "haproxy"}

NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{web};
            proxy_http_version 1.1;
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
        }}
    }}
}}
"""
HAPROXY = """
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend site
    bind 127.0.0.1:{port}
    option forwardfor
    http-request set-header X-Forwarded-Proto http
    default_backend web
backend web
    server web 127.0.0.1:{web}
"""


def check_installed(name: str) -> None:
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    assert found, f"{name} isn't installed: apt-get install {PACKAGES[name]}"


def start_caddy(folder: Path, *, http: int, https: int, web: int, names: int) -> "subprocess.Popen[bytes]":
    """The very Caddyfile that ships. `names`: the port of the name server that knows the web processes."""
    check_installed("caddy")
    environment = {
        **os.environ,
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "RUNGS_HOSTS": "localhost",
        "CADDY_HTTP_PORT": str(http),
        "CADDY_HTTPS_PORT": str(https),
        "CADDY_WEB_PORT": str(web),
        "CADDY_NAME_SERVER": f"udp/127.0.0.1:{names}",
    }
    command = ["caddy", "run", "--config", str(ROOT / "Caddyfile"), "--adapter", "caddyfile"]
    return _start("caddy", command, folder, environment)


def start_nginx(folder: Path, *, port: int, web: int) -> "subprocess.Popen[bytes]":
    check_installed("nginx")
    config = folder / "nginx.conf"
    config.write_text(NGINX.format(folder=folder, port=port, web=web))
    return _start("nginx", ["nginx", "-e", "stderr", "-c", str(config)], folder)


def start_haproxy(folder: Path, *, port: int, web: int) -> "subprocess.Popen[bytes]":
    check_installed("haproxy")
    config = folder / "haproxy.cfg"
    config.write_text(HAPROXY.format(port=port, web=web))
    return _start("haproxy", ["haproxy", "-db", "-f", str(config)], folder)


def _start(
    name: str, command: list[str], folder: Path, environment: dict[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    environment = environment or dict(os.environ)
    environment["PATH"] += ":/usr/sbin"
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log)
