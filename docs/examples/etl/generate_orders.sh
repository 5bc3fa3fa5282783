#!/bin/sh
# Writes a CSV of 100,000 orders of one day, the same at every call.
# usage: generate_orders.sh >orders.csv
set -eu
exec awk 'BEGIN {
  split("web app", sources, " ")
  cities = split("beijing shanghai guangzhou shenzhen chengdu hangzhou wuhan nanjing", city, " ")
  print "order_id,ordered_at,source,city,customer,amount"
  seed = 20230501
  for (id = 1; id <= 100000; id++) {
    # The minimal standard generator: exact in the doubles that awk counts with.
    seed = (seed * 48271) % 2147483647
    second = int((id - 1) * 86400 / 100000)
    printf "%08d,2023-05-01 %02d:%02d:%02d,%s,%s,c%05d,%d.%02d\n", id, int(second / 3600),
      int(second % 3600 / 60), second % 60, sources[1 + id % 2], city[1 + seed % cities],
      int(seed / 7) % 30000, 1 + int(seed / 11) % 900, int(seed / 13) % 100
  }
}'
