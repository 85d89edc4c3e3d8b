package urls

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"

	"parley/internal/text"
)

// Named is a host that a text names.
type Named struct {
	Host string // as it is looked up; "" of what follows the first hundred
	Text string // the address that names it, as far as it goes
	// Mail is true where nothing but a mailbox is named.
	Mail bool
}

var (
	// opening matches what a host follows: schemes of the network with any slashes, as
	// browsers read them, and all others with two.
	opening = text.Pattern(
		`(?i)(?:(?:https?|wss?|ftps?|sftp|ssh|git|smb|ldaps?|gopher|telnet|rtsp|davs?):[/\\]*|(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,})`)
	// dotted matches what may hold a name or a number with dots, and those with colons.
	dotted = text.Pattern(`(?i)(?:[0-9a-f]{0,4}:){2,7}[0-9a-f.]{0,15}|[\pL\pN][\pL\pN\pM_-]*\.[\pL\pN\pM_.-]+`)
	// name matches a host in that.
	name = text.Pattern(`(?i)(?:[\pL\pN][\pL\pN\pM_-]*\.)+(?:xn--[a-z0-9-]+|[\pL\pM]{2,63})|\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f.]{0,15}`)
)

// Hosts returns the hosts that a text names, with a scheme or without, also in the
// letters of other scripts, escaped, and inside another address. Names of files that
// look like hosts of two parts, such as notes.md, are none.
func Hosts(s string) (list []Named) {
	s, _ = text.Strip(s)
	s = strings.ReplaceAll(norm.NFKC.String(s), "。", ".")
	type key struct {
		host string
		mail bool
	}
	seen := map[key]bool{}
	for range 4 { // escaped that often
		for _, n := range slices.Concat(opened(s), bare(s)) {
			if k := (key{n.Host, n.Mail}); !seen[k] {
				seen[k], list = true, append(list, n)
			}
		}
		plain := unescaped(s)
		if plain == s {
			break
		}
		s = plain
	}
	return list
}

// unescaped returns a text without its percent signs; what is no escape stays.
func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+3 <= len(s) {
			if c, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), " ")
}

// opened returns the hosts that follow a scheme, or slashes.
func opened(s string) (list []Named) {
	for _, at := range opening().FindAllStringIndex(s, -1) {
		if len(list) == most { // that there are more is all that is said
			return append(list, Named{Text: run(s[at[0]:])})
		}
		authority := text.ClipBytes(s[at[1]:], longestName)
		if end := strings.IndexFunc(authority, func(r rune) bool {
			return unicode.IsSpace(r) ||
				strings.ContainsRune("/\\?#<>\"'`|{}^", r)
		}); end >= 0 {
			authority = authority[:end]
		}
		authority = authority[strings.LastIndexByte(authority, '@')+1:]
		host := authority
		if inner, ok := strings.CutPrefix(authority, "["); ok {
			host, _, _ = strings.Cut(inner, "]")
		} else if end := strings.IndexFunc(host, func(r rune) bool { return !inHost(r) }); end >= 0 {
			host = host[:end]
		}
		host = text.Dialed(text.ClipBytes(host, longestName))
		ours := networked(s[at[0]:at[1]])
		if host == "" || !ours && !public(host) {
			continue
		}
		list = append(list, Named{Host: host, Text: run(s[at[0]:])})
	}
	return list
}

// networked reports whether a scheme is one of the network, whose host is always meant.
func networked(scheme string) bool {
	scheme, _, _ = strings.Cut(strings.ToLower(scheme), ":")
	return slices.Contains([]string{"http", "https", "ws", "wss", "ftp", "ftps", "sftp", "ssh", "git", "smb", "ldap",
		"ldaps", "gopher", "telnet", "rtsp", "dav", "davs"}, scheme)
}

