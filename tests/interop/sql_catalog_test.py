"""The same SQL catalog used by firn and PyIceberg in turn, on SQLite and on PostgreSQL.

usage: sql_catalog_test.py FIRN
"""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.exceptions import NamespaceNotEmptyError
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.exceptions import TableAlreadyExistsError
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from postgres_server import PostgresServer

FIRN = pathlib.Path()
SCHEMA = Schema(NestedField(1, "id", LongType(), required=False),
                NestedField(2, "name", StringType(), required=False))


class SharedCatalog:
    """What every test of a shared catalog does; the subclasses say where the catalog is."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="firn-interop-")
        self.warehouse = self.folder.name + "/warehouse"
        pathlib.Path(self.warehouse).mkdir()
        self.name, self.uri = self.address()
        self.python = self.open_python()

    def tearDown(self):
        self.python.close()
        self.folder.cleanup()

    def open_python(self):
        return SqlCatalog(self.name, uri=self.python_uri(), warehouse="file://" + self.warehouse)

    def python_uri(self):
        return self.uri

    def firn(self, *words, error=None):
        """Rows of a command; with `error`, check that it fails with that text."""
        result = subprocess.run(
            [FIRN, "--output", "json", "--catalog", self.name,
             "--conf", f"catalog.{self.name}.type=sql",
             "--conf", f"catalog.{self.name}.uri={self.uri}",
             "--conf", f"catalog.{self.name}.warehouse=file://{self.warehouse}", *words],
            capture_output=True, text=True, cwd=self.folder.name, check=False)
        if error is not None:
            self.assertNotEqual(result.returncode, 0, result.stdout)
            self.assertIn(error, result.stderr)
            return []
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def firn_properties(self, table):
        description, = self.firn("table", "describe", table)
        return {entry["key"]: entry["value"] for entry in description["properties"]}

    def firn_tables(self):
        return sorted(f"{row['namespace']}.{row['table']}" for row in self.firn("table", "list"))

    def test_namespaces_are_the_same_for_both(self):
        self.firn("namespace", "create", "made_by_firn", "--property", "owner=ann")
        self.firn("namespace", "create", "made_by_firn.inner")
        self.python.create_namespace("made_by_python", {"owner": "bob", "größe": "日本"})
        self.python.create_namespace("bare")

        self.assertEqual(sorted(self.python.list_namespaces()),
                         [("bare",), ("made_by_firn",), ("made_by_python",)])
        self.assertEqual(self.python.list_namespaces("made_by_firn"), [("made_by_firn", "inner")])
        self.assertEqual([row["namespace"] for row in self.firn("namespace", "list")],
                         ["bare", "made_by_firn", "made_by_python"])

        self.assertEqual(self.python.load_namespace_properties("made_by_firn")["owner"], "ann")
        described, = self.firn("namespace", "describe", "made_by_python")
        self.assertEqual(described["properties"], [{"key": "größe", "value": "日本"},
                                                   {"key": "owner", "value": "bob"}])
        described, = self.firn("namespace", "describe", "bare")
        self.assertEqual(described["properties"], [])

        self.firn("namespace", "set", "made_by_python", "owner=cid", "new=1")
        self.firn("namespace", "unset", "made_by_python", "größe")
        self.assertEqual(self.python.load_namespace_properties("made_by_python"),
                         {"owner": "cid", "new": "1", "exists": "true"})
        self.python.update_namespace_properties("made_by_firn", {"owner"}, {"more": "2"})
        described, = self.firn("namespace", "describe", "made_by_firn")
        self.assertEqual(described["properties"], [{"key": "more", "value": "2"}])

        self.python.drop_namespace("made_by_firn.inner")
        self.python.drop_namespace("made_by_firn")
        self.firn("namespace", "drop", "made_by_python")
        self.assertEqual(self.python.list_namespaces(), [("bare",)])

    def test_tables_of_either_are_seen_by_the_other(self):
        self.firn("namespace", "create", "db")
        table = self.python.create_table("db.t", SCHEMA, properties={"owner": "bob"})
        described, = self.firn("table", "describe", "db.t")
        self.assertEqual(described["uuid"], str(table.metadata.table_uuid))
        self.assertEqual(described["metadata_location"], table.metadata_location)
        self.assertEqual([column["name"] for column in described["schema"]], ["id", "name"])
        self.assertEqual(self.firn("count", "db.t"), [{"count": 0}])
        self.firn("namespace", "drop", "db", error="it holds 't'")
        with self.assertRaises(NamespaceNotEmptyError):
            self.python.drop_namespace("db")

    def test_properties_are_set_in_turn(self):
        self.firn("namespace", "create", "db")
        table = self.python.create_table("db.t", SCHEMA)
        for i in range(4):
            self.firn("table", "set", "db.t", f"firn{i}={i}", "last=firn")
            table = self.python.load_table("db.t")
            self.assertEqual(table.properties["last"], "firn")
            with table.transaction() as transaction:
                transaction.set_properties({f"python{i}": str(i), "last": "python"})
            self.assertEqual(self.firn_properties("db.t")["last"], "python")
        self.firn("table", "unset", "db.t", "last")
        properties = self.python.load_table("db.t").properties
        self.assertNotIn("last", properties)
        for i in range(4):
            self.assertEqual(properties[f"firn{i}"], str(i))
            self.assertEqual(properties[f"python{i}"], str(i))
        # Each of the nine commits but the last is in the log, by name and in order.
        log = [entry.metadata_file for entry in self.python.load_table("db.t").metadata.metadata_log]
        self.assertEqual([pathlib.Path(file).name[:5] for file in log],
                         [f"{i:05}" for i in range(9)])

    def test_a_stale_writer_keeps_what_firn_committed_meanwhile(self):
        self.firn("namespace", "create", "db")
        stale = self.python.create_table("db.t", SCHEMA)
        self.firn("table", "set", "db.t", "firn=1")
        with stale.transaction() as transaction:
            transaction.set_properties({"python": "1"})
        self.firn("table", "set", "db.t", "firn=2")
        properties = self.python.load_table("db.t").properties
        self.assertEqual((properties["firn"], properties["python"]), ("2", "1"))

    def test_tables_are_renamed_dropped_and_registered_by_either(self):
        self.firn("namespace", "create", "db")
        self.firn("namespace", "create", "other")
        uuid = self.python.create_table("db.t", SCHEMA).metadata.table_uuid

        self.firn("table", "rename", "db.t", "other.by_firn")
        self.assertEqual(self.python.load_table("other.by_firn").metadata.table_uuid, uuid)
        with self.assertRaises(NoSuchTableError):
            self.python.load_table("db.t")
        self.python.rename_table("other.by_firn", "db.by_python")
        self.assertEqual(self.firn_tables(), ["db.by_python"])

        location = self.python.load_table("db.by_python").metadata_location
        self.firn("table", "drop", "db.by_python")
        self.assertEqual(self.python.list_tables("db"), [])
        self.python.register_table("db.again", location)
        described, = self.firn("table", "describe", "db.again")
        self.assertEqual(described["uuid"], str(uuid))
        self.python.drop_table("db.again")
        self.firn("table", "describe", "db.again", error="not-found")
        self.firn("table", "register", "db.`last.one`", location)
        self.assertEqual(self.python.load_table(("db", "last.one")).metadata.table_uuid, uuid)
        with self.assertRaises(TableAlreadyExistsError):
            self.python.create_table(("db", "last.one"), SCHEMA)
        self.firn("table", "register", "db.`last.one`", location, error="already-exists")

    def test_no_commit_of_many_processes_is_lost(self):
        """B71: four processes of firn and four writers of PyIceberg at the same time."""
        commits = 6
        self.firn("namespace", "create", "db")
        self.python.create_table("db.t", SCHEMA)

        def run_firn(writer):
            for i in range(commits):
                while True:
                    result = subprocess.run(
                        [FIRN, "--catalog", self.name,
                         "--conf", f"catalog.{self.name}.type=sql",
                         "--conf", f"catalog.{self.name}.uri={self.uri}",
                         "table", "set", "db.t", f"firn{writer}-{i}=done"],
                        capture_output=True, text=True, check=False, cwd=self.folder.name)
                    if result.returncode == 0:
                        break
                    self.assertEqual(result.returncode, 9, result.stderr)  # commit-conflict

        def run_python(writer):
            catalog = self.open_python()
            for i in range(commits):
                while True:
                    try:
                        with catalog.load_table("db.t").transaction() as transaction:
                            transaction.set_properties({f"python{writer}-{i}": "done"})
                        break
                    except CommitFailedException:
                        continue
            catalog.close()

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for job in ([pool.submit(run_firn, writer) for writer in range(4)] +
                        [pool.submit(run_python, writer) for writer in range(4)]):
                job.result()
        properties = self.firn_properties("db.t")
        expected = [f"{engine}{writer}-{i}" for engine in ("firn", "python")
                    for writer in range(4) for i in range(commits)]
        self.assertEqual([key for key in expected if properties.get(key) != "done"], [])


class SqliteTest(SharedCatalog, unittest.TestCase):
    def address(self):
        return "lake", f"sqlite:///{self.folder.name}/catalog.db"


class PostgresTest(SharedCatalog, unittest.TestCase):
    count = 0

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(PostgresServer())

    def address(self):
        # One database; each test has a catalog of its own in it.
        PostgresTest.count += 1
        return f"lake{PostgresTest.count}", self.server.uri()

    def python_uri(self):
        return self.uri.replace("postgresql://", "postgresql+psycopg2://")


if __name__ == "__main__":
    FIRN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
