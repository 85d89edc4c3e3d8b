#!/bin/sh
# Installs Parley from a release, or takes it away again. It needs no Go and no
# compiler, asks for no password and never calls sudo.
#
#   sh install.sh                          from the folder that it is in
#   sh install.sh --from FOLDER|URL        from there
#   sh install.sh --uninstall              away again; settings and data stay
#
# --prefix DIR   where to (/usr/local for root, ~/.local for anybody else)
# --version V    which, if there are several
# --arch A       amd64, arm64, armv7 or riscv64; else this machine's
# --force        replace files that something else put there
set -eu

# Everything is in functions, so that half a download does nothing.

fail() { # sentence...
	printf 'install.sh: %s\n' "$*" >&2
	exit 1
}

note() { printf '%s\n' "$*"; }

usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; }

has() { command -v "$1" >/dev/null 2>&1; }

# sum FILE: its SHA-256.
sum() {
	if has sha256sum; then sha256sum "$1"; elif has shasum; then shasum -a 256 "$1"; else openssl dgst -sha256 -r "$1"; fi | cut -d' ' -f1
}

# get NAME FILE: from a folder or an address; false if it is not there.
get() {
	case $from in
	http://127.0.0.1[:/]* | http://localhost[:/]* | https://*)
		if has curl; then
			curl -fsSL --proto-redir =https "${from%/}/$1" -o "$2"
		elif has wget; then
			wget -q -O "$2" "${from%/}/$1"
		else
			fail "neither curl nor wget is here: fetch the release yourself and say --from FOLDER"
		fi
		;;
	*://*) fail "$from: only https is trusted" ;;
	*) [ -f "$from/$1" ] && cp "$from/$1" "$2" ;;
	esac
}

machine() {
	[ "$(uname -s)" = Linux ] || fail "releases are for Linux; on $(uname -s) build it: docs/install.md says how"
	case $(uname -m) in
	x86_64 | amd64) echo amd64 ;;
	aarch64 | arm64) echo arm64 ;;
	armv7* | armv8l) echo armv7 ;;
	riscv64) echo riscv64 ;;
	*) fail "there is no release for $(uname -m); build it: README.md says how" ;;
	esac
}

# owner PATH: its owner's numeric id, without following a link.
owner() { ls -ldn "$1" | awk '{print $3}'; }

# Check the folder's owner: root must not leave files in somebody's home, nor use a
# folder where anybody may write.
trusted_folder() { # folder, which may not be there yet
	at=$1
	while [ ! -e "$at" ] && [ ! -L "$at" ]; do at=$(dirname "$at"); done
	[ -d "$at" ] || fail "$at is no folder"
	if [ "$me" = 0 ]; then
		[ "$(owner "$at/.")" = 0 ] || fail "$at belongs to somebody else: run this as them, without sudo, or choose a --prefix that belongs to root"
		case $(ls -ldn "$at/.") in ????????w*) fail "anybody may write to $at: choose another --prefix" ;; esac
	elif [ ! -w "$at" ]; then
		fail "$at is not yours to write to, and this calls no sudo: choose a --prefix of your own, or run it as root"
	fi
}

# replaceable FILE: nothing is there, or a file that this script installed.
replaceable() {
	target=$prefix/$1
	[ -e "$target" ] || [ -L "$target" ] || return 0
	if ! mine "$1" && [ "$force" = no ]; then
		fail "$target is there already, and this did not put it there: move it away, or say --force"
	fi
	{ [ -f "$target" ] && [ ! -L "$target" ]; } || fail "$target is no plain file: move it away"
	[ "$(owner "$target")" = "$me" ] || fail "$target belongs to somebody else (user number $(owner "$target")): remove it as them first"
}

mine() { [ -f "$list" ] && grep -qxF "$1" "$list"; }

