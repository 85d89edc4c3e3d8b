package config

import (
	"net/netip"
	"net/url"
	"strings"
)

// Page says where browsers find the control page.
type Page struct {
	URL     string   `yaml:"url" form:"page" doc:"where you open the control page behind a reverse proxy, such as https://home.example/parley/; with none, the address it listens on. Needs http.listen"`
	Members bool     `yaml:"members" default:"false" change:"chat" doc:"people whom you let in may go on with their direct chat in a browser: /web gives them a link that works once. Needs page.url"`
	Proxies []string `yaml:"proxies" form:"network" doc:"addresses of your reverse proxies, such as 127.0.0.1 or 10.0.0.0/8; what they say of the host and of who asks is believed, from everybody else it is not"`
}

// Update says where newer releases are.
type Update struct {
	From string `yaml:"from" form:"url" doc:"address of a folder with releases and their SHA256SUMS, in which bot update --check looks; nothing else ever asks there"`
}

// Networks returns the proxies; what is no address is left out, since Validate refuses it.
func (p Page) Networks() (list []netip.Prefix) {
	for _, text := range p.Proxies {
		if n, ok := network(text); ok {
			list = append(list, n)
		}
	}
	return list
}

// network reads an address, or a network.
func network(text string) (netip.Prefix, bool) {
	if at, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(at, at.BitLen()), at.Zone() == ""
	}
	n, err := netip.ParsePrefix(text)
	return n, err == nil
}

// badPage checks the address of the page: as browsers name it, and a whole path.
func badPage(text string) *Error {
	if e := badURL(text); e != nil {
		return e
	}
	u, _ := url.Parse(text) // badURL has parsed it
	plain := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return wrong(wordsIs, text).hint("only scheme, host and path, such as https://home.example/parley/")
	case strings.ContainsFunc(u.Host, plain):
		return wrong(wordsIs, text).hint("write the host as browsers send it, in ASCII: xn--…")
	case strings.ContainsFunc(u.Path, plain) || strings.ContainsAny(u.Path, "%;\\\"'<>") || strings.Contains(u.Path+"/", "/./") ||
		strings.Contains(u.Path+"/", "/../") || strings.Contains(u.Path, "//"):
		return wrong(wordsIs, text).hint("a path of plain letters, digits and hyphens, such as /parley/")
	}
	return nil
}
