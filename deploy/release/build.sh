#!/bin/sh
# Builds what people install without Go into dist/: static programs for Linux on
# amd64 and arm64, and where ARCHS says so armv7 and riscv64, each as a tar and a deb; a zip
# for Windows where ELSEWHERE is windows_amd64; with their SBOMs and checksums. Called by
# make release. The same commit, Go and tools make the same bytes.
#
# VERSION, COMMIT, DATE (of the commit, in seconds), ARCHS and ELSEWHERE may be given; git
# supplies the rest. TOOLS is where the compiler and the SBOM writer are installed.
# QUICK=1 uses this machine's tools instead: for this architecture only, without an
# SBOM, to try packaging and installing. Do not publish the result.
set -eu
cd "$(dirname "$0")/../.."
from=deploy/release
DIST=${DIST:-dist} ARCHS=${ARCHS-amd64 arm64} ELSEWHERE=${ELSEWHERE-}
TOOLS=${TOOLS:-${TMPDIR:-/tmp}/parley-release}
COMMIT=${COMMIT:-$(git rev-parse HEAD)}
DATE=${DATE:-$(git log -1 --format=%ct)}
# Without a tag, a version that sorts before every release.
VERSION=${VERSION:-$(git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null || echo "v0.0.0-$(date -u -d "@$DATE" +%Y%m%d%H%M%S)-$(git rev-parse --short=12 HEAD)$(git diff --quiet HEAD || echo -dirty)")}
export SOURCE_DATE_EPOCH="$DATE" LC_ALL=C TZ=UTC
umask 022

# build TARGET: linux_ARCH or that of another system, static where that can be. SQLite's
# threads get the stack that the linker notes, 8 MB under musl.
build() {
	cc=$(go env CC) tags=sqlite_fts5 trim= pgo=off system=${1%_*} cpu=${1#*_}
	if [ -z "${QUICK:-}" ]; then
		tags="$tags netgo osusergo" trim=-trimpath pgo=deploy/release/bot.pgo
		case $1 in
		linux_amd64) cc="$zig cc -target x86_64-linux-musl" ;;
		linux_arm64) cc="$zig cc -target aarch64-linux-musl" ;;
		linux_armv7) cc="$zig cc -target arm-linux-musleabihf" cpu=arm ;;
		linux_riscv64) cc="$zig cc -target riscv64-linux-musl" ;;
		windows_amd64) cc="$zig cc -target x86_64-windows-gnu" ;;
		*) echo "release: there is no compiler for $1" >&2 && exit 2 ;;
		esac
	fi
	CGO_ENABLED=1 GOOS=$system GOARCH=$cpu GOARM=7 CC=$cc go build $trim -buildvcs=false "-pgo=$pgo" -tags "$tags" \
		-ldflags "-s -w -buildid= -linkmode external -extldflags '-static -Wl,-s' -X main.version=$VERSION -X main.commit=$COMMIT -X main.date=$(date -u -d "@$DATE" +%F)" \
		-o "$work/$1/bot" ./cmd/bot
}

# pack FOLDER FILE: a reproducible tar, without user names and times.
pack() {
	tar --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mtime="@$DATE" -C "$(dirname "$1")" -cf - "$(basename "$1")" | gzip -9n >"$2"
}

# lay ROOT TARGET PREFIX: the files of an installation below ROOT.
lay() {
	install -D -m 0755 "$work/$2/bot" "$1/bin/bot"
	install -D -m 0644 "$work/bot.1" "$1/share/man/man1/bot.1"
	install -D -m 0644 "$work/bot.bash" "$1/share/bash-completion/completions/bot"
	install -D -m 0644 "$work/bot.zsh" "$1/share/zsh/site-functions/_bot"
	install -D -m 0644 "$work/bot.fish" "$1/share/fish/vendor_completions.d/bot.fish"
	install -d "$1/lib/systemd/system" "$1/share/doc/parley"
	sed "s#/usr/local/#$3/#" deploy/parley.service >"$1/lib/systemd/system/parley.service"
	install -m 0644 README.md CHANGELOG.md LICENSE config/bot.example.yaml deploy/parley-tools.conf "$1/share/doc/parley/"
	cp -R docs "$1/share/doc/parley/docs"
	chmod -R u=rwX,go=rX "$1"
}

