package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/urls"
)

// far returns the addresses in a call's arguments, wherever they stand in them, whose
// host the person did not type and that no search found.
func (t Taint) far(args json.RawMessage) (list []string) {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var values any
	if d.Decode(&values) != nil {
		return nil // it is no call either
	}
	each(values, "", func(key, value string) {
		if slices.Contains(t.URLs, strings.TrimSpace(value)) {
			return
		}
		for _, n := range urls.Hosts(value) {
			known := slices.Contains(t.Hosts, n.Host) || slices.Contains(t.URLs, n.Text) || n.Mail && ofPeople(key)
			if !known && !slices.Contains(list, n.Text) {
				list = append(list, n.Text)
			}
		}
	})
	return list
}

// each calls f with every text in a value, names included, and with the key under
// which it stands.
func each(value any, key string, f func(key, value string)) {
	switch v := value.(type) {
	case string:
		f(key, v)
	case []any:
		for _, e := range v {
			each(e, key, f)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			f("", k)
			each(v[k], k, f)
		}
	}
}

// mailKeys are parts of the names of arguments that take a mailbox as somebody's name.
var mailKeys = []string{"mail", "sender", "recipient", "contact", "user", "person", "people", "participant", "attendee",
	"invite", "member", "owner", "author", "assignee", "login", "account"}

// ofPeople reports whether an argument names people. A mailbox anywhere else may be
// the beginning of an address, with a user before its host.
func ofPeople(key string) bool {
	key = strings.ToLower(key)
	return slices.Contains([]string{"to", "cc", "bcc", "from"}, key) || slices.ContainsFunc(mailKeys,
		func(k string) bool { return strings.Contains(key, k) })
}

// TypedHosts lists the hosts in what a person typed: of addresses, and bare
// names with a dot such as example.org. Quoted and forwarded text is not typed.
func TypedHosts(said string) []string {
	var hosts []string
	note := func(host string) {
		if host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	for _, word := range strings.FieldsFunc(said, func(r rune) bool { return r <= ' ' || strings.ContainsRune("<>()[]{}\"'`|,;", r) }) {
		word = strings.TrimRight(word, ".:!?*_")
		if !strings.Contains(word, "://") {
			word = "https://" + word
		}
		if host := text.Host(word); strings.Contains(host, ".") {
			note(host)
		}
	}
	for _, n := range urls.Hosts(said) {
		note(n.Host)
	}
	return hosts
}

// leads says where a call leads that the person did not name, with the whole addresses;
// "" for nowhere.
func leads(ctx context.Context, far []string) string {
	if len(far) == 0 {
		return ""
	}
	shown := make([]string, len(far))
	for i, a := range far {
		shown[i] = "`" + strings.Join(strings.Fields(strings.ReplaceAll(text.Plain(a), "`", "%60")), " ") + "`"
		if hosts := urls.Hosts(a); len(hosts) > 0 && !strings.Contains(strings.ToLower(a), hosts[0].Host) {
			shown[i] += " (`" + hosts[0].Host + "`)"
		}
	}
	return catalog.Say(ctx, "This tells something to an address that you did not name: %s", strings.Join(shown, ", "))
}
