#!/usr/bin/env python3
"""firn, Spark and PyIceberg in turn on the same SQL catalogs: SQLite and PostgreSQL, schema V0 and V1.

usage: three_engines_test.py FIRN
"""

import concurrent.futures
import itertools
import logging
import re
import shutil
import sqlite3
import sys
import tempfile
import unittest

import psycopg2
import pyarrow
import spark_engine
from firn_program import Firn, FirnError
from postgres_server import PostgresServer
from py4j.protocol import Py4JJavaError
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import NoSuchTableError
from pyspark.errors import PySparkException

ROWS = [{"id": 1, "name": "a"}, {"id": 2, "name": None}, {"id": 3, "name": "größe"}]


class ThreeEngines:
    """One new catalog for each test; the subclasses say where."""

    numbers = itertools.count(1)
    spark = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn-interop-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.warehouse = self.folder + "/warehouse"
        self.name = f"lake{next(self.numbers)}"
        self.make_database()
        self.firn_program = self.open_firn(self.version)
        for key, value in spark_engine.catalog_settings(
                self.name, type="jdbc", uri="jdbc:" + self.jdbc_uri(), warehouse=self.warehouse,
        ).items():
            self.spark.conf.set(key, value)
        self.spark.conf.set(f"spark.sql.catalog.{self.name}.jdbc.schema-version", self.version)
        if "postgresql" in self.uri():
            self.spark.conf.set(f"spark.sql.catalog.{self.name}.jdbc.user", "iceberg")
        self.python_catalog = None

    def open_firn(self, schema_version):
        settings = {"type": "sql", "uri": self.uri(), "warehouse": "file://" + self.warehouse,
                    "jdbc.schema-version": schema_version}
        return Firn(sys.argv[1], [
            "default-catalog=" + self.name,
            *(f"catalog.{self.name}.{key}={value}" for key, value in settings.items())])

    def tearDown(self):
        if self.python_catalog is not None:
            self.python_catalog.close()

    # PyIceberg makes the tables of a new catalog in schema V1: it never comes first here.
    @property
    def python(self):
        if self.python_catalog is None:
            self.python_catalog = SqlCatalog(
                self.name, uri=self.uri().replace("postgresql:", "postgresql+psycopg2:"),
                warehouse="file://" + self.warehouse)
        return self.python_catalog

    def firn(self, *words):
        return self.firn_program.rows(*words)

    def assert_firn_fails(self, code, text, *words):
        with self.assertRaises(FirnError) as caught:
            self.firn(*words)
        self.assertEqual(caught.exception.code, code, caught.exception.text)
        self.assertIn(text, caught.exception.text)

    def sql(self, text):
        """Rows of a statement in which `@` stands for the catalog."""
        return [row.asDict() for row in self.spark.sql(text.replace("@", self.name)).collect()]

    def firn_properties(self, *words):
        described, = self.firn(*words)
        return {entry["key"]: entry["value"] for entry in described["properties"]}

    def spark_namespaces(self, parent=None):
        where = f"@.{parent}" if parent else "@"
        return sorted(row["namespace"] for row in self.sql(f"SHOW NAMESPACES IN {where}"))

    def spark_namespace_properties(self, name):
        rows = self.sql(f"DESCRIBE NAMESPACE EXTENDED @.{name}")
        text, = [row["info_value"] for row in rows if row["info_name"] == "Properties"] or [""]
        return dict(re.findall(r"\((\w+),([^)]*)\)", text))

    def assert_namespaces(self, *expected):
        expected = sorted(expected)
        self.assertEqual([row["namespace"] for row in self.firn("namespace", "list")], expected)
        self.assertEqual(self.spark_namespaces(), expected)
        self.assertEqual(sorted(".".join(name) for name in self.python.list_namespaces()), expected)

    def assert_tables(self, namespace, *expected):
        expected = sorted(expected)
        self.assertEqual([row["table"] for row in self.firn("table", "list", namespace)], expected)
        self.assertEqual(
            sorted(row["tableName"] for row in self.sql(f"SHOW TABLES IN @.{namespace}")), expected)
        self.assertEqual(sorted(name[-1] for name in self.python.list_tables(namespace)), expected)

    def assert_rows(self, table, expected):
        def ordered(rows):
            return sorted(({name: row[name] for name in ("id", "name")} for row in rows),
                          key=lambda row: row["id"])
        self.assertEqual(ordered(self.firn("read", table)), expected)
        self.assertEqual(ordered(self.sql(f"SELECT * FROM @.{table}")), expected)
        self.assertEqual(ordered(self.python.load_table(table).scan().to_arrow().to_pylist()),
                         expected)

    def make_table(self, name="db.t"):
        self.sql("CREATE NAMESPACE IF NOT EXISTS @.db")
        self.sql(f"CREATE TABLE @.{name} (id bigint, name string) USING iceberg")
        for row in ROWS:
            text = "null" if row["name"] is None else f"'{row['name']}'"
            self.sql(f"INSERT INTO @.{name} VALUES ({row['id']}, {text})")

    def test_the_schema_of_the_database_is_the_one_that_was_asked_for(self):
        self.firn("namespace", "create", "first")
        self.assert_namespaces("first")
        self.make_table()
        self.assertEqual("iceberg_type" in self.database_columns(), self.version == "V1")

    def test_namespaces(self):
        self.sql("CREATE NAMESPACE @.spark WITH DBPROPERTIES ('team' = 'ann', 'note' = 'x y')")
        self.firn("namespace", "create", "firn", "--property", "team=bob")
        self.python.create_namespace("python", {"team": "cid"})
        self.assert_namespaces("firn", "python", "spark")

        for name, team in (("spark", "ann"), ("firn", "bob"), ("python", "cid")):
            self.assertEqual(self.firn_properties("namespace", "describe", name)["team"], team)
            self.assertEqual(self.python.load_namespace_properties(name)["team"], team)
            self.assertEqual(self.spark_namespace_properties(name)["team"], team)

        self.firn("namespace", "set", "spark", "more=firn")
        self.firn("namespace", "unset", "spark", "note")
        self.assertEqual(self.spark_namespace_properties("spark").get("more"), "firn")
        self.assertNotIn("note", self.spark_namespace_properties("spark"))
        self.sql("ALTER NAMESPACE @.firn SET DBPROPERTIES ('more' = 'spark')")
        self.assertEqual(self.firn_properties("namespace", "describe", "firn"),
                         {"more": "spark", "team": "bob"})
        self.sql("ALTER NAMESPACE @.firn UNSET DBPROPERTIES ('more')")
        self.assertEqual(self.firn_properties("namespace", "describe", "firn"), {"team": "bob"})

        self.firn("namespace", "create", "spark.inner")
        self.sql("CREATE NAMESPACE @.firn.deep.er")
        self.assertEqual(self.spark_namespaces("spark"), ["spark.inner"])
        self.assertEqual(self.firn("namespace", "list", "firn"), [{"namespace": "firn.deep"}])
        self.assertEqual(self.firn("namespace", "list", "firn.deep"),
                         [{"namespace": "firn.deep.er"}])
        self.assertEqual(self.spark_namespaces("firn.deep"), ["firn.deep.er"])

        self.sql("DROP NAMESPACE @.spark.inner")
        self.firn("namespace", "drop", "firn.deep.er")
        self.firn("namespace", "drop", "spark")
        self.sql("DROP NAMESPACE @.python")
        self.python.drop_namespace("firn")
        self.assert_namespaces()

    def test_rows_of_each_are_read_by_the_others(self):
        self.make_table()
        self.assert_rows("db.t", ROWS)
        self.assertEqual(self.firn("count", "db.t"), [{"count": 3}])
        more = [{"id": 4, "name": "p"}, {"id": 5, "name": ""}]
        self.python.load_table("db.t").append(pyarrow.Table.from_pylist(
            more, pyarrow.schema([("id", pyarrow.int64()), ("name", pyarrow.string())])))
        self.assert_rows("db.t", ROWS + more)
        self.sql("DELETE FROM @.db.t WHERE id = 2")
        rows = [row for row in ROWS + more if row["id"] != 2]
        self.assert_rows("db.t", rows)
        result, = self.firn("rewrite-data-files", "db.t", "--option", "min-input-files=2")
        self.assertEqual(result["added_data_files_count"], 1)
        self.assert_rows("db.t", rows)
        self.sql("INSERT INTO @.db.t VALUES (6, 'after')")
        self.python.load_table("db.t").delete("id = 1")
        self.assert_rows("db.t", rows[1:] + [{"id": 6, "name": "after"}])
        result, = self.firn(
            "call", f"CALL {self.name}.system.rewrite_data_files(table => 'db.t', "
            "options => map('rewrite-all', 'true'))")
        self.assertEqual(result["added_data_files_count"], 1)
        self.assert_rows("db.t", rows[1:] + [{"id": 6, "name": "after"}])

    def test_nothing_is_lost_when_spark_writes_while_firn_compacts(self):
        self.make_table()
        self.sql("ALTER TABLE @.db.t SET TBLPROPERTIES ('commit.retry.num-retries' = '50')")
        rows = [{"id": i, "name": "x"} for i in range(10, 16)]
        compacted = 0
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            writing = pool.submit(lambda: [
                self.sql(f"INSERT INTO @.db.t VALUES ({row['id']}, 'x')") for row in rows])
            while not writing.done():
                try:
                    result, = self.firn(
                        "rewrite-data-files", "db.t", "--option", "min-input-files=2")
                    compacted += result["added_data_files_count"]
                except FirnError as error:
                    self.assertEqual(error.code, 9, error.text)  # commit-conflict
            writing.result()
        self.assertGreater(compacted, 0)
        self.assert_rows("db.t", ROWS + rows)
        self.firn("rewrite-data-files", "db.t", "--option", "rewrite-all=true")
        self.assert_rows("db.t", ROWS + rows)

    def test_renames_drops_and_registrations(self):
        self.make_table()
        self.firn("namespace", "create", "other")
        self.firn("table", "rename", "db.t", "other.by_firn")
        self.assert_rows("other.by_firn", ROWS)
        self.assert_tables("db")
        self.sql("ALTER TABLE @.other.by_firn RENAME TO db.by_spark")
        self.assert_rows("db.by_spark", ROWS)
        self.assert_tables("other")
        self.python.rename_table("db.by_spark", "db.by_python")
        self.assert_rows("db.by_python", ROWS)
        self.assert_tables("db", "by_python")

        described, = self.firn("table", "describe", "db.by_python")
        location = described["metadata_location"]
        self.sql("DROP TABLE @.db.by_python")
        self.assert_tables("db")
        self.assert_firn_fails(3, "db.by_python", "count", "db.by_python")
        self.firn("table", "register", "db.firn", location)
        self.sql(f"CALL @.system.register_table('db.spark', '{location}')")
        self.python.register_table("db.python", location)
        self.assert_tables("db", "firn", "python", "spark")
        for table in ("db.firn", "db.spark", "db.python"):
            self.assert_rows(table, ROWS)

        self.assert_firn_fails(3, "already-exists", "table", "register", "db.spark", location)
        with self.assertRaises(Py4JJavaError):
            self.sql(f"CALL @.system.register_table('db.firn', '{location}')")
        self.assert_firn_fails(2, "not empty", "namespace", "drop", "db")
        with self.assertRaises(Py4JJavaError):
            self.sql("DROP NAMESPACE @.db")

        self.firn("table", "drop", "db.spark")
        with self.assertRaises(PySparkException):
            self.sql("SELECT * FROM @.db.spark")
        self.sql("DROP TABLE @.db.firn")
        self.firn("table", "drop", "db.python")
        with self.assertRaises(NoSuchTableError):
            self.python.load_table("db.python")
        self.assert_tables("db")

    def test_table_properties_in_turn(self):
        self.make_table()
        for i in range(3):
            self.firn("table", "set", "db.t", f"firn{i}=1", "last=firn")
            self.assertEqual(self.spark_table_properties()["last"], "firn")
            self.sql(f"ALTER TABLE @.db.t SET TBLPROPERTIES ('spark{i}' = '1', 'last' = 'spark')")
            with self.python.load_table("db.t").transaction() as transaction:
                self.assertEqual(transaction.table_metadata.properties["last"], "spark")
                transaction.set_properties({f"python{i}": "1", "last": "python"})
            self.assertEqual(self.firn_properties("table", "describe", "db.t")["last"], "python")
        self.firn("table", "unset", "db.t", "last", "spark0")
        self.sql("ALTER TABLE @.db.t UNSET TBLPROPERTIES ('firn0')")
        properties = self.firn_properties("table", "describe", "db.t")
        for missing in ("last", "spark0", "firn0"):
            self.assertNotIn(missing, properties)
        for kept in ("firn1", "firn2", "spark1", "spark2", "python0", "python1", "python2"):
            self.assertEqual(properties[kept], "1")
        self.assertEqual(
            {key: value for key, value in self.spark_table_properties().items()
             if key[-1] in "012"},
            {key: value for key, value in properties.items() if key[-1] in "012"})
        self.assert_rows("db.t", ROWS)

    def spark_table_properties(self):
        return {row["key"]: row["value"] for row in self.sql("SHOW TBLPROPERTIES @.db.t")}


