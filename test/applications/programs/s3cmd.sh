set -eu
step() { echo "* $1"; }
s3() { s3cmd --config="$PWD/s3cfg" --no-progress --quiet "$@"; }
mkdir -p up && for at in $(seq 20); do head -c "$((at * 5000))" /dev/urandom > "up/$at"; done
head -c 40000000 /dev/urandom > up/big.bin
s3 sync up/ "s3://$BUCKET/tree/"
s3 sync "s3://$BUCKET/tree/" down/
diff -r up down
step "21 files up and down, one of 40 MB in parts, compared"
rm up/1 && echo anew > up/2
s3 sync --delete-removed up/ "s3://$BUCKET/tree/"
test "$(s3cmd --config="$PWD/s3cfg" ls "s3://$BUCKET/tree/" | wc -l)" = 20
s3 get --force "s3://$BUCKET/tree/2" again && test "$(cat again)" = anew
step "sync of a change and a deletion, listed"
s3 cp "s3://$BUCKET/tree/2" "s3://$BUCKET/copied" && s3 mv "s3://$BUCKET/copied" "s3://$BUCKET/moved"
s3 modify --add-header=x-amz-meta-a:b "s3://$BUCKET/moved"
s3cmd --config="$PWD/s3cfg" info "s3://$BUCKET/moved" | grep -q 'x-amz-meta-a: *b'
step "copied, moved, metadata changed"
s3 del --recursive --force "s3://$BUCKET/"
test -z "$(s3cmd --config="$PWD/s3cfg" ls -r "s3://$BUCKET/")"
step "deleted"
