package provider

import (
	"slices"
	"strings"

	"parley/internal/text"
)

// dot stands for a character that is not shown.
const dot = "•"

// secretive is how secrets begin, or what is shaped like nothing else: six digits, as at
// the front of a bot's token.
var secretive = text.Pattern(`^(sk-|gsk_|AIza|xai-|nvapi-|pplx-|hf_|csk-|gh[pousr]_|github_pat_|xox|AKIA|ASIA|\d{6})`)

// plain matches names that people type: a number, a word, a host.
var plain = text.Pattern(`^[a-z0-9._:/-]*$|^[A-Za-z]{1,15}$`)

// bare is an address without its scheme: keys may have dots and slashes, too.
var bare = text.Pattern(
	`^(localhost|[a-z][a-z0-9-]*(:\d{1,5})|([a-z0-9-]+\.)+[a-z]{2,}|\d{1,3}(\.\d{1,3}){3})(:\d{1,5})?(/[a-z0-9._/-]*)?$`)

// longestWord is the longest run of letters and digits that is taken for a name.
const longestWord = 23

// IsAddress reports whether a text is certainly the address of a server, and no
// secret.
func (f Forms) IsAddress(text string) bool {
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		return true
	}
	return f.Owner(text) == "" && bare().MatchString(text) && short(text)
}

func short(w string) bool {
	return !slices.ContainsFunc(strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("./:", r) }),
		func(part string) bool { return len(part) > longestWord })
}

// Veil returns what may be shown of a line that names a model's endpoint, as in
// "ADDRESS KEY MODEL", while it is typed: addresses and names are, and secrets are
// dots, one for each character.
func Veil(line string) string {
	words := strings.Split(line, " ")
	address := false
	for i, w := range words {
		switch {
		case i == 0 && open(w):
			address = strings.ContainsAny(w, "./:")
			words[i] = withoutLogin(w)
		case i == 1 && address && w != "-":
			words[i] = dots(w)
		case i > 0 && !secretive().MatchString(w):
		default:
			words[i] = dots(w)
		}
	}
	return strings.Join(words, " ")
}

// open reports whether a first word is no secret.
func open(w string) bool {
	if strings.HasPrefix(w, "http://") || strings.HasPrefix(w, "https://") {
		return true
	}
	return !secretive().MatchString(w) && plain().MatchString(w) && short(w)
}

// withoutLogin hides the name and password of an address.
func withoutLogin(w string) string {
	scheme, rest, ok := strings.Cut(w, "://")
	login, host, at := strings.Cut(rest, "@")
	if !ok || !at {
		return w
	}
	return scheme + "://" + dots(login) + "@" + host
}

func dots(w string) string { return strings.Repeat(dot, len([]rune(w))) }
