package text

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Hidden replaces a secret.
const Hidden = "(hidden)"

// Redactor hides exact secrets, also in their quoted, URL-escaped, base64 and hexadecimal
// forms. It does not recognize a secret that is split or encoded in another way.
type Redactor []string // longest first

// NewRedactor hides the secrets that have at least shortest bytes.
func NewRedactor(secrets []string, shortest int) (r Redactor) {
	for _, s := range secrets {
		if len(s) < shortest {
			continue
		}
		quoted := strconv.Quote(s)
		escaped, _ := json.Marshal(s) // a string can be marshalled
		r = append(r, s, quoted[1:len(quoted)-1], string(escaped[1:len(escaped)-1]), url.PathEscape(s), url.QueryEscape(s))
		if len(s) >= shortestEncoded {
			r = append(r, encoded(s)...)
		}
	}
	slices.SortFunc(r, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	return slices.Compact(r)
}

// shortestEncoded is the shortest secret whose encoded forms are hidden, in bytes: those of
// shorter ones are in innocent text by chance.
const shortestEncoded = 8

// encoded returns what of a secret can be seen in text that holds it in base64 or in
// hexadecimal. Base64 looks different with each number of bytes before the secret, modulo
// three; letters that tell of its neighbors too are left out, unless it stands alone.
func encoded(secret string) (forms []string) {
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		alone := enc.EncodeToString([]byte(secret))
		forms = append(forms, alone, strings.TrimRight(alone, "="))
		for before := range 3 {
			all := enc.EncodeToString([]byte(strings.Repeat("x", before) + secret))
			forms = append(forms, all[(8*before+5)/6:8*(before+len(secret))/6])
		}
	}
	for _, f := range forms {
		if strings.Contains(f, "/") { // as some write it in JSON
			forms = append(forms, strings.ReplaceAll(f, "/", `\/`))
		}
	}
	small := hex.EncodeToString([]byte(secret))
	return append(forms, small, strings.ToUpper(small))
}

// Hide returns s with every secret hidden.
func (r Redactor) Hide(s string) string {
	for _, secret := range r {
		if strings.Contains(s, secret) {
			s = strings.ReplaceAll(s, secret, Hidden)
		}
	}
	return s
}

// Finds reports whether there is a secret in s.
func (r Redactor) Finds(s string) bool {
	return slices.ContainsFunc(r, func(secret string) bool { return strings.Contains(s, secret) })
}

// FindsIn is Finds for JSON.
func (r Redactor) FindsIn(b json.RawMessage) bool {
	return r.Finds(View(b))
}

// HideJSON is Hide for JSON; without a secret it returns b itself.
func (r Redactor) HideJSON(b json.RawMessage) json.RawMessage {
	if !r.FindsIn(b) {
		return b
	}
	return json.RawMessage(r.Hide(string(b)))
}

// Open returns how many bytes at the end of s may be the beginning of a secret.
func (r Redactor) Open(s string) (n int) {
	for _, secret := range r {
		for k := min(len(secret)-1, len(s)); k > n; k-- {
			if strings.HasSuffix(s, secret[:k]) {
				n = k
			}
		}
	}
	return n
}

// Blotter is a writer that hides the secrets it knows. Callers must write whole lines, so
// that no secret is split.
type Blotter struct {
	w    io.Writer
	hide atomic.Pointer[Redactor]
}

// Write implements io.Writer.
func (b *Blotter) Write(p []byte) (int, error) {
	hide := b.hide.Load()
	if hide == nil {
		return b.w.Write(p)
	}
	if _, err := io.WriteString(b.w, hide.Hide(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Knows sets what to hide.
func (b *Blotter) Knows(r Redactor) { b.hide.Store(&r) }

// NewBlotter writes to w, and hides nothing yet.
func NewBlotter(w io.Writer) *Blotter { return &Blotter{w: w} }
