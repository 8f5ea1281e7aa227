"""Tables of every kind, written by a live Spark for the comparison with firn."""

LINEITEM = "id bigint, name string, cat string, v int, ts timestamp"


def _rows(first, count, day=1):
    return ", ".join(
        f"({i}, 'name {i} é', 'c{i % 3}', {i * 2}, TIMESTAMP '2024-01-{day + i % 3:02d} 10:00:00.5')"
        for i in range(first, first + count)
    )


def _create(table, partition="", properties=()):
    listed = ", ".join(f"'{key}'='{value}'" for key, value in properties)
    return (
        f"CREATE TABLE c.db.{table} ({LINEITEM}) USING iceberg {partition} "
        f"TBLPROPERTIES ({listed or chr(39) + 'k' + chr(39) + '=' + chr(39) + 'v' + chr(39)})"
    )


def _inserts(table, count, size=10):
    return [
        f"INSERT INTO c.db.{table} VALUES {_rows(1 + i * size, size, 1 + i % 20)}"
        for i in range(count)
    ]


MERGE_ON_READ = (
    ("write.delete.mode", "merge-on-read"),
    ("write.update.mode", "merge-on-read"),
    ("write.merge.mode", "merge-on-read"),
)


def _changed(table, partition, properties):
    return [
        _create(table, partition, properties),
        *_inserts(table, 6),
        f"DELETE FROM c.db.{table} WHERE id % 7 = 0",
        f"UPDATE c.db.{table} SET v = -1 WHERE id % 11 = 0",
        *_inserts(table, 1, 3),
    ]


def statements():
    """Table name to the statements that make it."""
    v3 = (("format-version", "3"), *MERGE_ON_READ)
    return {
        "plain": [_create("plain"), *_inserts("plain", 8, 1)],
        "v1": [_create("v1", "", (("format-version", "1"),)), *_inserts("v1", 4)],
        "by_day": [
            _create("by_day", "PARTITIONED BY (days(ts), bucket(4, id), truncate(2, name))"),
            *_inserts("by_day", 5),
        ],
        "by_cat": _changed("by_cat", "PARTITIONED BY (cat)", MERGE_ON_READ),
        "deleted_from": _changed("deleted_from", "", MERGE_ON_READ),
        "file_granular": _changed(
            "file_granular", "", (*MERGE_ON_READ, ("write.delete.granularity", "file"))
        ),
        "vectors": _changed("vectors", "", v3),
        "vectors_by_cat": _changed("vectors_by_cat", "PARTITIONED BY (cat)", v3),
        "evolved_spec": [
            _create("evolved_spec", "PARTITIONED BY (cat)"),
            *_inserts("evolved_spec", 3),
            "ALTER TABLE c.db.evolved_spec ADD PARTITION FIELD days(ts)",
            *_inserts("evolved_spec", 3),
            "ALTER TABLE c.db.evolved_spec DROP PARTITION FIELD cat",
            *_inserts("evolved_spec", 2),
        ],
        "evolved_schema": [
            _create("evolved_schema"),
            *_inserts("evolved_schema", 2),
            "ALTER TABLE c.db.evolved_schema ADD COLUMN s struct<a: int, b: array<string>>",
            "ALTER TABLE c.db.evolved_schema ALTER COLUMN v TYPE bigint",
            "ALTER TABLE c.db.evolved_schema RENAME COLUMN name TO label",
            "ALTER TABLE c.db.evolved_schema DROP COLUMN cat",
            "INSERT INTO c.db.evolved_schema VALUES (100, 'x', 5000000000, "
            "TIMESTAMP '2024-02-01 00:00:00', named_struct('a', 1, 'b', array('p', null)))",
            "ALTER TABLE c.db.evolved_schema ADD COLUMN s.c map<string, double>",
            "INSERT INTO c.db.evolved_schema VALUES (101, null, null, null, "
            "named_struct('a', null, 'b', null, 'c', map('k', 0.5D)))",
        ],
        "orc": [_create("orc", "", (("write.format.default", "orc"),)), *_inserts("orc", 4)],
        "avro": [_create("avro", "", (("write.format.default", "avro"),)), *_inserts("avro", 4)],
        "branched": [
            _create("branched"),
            *_inserts("branched", 3),
            "ALTER TABLE c.db.branched CREATE BRANCH audit",
            "ALTER TABLE c.db.branched CREATE TAG before",
            *_inserts("branched", 2, 2),
            f"INSERT INTO c.db.branched.branch_audit VALUES {_rows(900, 2)}",
        ],
        "empty": [_create("empty")],
    }


def write_tables(spark):
    """Make all tables in namespace `db`; returns their names."""
    spark.sql("CREATE NAMESPACE IF NOT EXISTS c.db")
    made = statements()
    for table_statements in made.values():
        for statement in table_statements:
            spark.sql(statement)
    return list(made)
