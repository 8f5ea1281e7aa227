#!/usr/bin/env python3
"""Read what manifest_samples wrote with fastavro (a strict Avro reader) and PyIceberg.

usage: manifest_samples_test.py FIRN

The program manifest_samples is taken from (and if need be built in) the build folder of FIRN.
"""

import datetime
import decimal
import os
import subprocess
import sys
import tempfile

import fastavro
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import ManifestEntryStatus, read_manifest_list
from pyiceberg.table.puffin import PuffinFile


def check_avro(path, version):
    """Every record decodes, names are legal, partition values have their Avro types."""
    with open(path, "rb") as file:
        reader = fastavro.reader(file)
        entries = list(reader)
        header = reader.metadata
    assert len(entries) == 100
    assert header["format-version"] == str(version)
    assert header["partition-spec-id"] == "2"
    assert header["schema-id"] == "1"
    assert header.get("content") == (None if version == 1 else "data")
    assert all(value is None for value in entries[0]["data_file"]["partition"].values())
    partition = entries[1]["data_file"]["partition"]
    assert partition == {
        "u": bytes(range(16)),
        "f": b"\x00\x01\x02\x03",
        "dec": decimal.Decimal("-123.45"),
        "day": datetime.date(2024, 10, 4),
        "tz": datetime.datetime.fromtimestamp(1_700_000_000, datetime.timezone.utc),
        "_9col": 7,
        "a_x2Eb": "x y",
    }, partition


def check_pyiceberg(folder, version):
    """The list and its manifest, inheritance applied."""
    io = PyArrowFileIO()
    manifests = list(read_manifest_list(io.new_input(f"{folder}/v{version}-snap.avro")))
    assert len(manifests) == 1
    manifest = manifests[0]
    assert manifest.added_files_count == 100 and manifest.added_rows_count == 5950
    assert manifest.partition_spec_id == 2 and len(manifest.partitions) == 7
    assert manifest.partitions[5].contains_null
    assert manifest.partitions[5].lower_bound == b"\x07\x00\x00\x00"
    entries = manifest.fetch_manifest_entry(io)
    assert len(entries) == 100
    for number, entry in enumerate(entries):
        assert entry.status == ManifestEntryStatus.ADDED and entry.snapshot_id == 7
        assert entry.sequence_number == (0 if version == 1 else 3)
        file = entry.data_file
        assert file.file_path == f"s3://bucket/data/{number}.parquet"
        assert file.record_count == 10 + number
        assert file.value_counts == {1: 10, 2: 10}
        assert file.lower_bounds == {5: b"\x20\x4e\x00\x00"}
        assert file.split_offsets == [4]
        assert file.sort_order_id == 0


def check_puffin(path):
    with open(path, "rb") as file:
        puffin = PuffinFile(file.read())
    (positions,) = puffin.to_vector().values()
    assert positions.to_pylist() == [*range(10, 5000), 100_000]


def samples_program(firn):
    build = os.path.dirname(os.path.abspath(firn))
    program = os.path.join(build, "tests", "manifest_samples")
    if not os.path.exists(program):
        subprocess.run(["cmake", "--build", build, "--target", "manifest_samples"], check=True)
    return program


def main(firn):
    program = samples_program(firn)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder], check=True)
        assert len(os.listdir(folder)) == 7
        for version in (1, 2, 3):
            check_avro(f"{folder}/v{version}-m0.avro", version)
            check_pyiceberg(folder, version)
        check_puffin(f"{folder}/dv.puffin")
    print("fastavro and PyIceberg read what firn wrote")


if __name__ == "__main__":
    main(sys.argv[1])
