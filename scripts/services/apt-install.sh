#!/bin/sh
# Installs Debian packages without starting the daemons they bring: apt-install.sh LOCK_TIMEOUT_S PACKAGE…
# A shell with traps, not Node, so that the policy file is removed even when the caller is killed.
set -eu
lock_timeout=$1
shift
policy=/usr/sbin/policy-rc.d
marker="# backplane tests: start no service during this install"

# One of us at a time: the first to end would remove the policy under the other.
exec 9</usr/sbin
if command -v flock >/dev/null; then flock 9; fi

# A marked file here belongs to an install that was killed.
if [ -f "$policy" ] && grep -qF "$marker" "$policy"; then rm -f "$policy"; fi
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  printf '#!/bin/sh\n%s\nexit 101\n' "$marker" >"$policy"
  chmod 755 "$policy"
fi

export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
apt() { apt-get -q -y -o "DPkg::Lock::Timeout=$lock_timeout" "$@" 9<&-; }

# A fresh machine has no package lists, and an old one's lack security updates.
updated=/run/backplane-apt-updated
if [ -z "$(find "$updated" -mmin -10 2>/dev/null)" ] && apt update; then touch "$updated"; fi
apt install --no-install-recommends "$@"
