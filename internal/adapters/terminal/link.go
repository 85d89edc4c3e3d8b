package terminal

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// How terminals mark text that opens an address (OSC 8).
const (
	linkStart = "\x1b]8;;"
	linkDone  = "\x1b\\"
	linkEnd   = linkStart + linkDone
)

// ShowsLinks reports whether the terminal with this environment is known to show links.
// Others may print the raw sequences. FORCE_HYPERLINK overrides, as in other programs.
func ShowsLinks(env func(string) string) bool {
	if force := env("FORCE_HYPERLINK"); force != "" {
		return force != "0"
	}
	if env("TERM_PROGRAM") == "tmux" { // it knows what its own terminal can
		major, minor, _ := strings.Cut(env("TERM_PROGRAM_VERSION"), ".")
		n, _ := strconv.Atoi(major)
		return n > 3 || n == 3 && minor >= "4"
	}
	if env("TMUX") != "" || strings.HasPrefix(env("TERM"), "screen") {
		return false // whose terminal is unknown
	}
	if vte, _ := strconv.Atoi(env("VTE_VERSION")); vte >= 5002 { // 5000 crashes
		return true
	}
	known := []string{"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "zed"}
	kinds := []string{"xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "contour"}
	return slices.Contains(known, env("TERM_PROGRAM")) || slices.Contains(kinds, env("TERM")) ||
		env("WT_SESSION") != "" || env("KITTY_WINDOW_ID") != "" || env("KONSOLE_VERSION") != "" || env("DOMTERM") != ""
}

// target returns an address in a form safe for terminals; "" if it is not that of a page
// or a mailbox.
func target(address string) string {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) || u.Scheme != "mailto" && u.Host == "" {
		return ""
	}
	var b strings.Builder
	for _, c := range []byte(u.String()) {
		if c <= ' ' || c >= 0x7f {
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(c)|0x100, 16)[1:]))
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
