. lib/order.sh
failed=0

expect() {
  if [ "$2" = "$3" ]; then echo "ok: $1"; else echo "FAILED: $1: expected $3, got $2" >&2; failed=1; fi
}

expect 'three rolls at full price' "$(order_total roll 3)" 240
expect 'ten breads with discount' "$(order_total bread 10)" 2800
expect 'twenty rolls with discount' "$(order_total roll 20)" 1280

exit $failed
