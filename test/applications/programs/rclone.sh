set -eu
step() { echo "* $1"; }
export RCLONE_CONFIG="$PWD/rclone.conf"
to="gateway:$BUCKET/tree"
mkdir -p up/a/b && for at in $(seq 40); do head -c "$((at * 3000))" /dev/urandom > "up/a/$at"; done
head -c 30000000 /dev/urandom > up/a/b/big.bin
rclone copy up "$to" --s3-upload-cutoff 8M --s3-chunk-size 8M
rclone check --download up "$to"
step "41 files up, one of 30 MB in parts, compared by reading back"
echo changed > up/a/1 && rm up/a/2
rclone sync up "$to" && rclone check --download up "$to"
test "$(rclone lsf -R --files-only "$to" | wc -l)" = 40
step "sync of a change and a deletion, listed"
rclone copy "$to" "gateway:$BUCKET/copied" && rclone check "$to" "gateway:$BUCKET/copied"
rclone moveto "gateway:$BUCKET/copied/a/1" "gateway:$BUCKET/moved"
test "$(rclone cat "gateway:$BUCKET/moved")" = changed
echo piped | rclone rcat "gateway:$BUCKET/moved" && test "$(rclone cat "gateway:$BUCKET/moved")" = piped
step "copies and a move inside the gateway, overwritten from a pipe"
rclone purge "gateway:$BUCKET/tree" && rclone delete "gateway:$BUCKET"
test -z "$(rclone lsf -R --files-only "gateway:$BUCKET")"
step "deleted"
