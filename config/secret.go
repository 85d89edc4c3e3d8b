package config

import (
	"log/slog"
	"net/url"
	"regexp"
	"strings"
)

// Secret is a text that never appears in prints, logs or encodings. string(s) is
// the value.
type Secret string

const hidden = "(hidden)"

// String shows only whether there is one.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString is String, for %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue is String, for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is String, for encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// keyName matches parameters of addresses that hold a secret.
var keyName = regexp.MustCompile(`(?i)key|token|secret|auth|sig|pass`)

// Secrets lists the exact values that must never be seen: secrets, the values
// among env and headers, and passwords and keys within addresses.
func (c Config) Secrets() (list []string) {
	add := func(value string) {
		if value != "" {
			list = append(list, value)
		}
	}
	c.each(func(s *Setting) {
		switch value := s.value.Interface().(type) {
		case Secret:
			add(string(value))
		case []Secret:
			for _, entry := range value {
				if s.form == "header" {
					_, v, _ := strings.Cut(string(entry), ":")
					add(strings.TrimSpace(v))
					_, key, _ := strings.Cut(strings.TrimSpace(v), " ") // of Bearer KEY
					add(key)
					continue
				}
				_, v, _ := strings.Cut(string(entry), "=")
				add(v)
			}
		case string:
			if u, err := url.Parse(value); s.form == "url" && err == nil {
				password, _ := u.User.Password()
				add(password)
				for name, values := range u.Query() {
					if keyName.MatchString(name) {
						list = append(list, values...)
					}
				}
			}
		}
	})
	return list
}
