package config

import (
	"net/url"
	"strings"
)

// Database is where the bot's rows are.
type Database struct {
	URL Secret `yaml:"url" form:"postgres" doc:"a PostgreSQL database in place of the file in data_dir, as postgres://user:password@host:5432/name; see docs/operations.md"`
}

// password is that of the URL, "" for none.
func (d Database) password() string {
	u, err := url.Parse(string(d.URL))
	if err != nil {
		return ""
	}
	if p, ok := u.User.Password(); ok {
		return p
	}
	return u.Query().Get("password")
}

// Shown is where the database is, without the user and the password.
func (d Database) Shown() string {
	u, err := url.Parse(string(d.URL))
	if err != nil || d.URL == "" {
		return ""
	}
	host := u.Host
	if host == "" {
		host = u.Query().Get("host")
	}
	return strings.TrimSuffix(host, "/") + "/" + strings.TrimPrefix(u.Path, "/")
}

func badPostgres(address string) *Error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Host == "" && u.Query().Get("host") == "" ||
		strings.Trim(u.Path, "/") == "" {
		return wrong("is not the URL of a PostgreSQL database").hint("postgres://user:password@host:5432/name; write special characters of the password as %%40 and so on")
	}
	return nil
}