# wanted: the files of the release that belong on this machine, in order.
wanted() {
	(cd "$new" && find . -type f) | sed 's#^\./##' | sort | while read -r file; do
		case $file in
		lib/systemd/*) [ "$service" = no ] || echo "$file" ;;
		*) echo "$file" ;;
		esac
	done
}

# fetch: the release, verified and unpacked in $new.
fetch() {
	get SHA256SUMS "$work/SHA256SUMS" || fail "$from has no SHA256SUMS, so there is nothing to compare what is installed with"
	names=$(awk '{print $2}' "$work/SHA256SUMS" | sed 's/^\*//' | grep "^parley_${version:-.*}_linux_$arch\.tar\.gz\$" || true)
	case $names in
	"") fail "$from has no release ${version:+$version }for $arch" ;;
	*"
"*) fail "$from has several releases; say which with --version: $(echo "$names" | tr '\n' ' ')" ;;
	*/*) fail "SHA256SUMS names a file elsewhere: $names" ;;
	esac
	want=$(awk -v n="$names" '$2 == n || $2 == "*" n {print $1}' "$work/SHA256SUMS")
	get "$names" "$work/release.tar.gz" || fail "$from/$names cannot be read"
	got=$(sum "$work/release.tar.gz")
	[ "${#got}:$got" = "64:$want" ] || fail "$names is not what SHA256SUMS says: expected $want, got $got. Nothing was installed"
	case $(tar -tzf "$work/release.tar.gz") in /* | *"
/"* | *..*) fail "$names would write outside its folder" ;; esac
	mkdir "$work/release"
	tar -xzof "$work/release.tar.gz" -C "$work/release"
	new=$(echo "$work/release/"*)
	[ -f "$new/bin/bot" ] || fail "$names has no bin/bot"
	[ "$arch" != "$(machine)" ] || said=$("$new/bin/bot" --version) || fail "the program in $names does not run on this machine"
}

# put FILE: atomically, so that a running program keeps its file.
put() {
	target=$prefix/$1 folder=$(dirname "$prefix/$1")
	missing=
	at=$folder
	while [ ! -d "$at" ]; do missing="$at
$missing" at=$(dirname "$at"); done
	mkdir -p "$folder"
	[ -z "$missing" ] || printf '%s' "$missing" >>"$work/folders"
	mode=644
	[ ! -x "$new/$1" ] || mode=755
	cp "$new/$1" "$target.new.$$"
	chmod "$mode" "$target.new.$$"
	mv -f "$target.new.$$" "$target"
}

install_it() {
	for tool in tar gzip awk; do has $tool || fail "$tool is needed"; done
	umask 022
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	said=
	fetch
	wanted >"$work/wanted"
	# Check everything before changing anything.
	trusted_folder "$prefix"
	while read -r file; do
		trusted_folder "$(dirname "$prefix/$file")"
		replaceable "$file"
	done <"$work/wanted"
	before=
	[ ! -f "$list" ] || before=$(cat "$list")
	: >"$work/folders"
	while read -r file; do put "$file"; done <"$work/wanted"
	printf '%s\n' "$before" | while read -r file; do # what a release before this one had
		[ -z "$file" ] || grep -qxF "$file" "$work/wanted" || rm -f "$prefix/$file"
	done
	[ ! -f "$list.folders" ] || cat "$list.folders" >>"$work/folders"
	cp "$work/wanted" "$list"
	sort -u "$work/folders" >"$list.folders"
	if [ "$service" = yes ]; then
		[ -d /etc/parley ] || mkdir -m 0700 /etc/parley
		[ ! -d /run/systemd/system ] || systemctl daemon-reload
	fi
	tell
}

tell() {
	note "${said:-Parley for $arch} is in $prefix: the program bin/bot, its manual page, completion for bash, zsh and fish, and the documentation in share/doc/parley."
	[ "$service" = no ] || note "The service is prepared, not started. Settings and secrets belong into /etc/parley."
	case ":$PATH:" in *":$prefix/bin:"*) ;; *) note "Your PATH lacks $prefix/bin: add it, or call $prefix/bin/bot." ;; esac
	other=$(command -v bot || true)
	[ -z "$other" ] || [ "$other" = "$prefix/bin/bot" ] || note "Typing bot starts $other, which comes first in your PATH."
	[ -e /etc/ssl/certs/ca-certificates.crt ] || [ -e /etc/pki/tls/certs/ca-bundle.crt ] || [ -e /etc/ssl/cert.pem ] || [ -e /etc/ssl/ca-bundle.pem ] ||
		note "This machine has no certificates to check others by: install ca-certificates, or no platform and no model can be reached."
	if has systemctl && systemctl -q is-active parley 2>/dev/null; then
		note "Parley is running with the program from before: systemctl restart parley"
	fi
	note "Next: bot chat tries it here; bot init sets it up; bot doctor checks."
	note "Undo: sh $prefix/share/parley/install.sh --uninstall --prefix $prefix"
}

uninstall() {
	[ -f "$list" ] || fail "there is nothing of this in $prefix ($list is missing)"
	[ "$(owner "$list")" = "$me" ] || fail "$prefix was installed by somebody else (user number $(owner "$list")): run this as them"
	if [ "$service" = yes ] && [ -d /run/systemd/system ] && mine lib/systemd/system/parley.service; then
		systemctl disable --now parley 2>/dev/null || true
	fi
	files=$(cat "$list") folders=$(sort -r "$list.folders")
	printf '%s\n' "$files" | while read -r file; do
		case $file in "" | /* | *..*) continue ;; esac
		rm -f "$prefix/$file"
	done
	rm -f "$list" "$list.folders"
	printf '%s\n' "$folders" | while read -r folder; do
		case $folder in "$prefix" | "$prefix"/*) rmdir "$folder" 2>/dev/null || true ;; esac
	done
	[ "$service" = no ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload
	note "Parley is gone from $prefix."
	[ "$service" = no ] || [ ! -d /etc/parley ] || rmdir /etc/parley 2>/dev/null || note "/etc/parley is as it was: your settings and secrets."
	for data in /var/lib/private/parley /var/lib/parley; do
		[ "$service" = no ] || [ ! -d "$data" ] || [ -L "$data" ] || note "$data is as it was: what Parley remembers."
	done
	note "Data folders and settings are never touched; delete them yourself if you want to."
}

main() {
	from='' version='' prefix='' arch='' force=no do=install_it
	while [ $# -gt 0 ]; do
		case $1 in
		--from | --version | --prefix | --arch)
			[ -n "${2-}" ] || fail "$1 needs a value"
			case $1 in --from) from=$2 ;; --version) version=$2 ;; --prefix) prefix=$2 ;; --arch) arch=$2 ;; esac
			shift
			;;
		--force) force=yes ;;
		--uninstall) do=uninstall ;;
		-h | --help) usage && return ;;
		*) fail "what is $1? --help lists what there is" ;;
		esac
		shift
	done
	me=$(id -u)
	if [ -z "$prefix" ]; then
		prefix=/usr/local
		[ "$me" = 0 ] || prefix=${HOME:?where is your home? say --prefix}/.local
	fi
	case $prefix in /*) ;; *) fail "--prefix must be a whole path, beginning with /" ;; esac
	prefix=${prefix%/}
	list=$prefix/share/parley/installed
	service=no # systemd looks for units below /usr/local, and nowhere else of ours
	[ "$me" != 0 ] || [ "$prefix" != /usr/local ] || service=yes
	arch=${arch:-$(machine)}
	if [ -z "$from" ]; then
		from=$(dirname "$0")
		[ "$do" != install_it ] || [ -f "$from/SHA256SUMS" ] || fail "where is the release? say --from FOLDER or --from URL"
	fi
	"$do"
}

main "$@"
