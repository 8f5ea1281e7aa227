"""A local Spark with Iceberg, for comparing it with firn.

Environment: FIRN_SPARK_JARS names the jars of Iceberg and of the JDBC drivers, separated by ":".
"""

import datetime
import decimal
import os
import sys

from pyspark.sql import SparkSession, types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))


def open_spark(settings):
    """A local session with `settings` beside its own."""
    settings = {
        "spark.driver.extraClassPath": os.environ["FIRN_SPARK_JARS"],
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "ERROR",
        **settings,
    }
    builder = SparkSession.builder.master("local[2]").appName("firn-interop")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def catalog_settings(name, **properties):
    """Settings of an Iceberg catalog; they may also be set while Spark runs, before its first use."""
    prefix = f"spark.sql.catalog.{name}"
    return {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.cache-enabled": "false",  # Another program changes the tables.
        **{f"{prefix}.{key.replace('_', '-')}": value for key, value in properties.items()},
    }


def _from_micros(_, micros):
    return None if micros is None else EPOCH + datetime.timedelta(microseconds=micros)


# PySpark's own go through datetime.fromtimestamp(), which refuses the year 1.
EPOCH = datetime.datetime(1970, 1, 1)
types.TimestampType.fromInternal = _from_micros
types.TimestampNTZType.fromInternal = _from_micros


def kind_of(data_type):
    """A Spark type in the form of `spark_values.parse_type`."""
    if isinstance(data_type, types.ArrayType):
        return ("array", kind_of(data_type.elementType))
    if isinstance(data_type, types.MapType):
        return ("map", kind_of(data_type.keyType), kind_of(data_type.valueType))
    if isinstance(data_type, types.StructType):
        return ("struct", [(field.name, kind_of(field.dataType)) for field in data_type.fields])
    return (data_type.simpleString(),)


def encode(value, data_type):
    """A value that Spark collected, in the form of the oracle files (testdata/README.md)."""
    if value is None:
        return None
    if isinstance(data_type, types.ArrayType):
        return [encode(item, data_type.elementType) for item in value]
    if isinstance(data_type, types.MapType):
        return [
            [encode(key, data_type.keyType), encode(item, data_type.valueType)]
            for key, item in value.items()
        ]
    if isinstance(data_type, types.StructType):
        return {
            field.name: encode(item, field.dataType)
            for field, item in zip(data_type.fields, value)
        }
    if isinstance(value, (bytes, bytearray)):
        return {"hex": bytes(value).hex()}
    if isinstance(value, datetime.datetime):
        zone = "Z" if isinstance(data_type, types.TimestampType) else ""
        return value.isoformat(timespec="microseconds") + zone
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, float):
        return {"f": repr(value)}
    return value


def collect(frame):
    """Schema and rows of a data frame: ((name, kind) pairs, dictionaries)."""
    fields = frame.schema.fields
    rows = [
        {field.name: encode(item, field.dataType) for field, item in zip(fields, row)}
        for row in frame.collect()
    ]
    return [(field.name, kind_of(field.dataType)) for field in fields], rows


def stored_rows(spark, name):
    """The rows of a table with their row lineage as text, sorted, by the reader of Iceberg's Java
    library that needs no engine. Spark's own readers make up the lineage of rows in ORC files."""
    jvm = spark._jvm
    table = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, name)
    columns = jvm.org.apache.iceberg.MetadataColumns
    lineage = jvm.java.util.ArrayList()
    lineage.add(columns.ROW_ID)
    lineage.add(columns.LAST_UPDATED_SEQUENCE_NUMBER)
    schema = jvm.org.apache.iceberg.types.TypeUtil.join(
        table.schema(), jvm.org.apache.iceberg.Schema(lineage))
    records = jvm.org.apache.iceberg.data.IcebergGenerics.read(table).project(schema).build()
    try:
        rows = []
        iterator = records.iterator()
        while iterator.hasNext():
            rows.append(iterator.next().toString())
        return sorted(rows)
    finally:
        records.close()
