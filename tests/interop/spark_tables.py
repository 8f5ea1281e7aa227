"""Tables of every kind and format version, written by a live Spark for the comparison with firn."""

import fnmatch

COLUMNS = "id bigint, name string, cat string, v int, ts timestamp"

TYPES = {
    "flag": ("boolean", "true", "false"),
    "i": ("int", "-1", "2147483647"),
    "l": ("bigint", "-9223372036854775808", "5"),
    "f": ("float", "float('NaN')", "float(1.5)"),
    "d": ("double", "double('-Infinity')", "-0.0D"),
    "dec": ("decimal(38, 10)", "-12345678901234567890.0000000001BD", "7BD"),
    "small": ("decimal(9, 2)", "1.25BD", "-1.25BD"),
    "day": ("date", "DATE '1969-12-31'", "DATE '2024-02-29'"),
    "tz": ("timestamp", "TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP '2024-01-01 00:00:00'"),
    "ntz": ("timestamp_ntz", "TIMESTAMP_NTZ '2024-01-01 00:00:00.000001'",
            "TIMESTAMP_NTZ '1900-01-01 00:00:00'"),
    "text": ("string", "'a string that is longer than sixteen characters'", "'日本語の長い文字列は切り詰められます😀'"),
    "bytes": ("binary", "X'00FF'", "X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'"),
    "items": ("array<int>", "array(1, null)", "array()"),
    "tags": ("map<string, double>", "map('k', double('NaN'))", "map()"),
    "nest": ("struct<a: int, b: struct<c: array<struct<x: string>>>, `d.e`: float>",
             "named_struct('a', 1, 'b', named_struct('c', array(named_struct('x', 'y'))), 'd.e', "
             "float(0.5))",
             "named_struct('a', null, 'b', null, 'd.e', float('NaN'))"),
}


def _rows(first, count, day=1):
    return ", ".join(
        f"({i}, 'name {i} é', 'c{i % 3}', {i * 2}, TIMESTAMP '2024-01-{day + i % 3:02d} 10:00:00.5')"
        for i in range(first, first + count)
    )


class Maker:
    """Statements that make one table; `{t}` in them is its name."""

    def __init__(self, version, partition="", columns=COLUMNS, **properties):
        properties = {"format_version": version, **properties}
        listed = ", ".join(
            f"'{key.replace('__', '.').replace('_', '-')}'='{value}'"
            for key, value in properties.items())
        self.made = [f"CREATE TABLE c.db.{{t}} ({columns}) USING iceberg {partition} "
                     f"TBLPROPERTIES ({listed})"]
        self.next_id = 1

    def add(self, *statements):
        self.made += statements
        return self

    def alter(self, *changes):
        return self.add(*(f"ALTER TABLE c.db.{{t}} {change}" for change in changes))

    def insert(self, count=1, size=10):
        for _ in range(count):
            day = 1 + self.next_id // 10 % 20
            self.add(f"INSERT INTO c.db.{{t}} VALUES {_rows(self.next_id, size, day)}")
            self.next_id += size
        return self

    def change(self):
        """Rows deleted, changed and added again."""
        return self.insert(6).add(
            "DELETE FROM c.db.{t} WHERE id % 7 = 0",
            "UPDATE c.db.{t} SET v = -1 WHERE id % 11 = 0",
        ).insert(1, 3)


def _merge_on_read(version):
    mode = "merge-on-read" if version > 1 else "copy-on-write"
    return {f"write__{change}__mode": mode for change in ("delete", "update", "merge")}


def _evolved_schema(version):
    return Maker(version).insert(2).alter(
        "ADD COLUMN s struct<a: int, b: array<string>>",
        "ALTER COLUMN v TYPE bigint",
        "RENAME COLUMN name TO label",
        "DROP COLUMN cat",
    ).add(
        "INSERT INTO c.db.{t} VALUES (100, 'x', 5000000000, TIMESTAMP '2024-02-01 00:00:00', "
        "named_struct('a', 1, 'b', array('p', null)))",
    ).alter("ADD COLUMN s.c map<string, double>").add(
        "INSERT INTO c.db.{t} VALUES (101, null, null, null, "
        "named_struct('a', null, 'b', null, 'c', map('k', 0.5D)))",
    )


