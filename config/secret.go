package config

import (
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"parley/internal/text"
)

// Secret is a text that never appears in prints, logs or encodings. string(s) returns the
// value.
type Secret string

const hidden = "(hidden)"

// String shows only whether there is a value.
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

// keyName matches query parameters that hold a secret.
var keyName = text.Pattern(`(?i)key|token|secret|auth|sig|pass`)

// plain are headers without secrets.
var plain = []string{"accept", "accept-language", "content-type", "user-agent"}

// Secrets lists all values that must never be shown: secrets, values of env and headers,
// passwords and keys in addresses, and what replaced a ${VARIABLE} or a file.
func (c Config) Secrets() (list []string) {
	list = slices.Clone(c.filled)
	add := func(value string) {
		if value != "" {
			list = append(list, value)
		}
	}
	add(c.Database.password())
	c.each(func(s *Setting) {
		switch value := s.value.Interface().(type) {
		case Secret:
			add(string(value))
		case []Secret:
			for _, entry := range value {
				if s.form == "query" {
					if name, v, _ := strings.Cut(string(entry), "="); keyName().MatchString(name) {
						add(v)
					}
					continue
				}
				if s.form == "header" {
					name, v, _ := strings.Cut(string(entry), ":")
					if slices.Contains(plain, strings.ToLower(strings.TrimSpace(name))) {
						continue
					}
					add(strings.TrimSpace(v))
					_, key, _ := strings.Cut(strings.TrimSpace(v), " ") // of "Bearer KEY"
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
					if keyName().MatchString(name) {
						list = append(list, values...)
					}
				}
			}
		}
	})
	return list
}
