set -eu
step() { echo "* $1"; }
. ./recipe.sh
export RESTIC_CACHE_DIR="$PWD/cache"
mkdir -p data/a && for at in $(seq 50); do head -c "$((at * 4000))" /dev/urandom > "data/a/$at"; done
head -c 25000000 /dev/urandom > data/big.bin
restic init -q && restic backup -q data
restic restore -q latest --target first && diff -r data first/data
step "init, backup of 51 files, restore, compared"
echo changed > data/a/1 && rm data/a/2 && restic backup -q data
test "$(restic snapshots --json | grep -o short_id | wc -l)" = 2
restic check -q --read-data
step "a second snapshot, check of all data"
restic forget -q --keep-last 1 --prune
restic restore -q latest --target second && diff -r data second/data
step "forget and prune, restore after it"
