#!/usr/bin/env python3
"""Time and memory of reading Parquet files: firn against PyArrow's dataset reader.

Both sides read the same files with the same threads in processes of their own, in turn, and decode
every value to Arrow. Printed are the medians of each side and the median of firn's share of
PyArrow's time, round by round: below 1 firn is faster. CPU is the time of all threads. Both times
leave out the start of the process (Python's and that of its modules). Memory is the peak resident
size of the whole process. Inputs are made in --folder once, with fixed seeds.

    ninja -C build/release read_parquet
    bench/compare/read_parquet.py build/release/bench/read_parquet [CASE...]

Needs the Python packages pyarrow and numpy.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

PYARROW_SIDE = """
import json, resource, sys, time
import pyarrow as pa, pyarrow.dataset as ds, pyarrow.compute as pc
threads, columns, condition, files = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
pa.set_cpu_count(threads)
before = time.process_time()
start = time.perf_counter()
columns = None if columns == "-" else columns.split(",")
condition = None if condition == "-" else eval(condition, {"field": pc.field})
rows = 0
for batch in ds.dataset(files, format="parquet").scanner(
        columns=columns, filter=condition).to_batches():
    rows += batch.num_rows
print(json.dumps({"rows": rows, "seconds": time.perf_counter() - start,
                  "cpu": time.process_time() - before}))
"""

# Runs a command and adds its peak memory to the JSON that it prints.
WRAPPER = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps({"peak_mib": peak / 1024, **json.loads(done.stdout)}))
"""


def iceberg_type(kind, next_id):
    """The JSON of an Arrow type, with ids from `next_id` for what is inside."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        fields = []
        for child in kind:
            number = next_id()
            fields.append({"id": number, "name": child.name, "required": False,
                           "type": iceberg_type(child.type, next_id)})
        return {"type": "struct", "fields": fields}
    if pa.types.is_list(kind):
        number = next_id()
        return {"type": "list", "element-id": number, "element-required": False,
                "element": iceberg_type(kind.value_type, next_id)}
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    return {"int32": "int", "int64": "long", "double": "double", "string": "string",
            "date32[day]": "date", "timestamp[us]": "timestamp", "bool": "boolean"}[str(kind)]


def with_ids(table):
    """The table with Parquet field ids, and its Iceberg schema as JSON."""
    import pyarrow as pa

    counter = [0]

    def next_id():
        counter[0] += 1
        return counter[0]

    def add_id(field, described):
        if pa.types.is_struct(field.type):
            parts = [add_id(child, inner)
                     for child, inner in zip(field.type, described["type"]["fields"])]
            field = field.with_type(pa.struct(parts))
        elif pa.types.is_list(field.type):
            element = {"id": described["type"]["element-id"],
                       "type": described["type"]["element"]}
            field = field.with_type(pa.list_(add_id(field.type.value_field, element)))
        return field.with_metadata({"PARQUET:field_id": str(described["id"])})

    fields, columns = [], []
    for field in table.schema:
        number = next_id()
        described = {"id": number, "name": field.name, "required": False,
                     "type": iceberg_type(field.type, next_id)}
        fields.append(described)
        columns.append(add_id(field, described))
    schema = {"type": "struct", "schema-id": 0, "fields": fields}
    return table.cast(pa.schema(columns)), json.dumps(schema)


def decimals(unscaled, kind):
    import numpy as np
    import pyarrow as pa

    halves = np.stack([unscaled, unscaled >> 63], axis=1)
    return pa.Array.from_buffers(kind, len(unscaled), [None, pa.py_buffer(halves)])


def mixed_table(rows, seed):
    """Numbers, decimals, dates and texts, of many and of few distinct values."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)
    words = np.array([f"word-{i:05}" for i in range(20000)])
    flags = np.array(["AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB", "REG AIR"])
    return pa.table({
        "order_key": np.sort(random.integers(0, rows * 4, rows)),
        "part_key": random.integers(0, 200000, rows),
        "supplier": random.integers(0, 10000, rows).astype("int32"),
        "line": random.integers(1, 8, rows).astype("int32"),
        "quantity": decimals(random.integers(1, 51, rows), pa.decimal128(12, 0)),
        "price": decimals(random.integers(100, 10**9, rows), pa.decimal128(12, 2)),
        "discount": random.random(rows),
        "tax": pa.array(random.random(rows), mask=random.random(rows) < 0.1),
        "flag": flags[random.integers(0, len(flags), rows)],
        "shipped": pa.array(random.integers(8000, 11000, rows).astype("int32")).cast(pa.date32()),
        "received": pa.array(random.integers(0, 10**15, rows)).cast(pa.timestamp("us")),
        "words": words[random.integers(0, len(words), rows)],
        "comment": np.char.add(np.char.add(words[random.integers(0, len(words), rows)], " "),
                               random.integers(0, 10**9, rows).astype(str)),
        "is_late": random.random(rows) < 0.3,
    })