// bare returns the hosts that stand by themselves, or begin an address without scheme.
func bare(s string) (list []Named) {
	for _, at := range names(s) {
		if len(list) == most { // that there are more is all that is said
			return append(list, Named{Text: run(s[at[0]:])})
		}
		before, after, found := s[:at[0]], s[at[1]:], s[at[0]:at[1]]
		leads := strings.HasPrefix(after, "/") || strings.HasPrefix(after, "?") || strings.HasPrefix(after, "\\")
		if strings.HasSuffix(before, "/") || strings.HasSuffix(before, "\\") { // a part of a path, or opened has it
			continue
		}
		if strings.HasSuffix(before, "%") && unescaped("%"+found) != "%"+found { // it begins otherwise
			continue
		}
		host := text.Dialed(found)
		switch _, err := netip.ParseAddr(found); {
		case err == nil && strings.ContainsAny(found, "0123456789") && !within(before, after):
		case strings.Contains(found, ":"), !strings.ContainsFunc(found[strings.LastIndexByte(found, '.')+1:], unicode.IsLetter):
			continue
		case !leads && (!public(host) || file(host)):
			continue
		}
		n := Named{Host: host, Text: run(s[at[0]:])}
		if local, ok := strings.CutSuffix(before, "@"); ok {
			local = local[max(0, len(local)-longest):]
			local = local[strings.LastIndexFunc(local, unicode.IsSpace)+1:]
			n.Mail = !leads && !strings.HasPrefix(after, ":") && !strings.ContainsAny(local, ":/")
			n.Text = local + "@" + n.Text
		}
		list = append(list, n)
	}
	return list
}

// names returns where names and numbers stand in a text. Of what is too long to be a
// name it looks at the end.
func names(s string) (list [][]int) {
	for _, at := range dotted().FindAllStringIndex(s, -1) {
		from := max(at[0], at[1]-longestName)
		for _, in := range name().FindAllStringIndex(s[from:at[1]], -1) {
			list = append(list, []int{from + in[0], from + in[1]})
		}
	}
	return list
}

// within reports whether what is between two texts is only a part of a word.
func within(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return unicode.IsLetter(last) || unicode.IsDigit(last) || unicode.IsLetter(next) || unicode.IsDigit(next)
}

func inHost(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune(".-_~%", r)
}

// Bounds of what is found: more than anybody is asked about.
const (
	most        = 100  // hosts of each kind
	longest     = 4000 // bytes of an address
	longestName = 1000 // bytes of a name: none that long can be looked up
)

// run returns a text up to its first space, bracket or quotation mark.
func run(s string) string {
	s = text.ClipBytes(s, longest)
	if end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>\"`", r) }); end >= 0 {
		return s[:end]
	}
	return s
}

// reserved are the last parts of names that are nobody's to register, and may lead
// somewhere all the same.
var reserved = []string{"example", "test", "invalid", "local", "localhost", "internal", "lan", "onion"}

// public reports whether a host is a number, or a name with an ending that exists.
func public(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	ending, ok := endingOf(host)
	return ok && ending != host
}

// endingOf returns what a registry registers names under: com, co.uk. What people
// may have below a service of somebody's is no such ending.
func endingOf(host string) (ending string, ok bool) {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if slices.Contains(reserved, last) {
		return last, true
	}
	ending, ok = publicsuffix.PublicSuffix(host)
	for !ok {
		_, above, more := strings.Cut(ending, ".")
		if !more {
			return "", false
		}
		ending, ok = publicsuffix.PublicSuffix(above)
	}
	return ending, true
}

// endings of files that are also those of countries and the like.
var fileEndings = []string{"ac", "ai", "am", "app", "br", "cab", "cc", "do", "in", "la", "md", "mk", "ml", "mm", "mov",
	"pl", "pm", "ps", "pub", "py", "rs", "sc", "sh", "so", "st", "tf", "zip"}

// file reports whether a name is as likely a file's: it has two parts, the second of
// which is an ending of files. Only who has registered it before would learn of it.
func file(host string) bool {
	_, ending, _ := strings.Cut(host, ".")
	return slices.Contains(fileEndings, ending)
}

// Carries reports whether a bare name may tell its host something: it has more parts
// than were registered.
func Carries(host string) bool {
	host = text.Dialed(host)
	ending, ok := endingOf(host)
	rest := strings.TrimSuffix(strings.TrimSuffix(host, ending), ".")
	return ok && strings.Contains(rest, ".")
}
