set -eu
step() { echo "* $1"; }
git init -q repo && cd repo
dvc init -q
cp ../recipe.sh . && . ./recipe.sh
head -c 20000000 /dev/urandom > big.bin
mkdir set && for at in $(seq 60); do echo "line $at" > "set/$at"; done
dvc add -q big.bin set
dvc push -q
cp -r big.bin set ..
rm -rf .dvc/cache big.bin set
dvc pull -q
cmp big.bin ../big.bin && diff -r set ../set
step "push and pull of 20 MB and of a folder with 60 files, compared"
echo changed > set/1
dvc add -q set && dvc push -q
dvc status -q --cloud
step "push of a change, status against the remote"
rm big.bin.dvc && dvc gc -q --workspace --cloud --force
rm -rf .dvc/cache set && dvc pull -q && grep -q changed set/1
step "gc of the remote, pull after it"