def narrow_table(rows, seed):
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)
    return pa.table({"key": np.arange(rows), "value": random.random(rows)})


def wide_table(rows, seed):
    """200 columns of numbers and short texts."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(300)])
    columns = {}
    for i in range(50):
        columns[f"whole_{i}"] = random.integers(0, 10**9, rows)
        columns[f"small_{i}"] = random.integers(0, 100, rows).astype("int32")
        columns[f"real_{i}"] = pa.array(random.random(rows), mask=random.random(rows) < 0.2)
        columns[f"text_{i}"] = words[random.integers(0, len(words), rows)]
    return pa.table(columns)


def text_table(rows, seed):
    """Texts that do not repeat, of 20 to 200 bytes."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)

    def texts(low, high):
        lengths = random.integers(low, high, rows)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype("int32")
        letters = random.integers(97, 105, int(offsets[-1])).astype("uint8")
        return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(letters))

    return pa.table({"short": texts(20, 40), "medium": texts(40, 100), "long": texts(100, 200)})


def repeated_table(rows, seed):
    """Texts of few distinct values: dictionary pages."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)
    columns = {}
    for i, distinct in enumerate([3, 20, 200, 2000, 20000]):
        words = np.array([f"category {i} value {j:07}" for j in range(distinct)])
        columns[f"text_{i}"] = words[random.integers(0, distinct, rows)]
        columns[f"sorted_{i}"] = words[np.sort(random.integers(0, distinct, rows))]
    return pa.table(columns)


def nested_table(rows, seed):
    """Structs and lists of structs, with nulls."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)
    lengths = random.integers(0, 6, rows)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype("int32")
    total = int(offsets[-1])
    words = np.array([f"word-{i:04}" for i in range(5000)])
    items = pa.StructArray.from_arrays(
        [pa.array(words[random.integers(0, 5000, total)]),
         pa.array(random.random(total), mask=random.random(total) < 0.05)], ["sku", "price"])
    place = pa.StructArray.from_arrays(
        [pa.array(random.integers(0, 10**6, rows)),
         pa.array(words[random.integers(0, 5000, rows)])],
        ["zip", "city"], mask=pa.array(random.random(rows) < 0.1))
    return pa.table({"id": random.integers(0, 10**12, rows), "place": place,
                     "items": pa.ListArray.from_arrays(pa.array(offsets), items)})


def input_of(build, files, file_rows, group_rows, codec="zstd", **options):
    return {"build": build, "files": files, "file_rows": file_rows, "group_rows": group_rows,
            "codec": codec, "options": options}


INPUTS = {
    "mixed-4": input_of(mixed_table, 4, 500_000, 250_000),
    "mixed-4-snappy": input_of(mixed_table, 4, 500_000, 250_000, "snappy"),
    "mixed-4-plain": input_of(mixed_table, 4, 500_000, 250_000, "none"),
    "mixed-4-v2": input_of(mixed_table, 4, 500_000, 250_000, data_page_version="2.0"),
    "mixed-1000": input_of(mixed_table, 1000, 2_000, 2_000),
    "mixed-1-group": input_of(mixed_table, 1, 2_000_000, 2_000_000),
    "mixed-1-file": input_of(mixed_table, 1, 4_000_000, 125_000),
    "mixed-1-file-small-groups": input_of(mixed_table, 1, 2_000_000, 10_000),
    "mixed-index": input_of(mixed_table, 4, 500_000, 500_000, write_page_index=True,
                            data_page_size=64 << 10),
    "narrow": input_of(narrow_table, 4, 5_000_000, 1_000_000),
    "wide": input_of(wide_table, 4, 50_000, 25_000),
    "text": input_of(text_table, 4, 250_000, 125_000),
    "repeated": input_of(repeated_table, 4, 1_000_000, 500_000),
    "nested": input_of(nested_table, 4, 500_000, 100_000),
    "huge-group": input_of(text_table, 1, 6_000_000, 6_000_000, "none", use_dictionary=False),
}

