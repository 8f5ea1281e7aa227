"""Rows for comparisons, as Arrow tables: the same seed gives the same rows."""

WORDS = """above accounts across against along asymptotes bold carefully courts daring deposits
dependencies dolphins ideas instructions packages pending pinto quickly realms regular requests
ruthless silent sleep slyly special theodolites unusual warhorses""".split()


def pick(random, words, rows):
    import numpy as np

    words = np.array(words)
    return words[random.integers(0, len(words), rows)]


def lineitem(rows, seed):
    """Like TPC-H's: keys in order and at random, decimals, dates, flags and comments."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)

    def decimals(unscaled):
        halves = np.stack([unscaled, unscaled >> 63], axis=1)
        return pa.Array.from_buffers(pa.decimal128(15, 2), rows, [None, pa.py_buffer(halves)])

    parts = random.integers(1, 2_000_000, rows)
    quantity = random.integers(1, 51, rows)
    shipped = random.integers(8035, 10535, rows).astype("int32")
    phrases = [f"{a} {b}" for a in WORDS for b in WORDS]
    comments = np.char.add(np.char.add(pick(random, phrases, rows), " "),
                           pick(random, phrases, rows))
    return pa.table({
        "l_orderkey": np.arange(rows) // 4 + seed * (rows // 4 + 1),
        "l_partkey": parts,
        "l_suppkey": random.integers(1, 100_000, rows),
        "l_linenumber": (np.arange(rows) % 4 + 1).astype("int32"),
        "l_quantity": decimals(quantity * 100),
        "l_extendedprice": decimals(quantity * (90_000 + parts % 200_000)),
        "l_discount": decimals(random.integers(0, 11, rows)),
        "l_tax": decimals(random.integers(0, 9, rows)),
        "l_returnflag": pick(random, ["A", "N", "R"], rows),
        "l_linestatus": np.where(shipped > 9300, "O", "F"),
        "l_shipdate": pa.array(shipped).cast(pa.date32()),
        "l_commitdate": pa.array(shipped + random.integers(-60, 60, rows).astype("int32")).cast(
            pa.date32()),
        "l_shipmode": pick(random, ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"], rows),
        "l_comment": comments,
    })


def clustered(rows, seed):
    """The same in the order of its dates."""
    return lineitem(rows, seed).sort_by("l_shipdate")


def one_row(rows, seed):
    """The classic table of a job that commits every event: id, name, created_at."""
    import pyarrow as pa

    ids = [seed * rows + i for i in range(rows)]
    return pa.table({"id": ids, "name": [f"name {i}" for i in ids],
                     "created_at": pa.array([1_700_000_000_000_000 + i for i in ids],
                                            pa.timestamp("us"))})


def wide(rows, seed):
    """500 columns: numbers, some with few values, some mostly null."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)
    columns = {"id": np.arange(rows) + seed * rows}
    for i in range(499):
        if i % 3 == 0:
            columns[f"c{i}"] = random.integers(0, 50, rows)
        elif i % 3 == 1:
            columns[f"c{i}"] = random.random(rows)
        else:
            columns[f"c{i}"] = pa.array(random.integers(0, 1 << 40, rows),
                                        mask=random.random(rows) < 0.9)
    return pa.table(columns)


def long_texts(rows, seed):
    """Documents of 0 to 20 kB."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)
    texts = [" ".join(pick(random, WORDS, int(count))) for count in random.integers(0, 2500, rows)]
    return pa.table({"id": np.arange(rows) + seed * rows, "document": texts})


def nested(rows, seed):
    """Lists of structs, maps, and structs in structs."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)
    counts = random.integers(0, 5, rows)
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]).astype("int32"))
    total = int(counts.sum())
    item = pa.StructArray.from_arrays(
        [pa.array(random.integers(0, 1000, total)), pa.array(pick(random, WORDS, total))],
        names=["amount", "kind"])
    place = pa.StructArray.from_arrays(
        [pa.array(random.random(rows)), pa.array(random.random(rows))], names=["x", "y"])
    return pa.table({
        "id": np.arange(rows) + seed * rows,
        "items": pa.ListArray.from_arrays(offsets, item),
        "tags": pa.MapArray.from_arrays(offsets, pa.array(pick(random, WORDS, total)),
                                        pa.array(random.integers(0, 9, total))),
        "place": pa.StructArray.from_arrays([place, pa.array(pick(random, WORDS, rows))],
                                            names=["at", "name"]),
    })
