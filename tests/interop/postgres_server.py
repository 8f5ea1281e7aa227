"""A PostgreSQL server of one's own on loopback, for tests."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def programs():
    """The folder of the newest installed server's programs."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        raise RuntimeError("no PostgreSQL server is installed (Debian: postgresql)")
    return found[-1].parent


class PostgresServer:
    """Started on entry, stopped and removed on exit."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="firn-postgres-"))
        self.folder.chmod(0o777)
        # It refuses to run as root.
        as_user = []
        if os.geteuid() == 0:
            as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        data = str(self.folder / "data")
        subprocess.run(
            as_user + [str(programs() / "initdb"), "-D", data, "-U", "iceberg", "-A", "trust",
                       "-E", "UTF8", "--locale=C", "--no-sync"],
            check=True, stdout=subprocess.DEVNULL)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            as_user + [str(programs() / "postgres"), "-D", data, "-p", str(self.port),
                       "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
                       "-c", "fsync=off", "-c", "shared_buffers=32MB"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait()
        return self

    def wait(self):
        deadline = time.monotonic() + 60
        ready = [str(programs() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready, check=False).returncode != 0:
            if time.monotonic() > deadline:
                raise RuntimeError("the PostgreSQL server did not become ready")
            time.sleep(0.05)

    def uri(self):
        return f"postgresql://iceberg@127.0.0.1:{self.port}/postgres"

    def __exit__(self, *error):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
