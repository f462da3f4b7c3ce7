#!/bin/sh
# First process in namespaces of its own (mounts, network, processes): sets them up, says `sealed`, and waits for the end of its
# standard input. When it ends, however that happens, the kernel ends all that was started in there and takes down every mount.
#
# Usage: seal.sh ADDRESS [SYSCTL=VALUE...]
set -eu
address=$1
shift

# The only device. Addresses of Services need some route; kube-proxy's rules turn their packets to pods on the way.
ip link set lo up
ip address add "$address/32" dev lo
ip route add default dev lo src "$address"

mount --make-rshared /
# What container runtimes and kubelets leave outside of the folders that they are given.
for place in /run /var/log /var/lib/cni; do
  mkdir -p "$place"
  mount -t tmpfs -o mode=755 sealed "$place"
done

# Some kernel settings that the kubelet asks for are the whole machine's. It finds them as it wants them, and writes nothing.
mkdir /run/sysctl
for setting in "$@"; do
  file=/proc/sys/${setting%=*}
  double=/run/sysctl/$(basename "$file")
  echo "${setting#*=}" > "$double"
  mount --bind "$double" "$file"
done

echo sealed
read -r _ || true