def _evolved_spec(version):
    return (Maker(version, "PARTITIONED BY (cat)").insert(3)
            .alter("ADD PARTITION FIELD days(ts)").insert(3)
            .alter("DROP PARTITION FIELD cat").insert(2)
            .alter("REPLACE PARTITION FIELD days(ts) WITH bucket(3, id) AS b").insert(1))


def _types(version):
    columns = ", ".join(f"{name} {kind[0]}" for name, kind in TYPES.items())
    low = ", ".join(kind[1] for kind in TYPES.values())
    high = ", ".join(kind[2] for kind in TYPES.values())
    nulls = ", ".join("null" for _ in TYPES)
    return Maker(version, columns=columns).add(
        f"INSERT INTO c.db.{{t}} VALUES ({low}), ({high})",
        f"INSERT INTO c.db.{{t}} VALUES ({nulls})",
        f"INSERT INTO c.db.{{t}} VALUES ({high}), ({nulls})",
    )


def _maintained(version):
    """History, manifests and log entries that Spark's own procedures left."""
    procedure = "CALL c.system"
    return Maker(version, "PARTITIONED BY (cat)").insert(4).add(
        f"{procedure}.rewrite_manifests('db.{{t}}')",
        "DELETE FROM c.db.{t} WHERE cat = 'c1'",
    ).insert(2).add(
        f"{procedure}.expire_snapshots(table => 'db.{{t}}', retain_last => 4, "
        "older_than => now())",
    ).insert(1)


def _kinds(version):
    deletes = _merge_on_read(version)
    return {
        "plain": Maker(version).insert(8, 1),
        "by_day": Maker(
            version, "PARTITIONED BY (days(ts), bucket(4, id), truncate(2, name))").insert(3),
        "by_cat": Maker(version, "PARTITIONED BY (cat)", **deletes).change(),
        "changed": Maker(version, **deletes).change(),
        "file_granular": Maker(
            version, **deletes, write__delete__granularity="file").change(),
        "evolved_spec": _evolved_spec(version),
        "evolved_schema": _evolved_schema(version),
        "types": _types(version),
        "orc": Maker(version, write__format__default="orc").insert(4),
        "avro": Maker(version, write__format__default="avro").insert(4),
        "sorted": Maker(version).alter("WRITE ORDERED BY cat, id DESC").insert(3),
        "no_metrics": Maker(
            version, write__metadata__metrics__default="none",
            write__metadata__metrics__column__id="counts",
            write__metadata__metrics__column__name="truncate(3)").insert(3),
        "branched": Maker(version).insert(3)
        .alter("CREATE BRANCH audit", "CREATE TAG before RETAIN 5 DAYS").insert(2, 2)
        .add(f"INSERT INTO c.db.{{t}}.branch_audit VALUES {_rows(900, 2)}"),
        "maintained": _maintained(version),
        "empty": Maker(version),
    }


def statements():
    """Table name to the statements that make it."""
    made = {
        f"{kind}_v{version}": maker
        for version in (1, 2, 3)
        for kind, maker in _kinds(version).items()
        if version > 1 or kind != "file_granular"
    }
    made["upgraded"] = Maker(1, "PARTITIONED BY (cat)", **_merge_on_read(2)).insert(3)
    for version in (2, 3):
        made["upgraded"].alter(f"SET TBLPROPERTIES ('format-version'='{version}')").insert(2).add(
            f"DELETE FROM c.db.{{t}} WHERE id % {version + 5} = 0")
    return {name: [text.replace("{t}", name) for text in maker.made]
            for name, maker in made.items()}


def write_tables(spark, pattern):
    """Make the tables whose names match `pattern` in namespace `db`; returns their names."""
    spark.sql("CREATE NAMESPACE IF NOT EXISTS c.db")
    made = {name: texts for name, texts in statements().items()
            if fnmatch.fnmatchcase(name, pattern)}
    for table_statements in made.values():
        for statement in table_statements:
            spark.sql(statement)
    return list(made)
