#!/bin/sh
# Loads one source's orders of one day into that day's partition of a table.
# usage: build_partition.sh ORDERS.csv TABLE_DIR DAY SOURCE
#
# The partition may hold other sources' orders already, so it is read, merged, staged under the
# table's _temporary and published by one rename: readers see the old partition or the new one.
# Running it again for the same source replaces that source's orders. It knows nothing of locks.
set -eu
orders=$1 table=$2 day=$3 source=$4
partition=$table/dt=$day/part-00000.csv.gz
staged=$table/_temporary/dt=$day.$source.$$

mkdir -p "$table/_temporary" "$table/dt=$day"
{
  [ ! -e "$partition" ] || gzip -dc "$partition" | awk -F, -v source="$source" '$3 != source'
  awk -F, -v source="$source" -v day="$day" \
    'NR > 1 && $3 == source && substr($2, 1, 10) == day' "$orders"
} | LC_ALL=C sort -t, -k1,1 | gzip -9 >"$staged"
mv "$staged" "$partition"