# name: (input, columns, firn's filter, PyArrow's filter)
CASES = {
    "mixed, zstd": ("mixed-4", "-", "-", "-"),
    "mixed, snappy": ("mixed-4-snappy", "-", "-", "-"),
    "mixed, not compressed": ("mixed-4-plain", "-", "-", "-"),
    "mixed, data pages v2": ("mixed-4-v2", "-", "-", "-"),
    "1,000 small files": ("mixed-1000", "-", "-", "-"),
    "1 file, 1 row group": ("mixed-1-group", "-", "-", "-"),
    "1 file, 32 row groups": ("mixed-1-file", "-", "-", "-"),
    "1 file, 200 row groups": ("mixed-1-file-small-groups", "-", "-", "-"),
    "narrow (2 columns)": ("narrow", "-", "-", "-"),
    "wide (200 columns)": ("wide", "-", "-", "-"),
    "long texts": ("text", "-", "-", "-"),
    "repeated texts": ("repeated", "-", "-", "-"),
    "nested": ("nested", "-", "-", "-"),
    "3 of 14 columns": ("mixed-4", "order_key,price,flag", "-", "-"),
    "4 of 200 columns": ("wide", "whole_1,small_9,real_20,text_40", "-", "-"),
    "1 of 14, 1 row group": ("mixed-1-group", "comment", "-", "-"),
    "filter keeps 30 %": ("mixed-4", "-", "is_late = true", "field('is_late') == True"),
    "filter keeps 0.1 %": ("mixed-4", "-", "part_key < 200", "field('part_key') < 200"),
    "filter on text, 14 %": ("mixed-4", "order_key,flag,price", "flag = 'RAIL'",
                             "field('flag') == 'RAIL'"),
    "filter, page index": ("mixed-index", "-", "order_key < 20000",
                           "field('order_key') < 20000"),
    "1 GB row group, 64 MiB": ("huge-group", "-", "-", "-"),
}

MEMORY_MIB = {"1 GB row group, 64 MiB": 64}


def make(folder, name):
    """Write the input unless it is there: paths of its schema and of its files."""
    import pyarrow.parquet as pq

    base = os.path.join(folder, name)
    schema_path = os.path.join(base, "schema.json")
    if not os.path.exists(schema_path):
        wanted = INPUTS[name]
        os.makedirs(base, exist_ok=True)
        for i in range(wanted["files"]):
            table, schema = with_ids(wanted["build"](wanted["file_rows"], i))
            pq.write_table(table, os.path.join(base, f"{i:04}.parquet"),
                           compression=wanted["codec"], row_group_size=wanted["group_rows"],
                           store_schema=False, **wanted["options"])
        with open(schema_path, "w", encoding="utf-8") as out:
            out.write(schema)
    files = sorted(os.path.join(base, f) for f in os.listdir(base) if f.endswith(".parquet"))
    return schema_path, files


def measure(command):
    done = subprocess.run([sys.executable, "-c", WRAPPER, *command], stdout=subprocess.PIPE,
                          check=True)
    return json.loads(done.stdout)


def compare(name, options):
    source, columns, filter_text, pyarrow_filter = CASES[name]
    schema, files = make(options.folder, source)
    memory = MEMORY_MIB.get(name, options.memory)
    firn = [options.program, schema, str(options.threads), str(memory), columns, filter_text,
            *files]
    pyarrow = [sys.executable, "-c", PYARROW_SIDE, str(options.threads), columns, pyarrow_filter,
               *files]
    measure(firn)  # Brings the files into the page cache.
    rounds = [(measure(firn), measure(pyarrow)) for _ in range(options.rounds)]
    for ours, theirs in rounds:
        if ours["rows"] != theirs["rows"]:
            raise SystemExit(f"{name}: firn read {ours['rows']} rows, PyArrow {theirs['rows']}")

    def median(side, key):
        return statistics.median(pair[side][key] for pair in rounds)

    def ratio(key):
        return statistics.median(ours[key] / theirs[key] for ours, theirs in rounds)

    size = sum(os.path.getsize(f) for f in files) / 2**20
    print(f"| {name} | {size:.0f} MiB | {median(0, 'seconds'):.3f} s | {median(1, 'seconds'):.3f} s"
          f" | {ratio('seconds'):.2f} | {median(0, 'cpu'):.2f} s | {median(1, 'cpu'):.2f} s"
          f" | {ratio('cpu'):.2f} | {median(0, 'peak_mib'):.0f} MiB"
          f" | {median(1, 'peak_mib'):.0f} MiB |", flush=True)


def main():
    import pyarrow

    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", help="build/release/bench/read_parquet")
    parser.add_argument("cases", nargs="*", help=f"default all: {'; '.join(CASES)}")
    parser.add_argument("--folder", default="/tmp/firn-bench-read")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=int, default=1024, help="MiB, of firn")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_intermixed_args()
    print(f"PyArrow {pyarrow.__version__}, {options.threads} threads, {options.rounds} rounds\n\n"
          "| input | stored | firn | PyArrow | ratio | firn CPU | PyArrow CPU | ratio "
          "| firn memory | PyArrow memory |\n" + "| --- " * 10 + "|")
    for name in options.cases or CASES:
        compare(name, options)


if __name__ == "__main__":
    main()
