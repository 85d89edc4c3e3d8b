package text

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
)

// TestEncodedSecretsAreHidden: a secret is hidden in base64 and in hexadecimal, wherever it
// stands in what was encoded; what holds no secret stays.
func TestEncodedSecretsAreHidden(t *testing.T) {
	const secret = "sk-ANT/7f?>>~~9aQz=="
	hide := NewRedactor([]string{secret, "four"}, 4)
	encodings := map[string]func(string) string{
		"base64":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"raw base64": func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
		"url base64": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"in JSON": func(s string) string {
			b, _ := json.Marshal(base64.StdEncoding.EncodeToString([]byte(s)))
			return strings.ReplaceAll(string(b), "/", `\/`)
		},
		"hex": func(s string) string { return hex.EncodeToString([]byte(s)) },
		"HEX": func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	}
	for name, encode := range encodings {
		for before := range 7 {
			for after := range 4 {
				plain := "user name"[:before] + secret + "tail"[:after]
				got := hide.Hide("X " + encode(plain) + " Y")
				if !strings.Contains(got, Hidden) || !hide.Finds(encode(plain)) {
					t.Errorf("%s of %q: %q", name, plain, got)
				}
				if bare := strings.ReplaceAll(got, Hidden, ""); len(bare) > len("X  Y")+len(encode(plain))-len(encode(secret))+12 {
					t.Errorf("%s of %q leaves %q", name, plain, got)
				}
			}
		}
	}
	for _, name := range []string{"base64", "raw base64", "url base64", "hex", "HEX"} {
		if got := hide.Hide("(" + encodings[name](secret) + ")"); strings.TrimRight(got, "=)") != "("+strings.TrimRight(Hidden, ")") {
			t.Errorf("alone: %q", got)
		}
	}
	for _, innocent := range []string{encodings["base64"]("nothing of that kind in here"), encodings["hex"]("four"), "Zm91cg=="} {
		if got := hide.Hide(innocent); got != innocent {
			t.Errorf("%q became %q", innocent, got)
		}
	}
}
