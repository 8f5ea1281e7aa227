#!/usr/bin/env bash
# Pack firn, unpack it in another folder, and read a table there while the libraries that it was
# built with are hidden. usage: package_test.sh BUILD_FOLDER. Runs alone, as it moves .deps/ away.
set -euo pipefail
build=$1
cd "$(dirname "$0")/.."
source=$PWD

work=$(mktemp -d)
restore() {
  [ ! -d "$source/.deps.hidden" ] || mv "$source/.deps.hidden" "$source/.deps"
  rm -rf "$work"
}
trap restore EXIT
trap 'exit 1' INT TERM

fail() { echo "package_test: $*" >&2; exit 1; }

package=$(scripts/package "$build" "$work/dist")
mkdir "$work/elsewhere"
tar -xzf "$package" -C "$work/elsewhere"
firn=$(echo "$work"/elsewhere/firn-*/bin/firn)
root=$(dirname "$(dirname "$firn")")
[ ! -d .deps ] || mv .deps .deps.hidden

# Only the C library may come from the system.
foreign=$(ldd "$firn" | awk '$2 == "=>" { print $1, $3 }' | grep -v " $root/" |
  grep -vE '^lib(c|m|dl|rt|pthread|resolv)\.so' || true)
[ -z "$foreign" ] || fail "libraries from outside the package: $foreign"

for file in LICENSE licenses/arrow-LICENSE.txt licenses/duckdb-LICENSE.txt lib/libduckdb.so; do
  [ -s "$root/$file" ] || fail "'$file' is missing"
done

# A clean environment, another folder, and a table that is nowhere but there.
cp -r testdata/spark/part_day "$work/elsewhere/"
cd "$work/elsewhere"
run() { env -i HOME="$work" PATH=/usr/bin:/bin "$firn" "$@"; }
version=$(basename "$root" | cut -d- -f2)
[ "$(run --version)" = "firn $version" ] || fail "--version says '$(run --version)'"
rows=$(run read ./part_day --output json \
  --conf "io.rewrite-prefix=/tmp/firn-fixtures/warehouse/db=$work/elsewhere" | wc -l)
[ "$rows" -eq 26 ] || fail "read $rows rows, expected 26"

# The SQL engine is opened only when it is asked for.
printf 'id,n\n1,5\n' >in.csv
run ingest csv in.csv --into db.t --quiet >/dev/null
run update db.t --set "n = n + 1" --where "id = 1" >/dev/null || fail "the SQL engine does not open"
[ "$(run read db.t --output json)" = '{"id":1,"n":6}' ] || fail "update changed nothing"
echo "package_test: $(basename "$package") runs on its own"