# deb ARCH: the package.
deb() {
	root=$work/linux_$1/deb
	case $1 in armv7) debian=armhf ;; *) debian=$1 ;; esac
	lay "$root/usr" "linux_$1" /usr
	mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
	mv "$root/usr/share/doc/parley/LICENSE" "$root/usr/share/doc/parley/copyright"
	gzip -9n "$root/usr/share/man/man1/bot.1" "$root/usr/share/doc/parley/CHANGELOG.md"
	mv "$root/usr/share/doc/parley/CHANGELOG.md.gz" "$root/usr/share/doc/parley/changelog.gz"
	mkdir -p "$root/DEBIAN" "$root/lib"
	mv "$root/usr/lib/systemd" "$root/lib/systemd"
	rmdir "$root/usr/lib"
	install -d -m 0700 "$root/etc/parley"
	# A pre-release sorts before its release (1.2.0~rc1), later commits after it
	# (1.2.0+3.gabc).
	debversion=$(echo "${VERSION#v}" | sed 's/-\([0-9]*\)-\(g[0-9a-f]*\)/+\1.\2/; s/-/~/; s/-/./g')
	sed "s/@VERSION@/$debversion/; s/@ARCH@/$debian/; s/@SIZE@/$(du -sk "$root" | cut -f1)/" $from/deb/control >"$root/DEBIAN/control"
	install -m 0755 $from/deb/postinst $from/deb/prerm $from/deb/postrm "$root/DEBIAN/"
	(cd "$root" && find usr lib -type f | sort | xargs md5sum) >"$root/DEBIAN/md5sums"
	find "$root" -exec touch -h -d "@$DATE" {} +
	dpkg-deb --root-owner-group -Z"$compression" --build "$root" "$DIST/parley_${debversion}_$debian.deb" >/dev/null
}

# zip TARGET FILE: the program and the documentation, as Windows unpacks it.
zip() {
	folder=$work/$1/parley
	install -D -m 0755 "$work/$1/bot" "$folder/bot.exe"
	install -m 0644 README.md CHANGELOG.md LICENSE config/bot.example.yaml "$folder/"
	cp -R docs "$folder/docs"
	python3 $from/zip.py "$folder" "$2"
}

# sbom TARGET FILE: every Go module inside, and the C in it that no module lists.
sbom() {
	SYFT_CHECK_FOR_APP_UPDATE=false "$TOOLS/bin/syft" scan -q "file:$work/$1/bot" --source-name parley --source-version "$VERSION" -o cyclonedx-json="$work/$1/sbom.json"
	python3 $from/sbom.py "$work/$1/sbom.json" "$("$zig" version)" "${1%_*}" >"$2"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$DIST"
mkdir -p "$DIST"
host=linux_$(go env GOHOSTARCH)
compression=xz
if [ -n "${QUICK:-}" ]; then
	ARCHS=${host#*_} ELSEWHERE='' compression=gzip
else
	[ -x "$TOOLS/bin/python" ] || python3 -m venv "$TOOLS"
	"$TOOLS/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$from/requirements.txt"
	zig=$(echo "$TOOLS"/lib/python3*/site-packages/ziglang/zig)
fi
targets=
for arch in $ARCHS; do targets="$targets linux_$arch"; done
for target in $targets $ELSEWHERE; do
	echo "release: $VERSION for $target"
	build "$target"
done
bot=$work/$host/bot
[ -x "$bot" ] || go build -tags sqlite_fts5 -o "$bot" ./cmd/bot
"$bot" man >"$work/bot.1"
for shell in bash zsh fish; do "$bot" completion $shell >"$work/bot.$shell"; done
for target in $targets $ELSEWHERE; do
	name=parley_${VERSION}_$target
	case $target in
	windows_*) zip "$target" "$DIST/$name.zip" ;;
	*)
		lay "$work/$target/$name" "$target" /usr/local
		install -D -m 0755 $from/install.sh "$work/$target/$name/share/parley/install.sh"
		pack "$work/$target/$name" "$DIST/$name.tar.gz"
		deb "${target#*_}"
		;;
	esac
	[ -n "${QUICK:-}" ] || sbom "$target" "$DIST/$name.cdx.json"
done
install -m 0755 $from/install.sh "$DIST/install.sh"
(cd "$DIST" && sha256sum ./* | sed 's#  \./#  #') >"$work/sums"
install -m 0644 "$work/sums" "$DIST/SHA256SUMS"
ls -l "$DIST"
