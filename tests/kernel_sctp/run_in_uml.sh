#!/bin/sh
# Runs a command where the kernel has SCTP, whatever this machine's own kernel has: in Debian's user-mode Linux, booted
# on this machine's root file system (read-only), so that repository and virtual environment are there as they are.
#
#   tests/kernel_sctp/run_in_uml.sh                                  what must hold over SCTP
#   tests/kernel_sctp/run_in_uml.sh .venv/bin/python bench/sctp.py   anything else, from the repository's root
#
# Needs the Debian packages user-mode-linux and busybox-static. Exit status 0 if the command's was.
set -eu

repository=$(cd "$(dirname "$0")/../.." && pwd)
patience_s=300

need() { # program, package
    command -v "$1" >/dev/null || { echo "$1 is missing: apt-get install $2" >&2; exit 2; }
}
need linux.uml user-mode-linux
need busybox busybox-static
uml=$(command -v linux.uml)
busybox=$(command -v busybox)
modules=/usr/lib/uml/modules/$("$uml" --version | head -n 1)/kernel
[ -f "$modules/net/sctp/sctp.ko" ] || { echo "no SCTP module in $modules (package user-mode-linux)" >&2; exit 2; }

cd "$repository"
if [ $# -eq 0 ]; then
    set -- .venv/bin/python -m pytest --color=no -p no:cacheprovider -k sctp \
        tests/drivers/test_association_*.py tests/drivers/test_sctp_*.py
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quoted=
for word in "$@"; do
    quoted="$quoted '$(printf %s "$word" | sed "s/'/'\\\\''/g")'"
done

# hmac: without it listen() on an SCTP socket fails, because the kernel cannot sign its cookies.
# The marker at the end is the result: user-mode Linux's own exit status says nothing of what ran inside.
cat >"$work/init" <<INIT
#!$busybox sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
$busybox mount -t proc proc /proc
$busybox mount -t sysfs sys /sys
$busybox mount -t tmpfs tmpfs /run
$busybox mkdir /run/tmp
export HOME=/run TMPDIR=/run/tmp HYPOTHESIS_STORAGE_DIRECTORY=/run/hypothesis PYTHONDONTWRITEBYTECODE=1
$busybox ip link set lo up
for module in crypto/hmac lib/crc-ccitt net/ipv6/ipv6 net/ipv4/udp_tunnel net/ipv6/ip6_udp_tunnel net/sctp/sctp; do
    $busybox insmod '$modules'/\$module.ko
done
cd '$repository'
REGSTORM_SCTP_EXPECTED=1 $quoted
echo "exit status inside: \$?"
$busybox poweroff -f
INIT
chmod +x "$work/init"

timeout --foreground "$patience_s" "$uml" mem=1024M root=/dev/root rootfstype=hostfs rootflags=/ ro quiet \
    con=null con0=null,fd:1 ssl=null init="$work/init" </dev/null 2>&1 | tee "$work/log"
grep -q '^exit status inside: 0' "$work/log"
