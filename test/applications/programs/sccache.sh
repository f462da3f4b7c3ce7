set -eu
step() { echo "* $1"; }
. ./recipe.sh
export SCCACHE_SERVER_PORT=0 SCCACHE_SERVER_UDS="$PWD/sccache.sock" SCCACHE_IDLE_TIMEOUT=60
trap 'sccache --stop-server > /dev/null 2>&1 || true' EXIT
for at in $(seq 10); do echo "int f$at(int x) { return x * $at; }" > "f$at.c"; done
sccache --start-server > /dev/null
for at in $(seq 10); do sccache cc -c "f$at.c" -o "f$at.o"; done
sccache --stop-server > /dev/null
mkdir first && mv ./*.o first
step "ten files compiled into an empty cache"
sccache --start-server > /dev/null
for at in $(seq 10); do sccache cc -c "f$at.c" -o "f$at.o"; cmp "f$at.o" "first/f$at.o"; done
sccache --show-stats | grep -E 'Cache hits +10$'
step "a new server: ten hits, the same objects"
