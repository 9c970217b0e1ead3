. lib/price.sh

# order_total PRODUCT PIECES: the price of the whole order.
order_total() {
  price=$(unit_price "$1") || return 1
  echo $((price * $2 * $(discount_factor "$2") / 100))
}
