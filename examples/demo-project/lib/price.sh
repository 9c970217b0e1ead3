# Prices are in cents.

unit_price() {
  case "$1" in
    roll) echo 80 ;;
    bread) echo 350 ;;
    cake) echo 1200 ;;
    *) echo "unknown product: $1" >&2; return 1 ;;
  esac
}

# Percent of the price that a customer pays for that many pieces.
discount_factor() {
  if [ "$1" -gt 10 ]; then echo 80; else echo 100; fi
}
