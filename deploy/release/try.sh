#!/bin/sh
# What somebody without Go does with a release, from inside an empty root; see
# check.sh. RUN runs programs of another processor.
set -eu
cd /

fail() {
	echo "try.sh: $*" >&2
	cat /tmp/said >&2
	exit 1
}

# says WHAT COMMAND...: it succeeds and says that; refuses: it fails and says that.
says() {
	what=$1
	shift
	"$@" >/tmp/said 2>&1 </dev/null || fail "$* fails"
	grep -qF -e "$what" /tmp/said || fail "$* does not say: $what"
}
refuses() {
	what=$1
	shift
	if "$@" >/tmp/said 2>&1 </dev/null; then fail "$* works, and should not"; fi
	grep -qF -e "$what" /tmp/said || fail "$* does not say: $what"
}
none() { ! command -v "$1" >/dev/null || fail "there is $1 here, so this shows nothing"; }
chat() { # line, program
	echo "$1" | $RUN "$2" chat --data /srv/data
}

# used PROGRAM: version, checks and a conversation.
used() {
	says "parley $VERSION (" $RUN "$1" --version
	says "linux/$goarch)" $RUN "$1" --version
	says "data folder" $RUN "$1" doctor --data /srv/data
	says "I like snow" chat "remember that I like snow" "$1" # or remembered it already
	says "I like snow" chat "what do you know about me" "$1"
	says "Berlin" chat "/remind zone Europe/Berlin" "$1" # its names are inside
	[ -f /srv/data/bot.db ] || fail "no data"
}

# gone PROGRAM: nothing but the data is left.
gone() {
	[ ! -e "$1" ] || fail "$1 is still there"
	[ -f /srv/data/bot.db ] || fail "the data went, too"
	left=$(find /usr /home /root \( -name '*parley*' -o -name bot.1 -o -name _bot \) ! -path '*/dpkg/*' 2>/dev/null || true)
	[ -z "$left" ] || fail "left behind: $left"
}

goarch=$ARCH debian=$ARCH
[ "$ARCH" != armv7 ] || goarch=arm debian=armhf

mkdir -p /srv
none go
none gcc

# As root, from a folder.
says "Undo:" sh /dist/install.sh --arch "$ARCH"
used /usr/local/bin/bot
says "complete -o default" $RUN /usr/local/bin/bot completion bash
says "Undo:" sh /dist/install.sh --arch "$ARCH" # again, over itself
says "keeps" sh -c 'rm -rf /srv/kept && cp -r /srv/data /srv/kept && echo keeps'
says "Parley is gone" sh /usr/local/share/parley/install.sh --uninstall
gone /usr/local/bin/bot

# As another user, without touching other people's files.
run_as_ann() { su ann -s /bin/sh -c "PATH=$PATH; $1"; }
says "is in /home/ann/.local" run_as_ann "sh /dist/install.sh --arch $ARCH >/tmp/ann; cat /tmp/ann; echo is in /home/ann/.local"
says "parley $VERSION" $RUN /home/ann/.local/bin/bot --version
[ ! -e /home/ann/.local/lib/systemd ] || fail "a unit that nobody reads"
refuses "calls no sudo" run_as_ann "sh /dist/install.sh --arch $ARCH --prefix /usr/local"
refuses "belongs to somebody else" sh /dist/install.sh --arch "$ARCH" --prefix /home/ann/.local
says "Parley is gone" run_as_ann "sh /home/ann/.local/share/parley/install.sh --uninstall"
gone /home/ann/.local/bin/bot

# Foreign files are not replaced, and a forged release is rejected.
mkdir -p /usr/local/bin
echo mine >/usr/local/bin/bot
refuses "is there already" sh /dist/install.sh --arch "$ARCH"
says mine cat /usr/local/bin/bot
rm /usr/local/bin/bot
cp -r /dist /forged
echo more >>"/forged/parley_${VERSION}_linux_$ARCH.tar.gz"
refuses "is not what SHA256SUMS says" sh /dist/install.sh --arch "$ARCH" --from /forged
rm /forged/SHA256SUMS
refuses "has no SHA256SUMS" sh /dist/install.sh --arch "$ARCH" --from /forged
refuses "only https is trusted" sh /dist/install.sh --arch "$ARCH" --from http://example.org/parley
[ ! -e /usr/local/bin/bot ] || fail "installed all the same"

if command -v httpd >/dev/null; then # from an address
	port=$((20000 + $$ % 10000))
	httpd -f -p "127.0.0.1:$port" -h /dist &
	server=$!
	for _ in 1 2 3 4 5; do wget -q -O /dev/null "http://127.0.0.1:$port/SHA256SUMS" && break || sleep 1; done
	says "Undo:" sh /dist/install.sh --arch "$ARCH" --from "http://127.0.0.1:$port"
	says "parley $VERSION" $RUN /usr/local/bin/bot --version
	says "Parley is gone" sh /dist/install.sh --uninstall
	refuses "no SHA256SUMS" sh /dist/install.sh --arch "$ARCH" --from "http://127.0.0.1:$port/elsewhere"
	kill $server
fi

[ -d /var/lib/dpkg ] || exit 0
# As a package.
dpkg --add-architecture "$debian"
says "Parley is installed" dpkg -i /dist/parley_*_"$debian".deb
used /usr/bin/bot
says "ExecStart=/usr/bin/bot" cat /lib/systemd/system/parley.service
echo "telegram: {}" >/etc/parley/bot.yaml
says "" dpkg -r "parley:$debian"
gone /usr/bin/bot
[ -f /etc/parley/bot.yaml ] || fail "the settings went, too"
says "" dpkg --purge "parley:$debian"
[ -f /etc/parley/bot.yaml ] || fail "the settings went, too"
