"""Runs the firn program and reads its JSON rows."""

import json
import os
import subprocess
import tempfile


class FirnError(Exception):
    """The program ended with an exit code other than 0."""

    def __init__(self, arguments, code, text):
        super().__init__(f"firn {' '.join(arguments)}: exit {code}: {text.strip()}")
        self.code = code
        self.text = text


class Firn:
    """One firn program with fixed settings, run in an empty folder."""

    def __init__(self, program, settings=()):
        self.program = os.path.abspath(program)
        self.settings = list(settings)
        self.folder = tempfile.mkdtemp(prefix="firn-golden-")

    def start(self, *arguments):
        """A process that runs one command; its standard output and error are pipes of text."""
        command = [self.program, *arguments]
        for setting in self.settings:
            command += ["--conf", setting]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}
        environment["HOME"] = self.folder
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
        )

    def run(self, *arguments):
        """Standard output of one command. Raises FirnError."""
        with self.start(*arguments) as process:
            try:
                output, errors = process.communicate(timeout=300)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        if process.returncode != 0:
            raise FirnError(arguments, process.returncode, errors)
        return output

    def rows(self, *arguments):
        """Rows of one command as dictionaries."""
        text = self.run(*arguments, "--output", "json")
        return [json.loads(line) for line in text.split("\n") if line]

    def count(self, table, *arguments):
        return self.rows("count", table, *arguments)[0]["count"]