class V0:
    """Schema version 0 does not know views."""

    version = "V0"

    def test_firn_raises_the_schema_to_version_1_if_asked(self):
        self.make_table()
        for raised in (False, True):
            self.assertEqual("iceberg_type" in self.database_columns(), raised)
            self.assert_rows("db.t", ROWS)
            self.firn("table", "rename", "db.t", "db.u")
            self.assert_tables("db", "u")
            self.sql("ALTER TABLE @.db.u RENAME TO db.t")
            self.assert_tables("db", "t")
            self.open_firn("V1").run("table", "set", "db.t", "raised=yes")
            self.python_catalog.close()
            self.python_catalog = None


class V1:
    version = "V1"

    def test_views_are_not_tables(self):
        self.make_table()
        self.sql("CREATE VIEW @.db.v AS SELECT id FROM @.db.t")
        self.assertEqual([row["table"] for row in self.firn("table", "list", "db")], ["t"])
        self.assert_firn_fails(3, "db.v", "count", "db.v")
        self.assert_firn_fails(3, "db.v", "table", "drop", "db.v")
        self.firn("table", "drop", "db.t")
        self.assert_firn_fails(2, "not empty", "namespace", "drop", "db")
        self.assertEqual([row["viewName"] for row in self.sql("SHOW VIEWS IN @.db")], ["v"])
        self.sql("DROP VIEW @.db.v")
        self.firn("namespace", "drop", "db")
        self.assert_namespaces()


