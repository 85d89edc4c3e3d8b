#!/bin/bash
# Tries the output of make release in roots without Go and without our files:
#   busybox  a shell and its tools, nothing else, not even time zones
#   debian   debootstrap of this machine's Debian
# Other processors run under qemu-user. Called by make release-check, as root.
#
# ROOTS and ARCHS select some; the default is all. What is missing here (busybox-static,
# debootstrap, qemu-user-static) is installed where apt-get can.
set -euo pipefail
cd "$(dirname "$0")/../.."
DIST=$(realpath "${DIST:-dist}") ROOTS=${ROOTS:-busybox debian}
ARCHS=${ARCHS:-$(sed -n 's/.*_linux_\([a-z0-9]*\)\.tar\.gz$/\1/p' "$DIST/SHA256SUMS")}
KEEP=${TOOLS:-${TMPDIR:-/tmp}/parley-release}
VERSION=$(sed -n 's/.*parley_\(.*\)_linux_.*\.tar\.gz$/\1/p' "$DIST/SHA256SUMS" | head -n 1)
declare -A QEMU=([amd64]=qemu-x86_64-static [arm64]=qemu-aarch64-static [armv7]=qemu-arm-static [riscv64]=qemu-riscv64-static)
here=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

need() { # command package
	command -v "$1" >/dev/null && return
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$2"
}

# make_busybox ROOT: a root with next to nothing.
make_busybox() {
	need busybox busybox-static
	mkdir -p "$1"/{bin,dev,etc,root,tmp}
	chmod 1777 "$1/tmp"
	mknod -m 0666 "$1/dev/null" c 1 3
	cp "$(command -v busybox)" "$1/bin/busybox"
	chroot "$1" /bin/busybox --install -s /bin
	echo 'root:x:0:0:root:/root:/bin/sh' >"$1/etc/passwd"
	echo 'ann:x:1000:1000:Ann:/home/ann:/bin/sh' >>"$1/etc/passwd"
	install -d -o 1000 -g 1000 "$1/home/ann"
}

# make_debian ROOT: from debootstrap, made once.
make_debian() {
	need debootstrap debootstrap
	local kept=$KEEP/debian.tar.gz suite from
	if [ ! -f "$kept" ]; then
		suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
		from=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' | awk -v s="$suite" '$2 == s {print $1; exit}')
		debootstrap --variant=minbase --include=ca-certificates "$suite" "$work/fresh" "$from" >"$work/debootstrap.log" || { tail "$work/debootstrap.log"; return 1; }
		rm -rf "$work"/fresh/var/cache/apt/archives/*.deb
		mkdir -p "$KEEP"
		tar -C "$work/fresh" -czf "$kept.new" . && mv "$kept.new" "$kept"
		rm -rf "$work/fresh"
	fi
	mkdir -p "$1"
	tar -C "$1" -xzf "$kept"
	chroot "$1" useradd -m -u 1000 ann
}

for root in $ROOTS; do
	for arch in $ARCHS; do
		at=$work/$root-$arch
		"make_$root" "$at"
		mkdir "$at/dist"
		cp "$DIST"/* "$at/dist/"
		cp deploy/release/try.sh "$at/try.sh"
		run=
		if [ "$arch" != "$here" ]; then
			need "${QEMU[$arch]}" qemu-user-static
			cp "$(command -v "${QEMU[$arch]}")" "$at/bin/emulate"
			run=emulate
		fi
		env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root BOT_MODEL_NAME=builtin \
			VERSION="$VERSION" ARCH="$arch" RUN="$run" chroot "$at" /bin/sh /try.sh
		echo "release-check: $root $arch: ok, after ${SECONDS} s"
		rm -rf "$at"
	done
done
