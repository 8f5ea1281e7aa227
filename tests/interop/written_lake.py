"""One SQL catalog in SQLite that firn, Spark and PyIceberg share, and what they read there."""

import collections
import os
import shutil
import tempfile

import duckdb
import pyarrow.parquet
import spark_engine
import written_rows
from firn_program import Firn
from pyiceberg.catalog.sql import SqlCatalog
from spark_values import canonical


def comparable(rows, kinds):
    return sorted(
        (tuple((name, canonical(row[name], kind)) for name, kind in kinds) for row in rows),
        key=repr,
    )


def _without_null_lists(value):
    """PyIceberg reads a null list within a struct as an empty one, whoever wrote it."""
    if isinstance(value, dict) and "f" not in value and "hex" not in value:
        return {name: [] if item is None and name == "b" else _without_null_lists(item)
                for name, item in value.items()}
    return value


class Lake:
    """Namespace `db` of a new catalog; Spark calls the catalog `lake`."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="firn-interop-")
        self.warehouse = self.folder + "/warehouse"
        database = f"{self.folder}/catalog.db"
        self.firn = Firn(program, [
            "default-catalog=lake",
            "catalog.lake.type=sql",
            f"catalog.lake.uri=sqlite:///{database}",
            f"catalog.lake.warehouse=file://{self.warehouse}",
            "catalog.lake.jdbc.schema-version=V1",
        ])
        self.firn.run("namespace", "create", "db")
        self.spark = spark_engine.open_spark({
            **spark_engine.catalog_settings(
                "lake", type="jdbc", uri=f"jdbc:sqlite:{database}", warehouse=self.warehouse),
            "spark.sql.catalog.lake.jdbc.schema-version": "V1",
            "spark.sql.defaultCatalog": "lake",
        })
        self.python = SqlCatalog("lake", uri=f"sqlite:///{database}",
                                 warehouse="file://" + self.warehouse)

    def close(self):
        self.python.close()
        self.spark.stop()
        shutil.rmtree(self.folder)

    def sql(self, text):
        return [row.asDict(recursive=True) for row in self.spark.sql(text).collect()]

    def spark_rows(self, query):
        return spark_engine.collect(self.spark.sql(query))[1]

    def save(self, name, table):
        """A Parquet file outside the warehouse."""
        path = f"{self.folder}/{name}.parquet"
        pyarrow.parquet.write_table(table, path, row_group_size=500)
        return path

    def ingest(self, table, rows, *options):
        """Load Arrow rows with firn."""
        source = self.save("source", rows)
        result, = self.firn.rows("ingest", "parquet", source, "--into", table, *options)
        os.remove(source)
        return result

    def files(self, table, content=0):
        return [row["file_path"].removeprefix("file://")
                for row in self.firn.rows("inspect", table, "files") if row["content"] == content]

    def read(self, table, names, evolved=False):
        """Engine to the rows that it reads, if it can; DuckDB knows columns by their names only."""
        columns = ", ".join(f"`{name}`" for name in names)
        found = {
            "firn": self.firn.rows("read", table, "--columns", ",".join(names)),
            "pyiceberg": written_rows.rows_of(self.python.load_table(table).scan().to_arrow()),
        }
        if not any(name in names for name in (
                *written_rows.OTHER_TYPES, *written_rows.NANOSECOND_TYPES)):
            found["spark"] = self.spark_rows(f"SELECT {columns} FROM {table}")
        files = self.files(table)
        deletes = [row for row in self.firn.rows("inspect", table, "files") if row["content"]]
        if files and not deletes and not evolved and "nano" not in names:
            found["duckdb"] = self.duckdb_rows(files, names)
        return found

    @staticmethod
    def duckdb_rows(files, names):
        columns = ", ".join(f'"{name}"' for name in names)
        with duckdb.connect() as database:
            database.execute("SET TimeZone = 'UTC'")
            found = database.execute(
                f"SELECT {columns} FROM read_parquet(?, hive_partitioning = false)", [files])
            return written_rows.rows_of(found.fetch_arrow_table())

    def check(self, test, table, expected, kinds):
        """All engines read exactly the rows `expected`."""
        names = [name for name, _ in kinds]
        for engine, rows in self.read(table, names).items():
            with test.subTest(table=table, engine=engine):
                wanted = expected
                if engine == "pyiceberg":
                    wanted = [_without_null_lists(row) for row in expected]
                rows = collections.Counter(comparable(rows, kinds))
                wanted = collections.Counter(comparable(wanted, kinds))
                test.assertEqual(list((rows - wanted).elements())[:3], [], "too many rows")
                test.assertEqual(list((wanted - rows).elements())[:3], [], "missing rows")

    def lineage(self, table):
        """id to row id and sequence number, as firn and Spark see them."""
        columns = ("id", "_row_id", "_last_updated_sequence_number")
        found = [self.firn.rows("read", table, "--columns", ",".join(columns)),
                 self.spark_rows(f"SELECT {', '.join(columns)} FROM {table}")]
        return [{row["id"]: (row[columns[1]], row[columns[2]]) for row in rows} for rows in found]