class Sqlite(ThreeEngines):
    def make_database(self):
        pass  # The first engine makes the file.

    def uri(self):
        return f"sqlite:///{self.folder}/catalog.db"

    def jdbc_uri(self):
        return f"sqlite:{self.folder}/catalog.db"

    def database_columns(self):
        database = sqlite3.connect(f"{self.folder}/catalog.db")
        self.addCleanup(database.close)
        return [row[1] for row in database.execute("PRAGMA table_info(iceberg_tables)")]


class Postgres(ThreeEngines):
    """A server for each class, a database for each test."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(PostgresServer())

    def make_database(self):
        database = psycopg2.connect(self.server.uri())
        database.autocommit = True
        database.cursor().execute(f"CREATE DATABASE {self.name}")
        database.close()

    def uri(self):
        return f"postgresql://iceberg@127.0.0.1:{self.server.port}/{self.name}"

    def jdbc_uri(self):
        return f"postgresql://127.0.0.1:{self.server.port}/{self.name}"

    def database_columns(self):
        database = psycopg2.connect(self.uri())
        self.addCleanup(database.close)
        with database.cursor() as cursor:
            cursor.execute("SELECT column_name FROM information_schema.columns "
                           "WHERE table_name = 'iceberg_tables'")
            return [row[0] for row in cursor.fetchall()]


class SqliteV0Test(V0, Sqlite, unittest.TestCase):
    pass


class SqliteV1Test(V1, Sqlite, unittest.TestCase):
    pass


class PostgresV0Test(V0, Postgres, unittest.TestCase):
    pass


class PostgresV1Test(V1, Postgres, unittest.TestCase):
    pass


def main():
    logging.getLogger("pyiceberg").setLevel(logging.ERROR)  # It remarks on schema V0.
    ThreeEngines.spark = spark_engine.open_spark({})
    try:
        unittest.main(argv=sys.argv[:1], verbosity=2, warnings="ignore")
    finally:
        ThreeEngines.spark.stop()


if __name__ == "__main__":
    main()
