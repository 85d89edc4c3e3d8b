package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/text"
)

// Said in more than one place.
const (
	wordsIs        = "is %q"
	wordsIsMissing = "is missing"
	wordsPairForm  = "name: value"
	wordsNeedsIt   = "%s needs it"
)

// IDs is the platforms' grammar of people and places in access lists. Person and Entry
// return what is wrong with an id and how it should read, nil if nothing is. Has reports
// whether there is such a platform.
type IDs interface {
	Person(id string) (problem, hint error)
	Entry(id string) (problem, hint error) // a person or a place
	Has(platform string) bool
}

// fail reports a mistake in a setting.
type fail func(path string, e *Error)

// Validate checks every value against its range, and values against each other. Its error
// joins every mistake, each an *Error. Without ids it skips the entries of access lists.
func (c Config) Validate(ids IDs) error { return c.validate(ids, nil) }

func (c *Config) validate(ids IDs, places map[string]string) error {
	var errs []error
	fail := func(path string, e *Error) { errs = append(errs, e.at(path).from(placeOf(places, path))) }
	c.each(func(s *Setting) {
		if e := s.outOfRange(); e != nil {
			fail(s.Path, e)
		} else if path, e := s.misformed(ids); e != nil {
			errs = append(errs, e.at(s.Path).from(placeOf(places, path)))
		}
	})
	c.together(fail)
	return errors.Join(errs...)
}

// placeOf returns where a value, or else its nearest section, was set.
func placeOf(places map[string]string, path string) string {
	for {
		if place := places[path]; place != "" {
			return place
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			return ""
		}
		path = path[:i]
	}
}

// outOfRange checks the tags range and one.
func (s *Setting) outOfRange() *Error {
	if s.Range == "" {
		return nil
	}
	low, high, isRange := strings.Cut(s.Range, "..")
	if !isRange {
		if words := strings.Split(s.Range, "|"); !slices.Contains(words, s.value.String()) {
			return wrong("is %q; expected one of: %s", s.value.String(), strings.Join(words, ", "))
		}
		return nil
	}
	var value float64
	switch {
	case s.value.Type() == tokensType && s.value.Int() == 0, s.value.Type() == warmthType && s.value.Float() < 0: // auto
		return nil
	case s.value.CanFloat():
		value = s.value.Float()
	default:
		value = float64(s.value.Int())
	}
	if !(bound(s.value, low) <= value && value <= bound(s.value, high)) { // also refuses NaN
		return wrong("is %s; expected %s to %s", s.text(), low, high)
	}
	return nil
}

func bound(v reflect.Value, text string) float64 {
	if v.Type() == durationType {
		d, _ := parseDuration(text)
		return float64(d)
	}
	if v.Type() == bytesType {
		n, _ := parseBytes(text)
		return float64(n)
	}
	n, _ := strconv.ParseFloat(text, 64)
	return n
}

var (
	nameForm          = text.Pattern(`^[a-z][a-z0-9_]{0,49}$`) // of tools, variables and journeys
	agentForm         = text.Pattern(`^[A-Za-z][A-Za-z0-9_-]{0,49}$`)
	webhookSecretForm = text.Pattern(`^[A-Za-z0-9_-]+$`) // and at most 256: Bot API setWebhook
	headerForm        = text.Pattern("^[A-Za-z0-9!#$%&'*+.^_`|~-]+:[^\r\n\x00]*$")
	currencyForm      = text.Pattern(`^(\p{L}{1,8}|\p{Sc})$`)
	deskForm          = text.Pattern(`^[a-z][a-z0-9]*:[^/\s]+(/\S+)?$`)
	shardsForm        = text.Pattern(`^(auto|[1-9][0-9]{0,3})$`)
	queryForm         = text.Pattern("(?s)^[^=\r\n]+=[^\r\n\x00]*$")
	metadataForm      = text.Pattern("^[^:\r\n\x00]{1,50}:[^\r\n\x00]{0,500}$")
	envForm           = text.Pattern(`^[A-Za-z_][A-Za-z0-9_]*(=.*)?$`)
)

// misformed checks the tag form. Empty passes unless the form forbids it.
func (s *Setting) misformed(ids IDs) (path string, e *Error) {
	if s.value.Kind() == reflect.Slice {
		for i := range s.value.Len() {
			if e := misformed(s.form, s.value.Index(i), ids); e != nil {
				return fmt.Sprintf("%s[%d]", s.Path, i), e
			}
		}
		return "", nil
	}
	return s.Path, misformed(s.form, s.value, ids)
}

func misformed(form string, v reflect.Value, ids IDs) *Error {
	if v.Kind() != reflect.String {
		return nil
	}
	text := v.String()
	switch {
	case form == "required" && text == "":
		return wrong(wordsIsMissing)
	case form == "title":
		return badTitle(text)
	case form == "name" && !nameForm().MatchString(text):
		return wrong(wordsIs, text).hint("a letter a-z, then up to 49 of a-z, 0-9 and _")
	case form == "agent" && !agentForm().MatchString(text):
		return wrong(wordsIs, text).hint("a letter, then up to 49 letters, digits, _ and -")
	case form == "template":
		return badTemplate(text)
	case form == "hook_secret":
		return badKey(text)
	case form == "spot":
		return badSpot(text, ids)
	case v.Type() == jsonType && !JSON(text).valid():
		return wrong("is not JSON").hint("write it as YAML, or as a text that holds JSON")
	case text == "":
		return nil
	case form == "url":
		return badURL(text)
	case form == "page":
		return badPage(text)
	case form == "network":
		if _, ok := network(text); !ok {
			return wrong(wordsIs, text).hint("an address such as 127.0.0.1, or a network such as 10.0.0.0/8")
		}
	case form == "listen":
		return badListen(text)
	case form == "postgres":
		return badPostgres(text)
	case form == "webhook_secret" && (len(text) > 256 || !webhookSecretForm().MatchString(text)):
		return wrong("has characters that Telegram does not take").hint("1 to 256 of A-Z a-z 0-9 _ -")
	case form == "desk" && text != Owners && !isDesk(text, ids):
		return wrong(wordsIs, text).hint("owners, or a place such as discord:123456789 or telegram:-1001234")
	case form == "currency" && !currencyForm().MatchString(text):
		return wrong(wordsIs, text).hint("up to 8 letters, or a sign: USD, EUR, €")
	case form == "snowflake" && !isID(text):
		return wrong(wordsIs, text).hint("the numeric id: in Discord, Copy Server ID")
	case form == "shards" && !shardsForm().MatchString(text):
		return wrong(wordsIs, text).hint("auto, or a number from 1 to 9999")
	case form == "person" && ids != nil:
		return identified(ids.Person(text))
	case form == "place" && ids != nil:
		return identified(ids.Entry(text))
	case form == "bound":
		return boundTo(text, ids)
	}
	return misformedEntry(form, text)
}

// misformedEntry is misformed for the entries of lists that may be written as pairs.
func misformedEntry(form, text string) *Error {
	switch {
	case form == "query" && !queryForm().MatchString(text):
		return wrong("has an entry without a name").hint(wordsPairForm)
	case form == "env" && !envForm().MatchString(text):
		return wrong("has an entry that names no variable").hint("NAME or NAME=value")
	case form == "header" && !headerForm().MatchString(text):
		return wrong("has an entry that is no header").hint(wordsPairForm)
	case form == "metadata" && !metadataForm().MatchString(text):
		return wrong("has an entry that is no note").hint("name: value, of up to 50 and 500 characters")
	}
	return nil
}

// maxTitle is how long a name that people read may be, in characters.
const maxTitle = 100

// badTitle checks a name that people read.
func badTitle(words string) *Error {
	switch n := utf8.RuneCountInString(words); {
	case strings.TrimSpace(words) == "":
		return wrong(wordsIsMissing)
	case n > maxTitle:
		return wrong("has %d characters; expected 1 to %d", n, maxTitle)
	}
	return nil
}

// isDesk reports whether text names a channel or a thread of a platform.
func isDesk(text string, ids IDs) bool {
	platform, _, _ := strings.Cut(text, ":")
	return deskForm().MatchString(text) && (ids == nil || ids.Has(platform))
}

// identified is the Error of an id, nil for none.
func identified(problem, hint error) *Error {
	if problem == nil {
		return nil
	}
	return &Error{Problem: problem, Hint: hint}
}

// Owners is the handoff.desk of the direct chats with the owners.
const Owners = "owners"

func badURL(text string) *Error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return wrong(wordsNotAddress).hint(wordsAddressForm)
	}
	return nil
}

// redactURL hides the password and the keys of a URL, and a URL it cannot read.
func redactURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return hidden
	}
	for name := range u.Query() {
		if keyName().MatchString(name) {
			u.RawQuery = "xxxxx"
		}
	}
	return u.Redacted()
}

func badListen(text string) *Error {
	_, port, err := net.SplitHostPort(text)
	if n, e := strconv.Atoi(port); err != nil || e != nil || n < 0 || n > 65535 {
		return wrong(wordsIs, text).hint("host:port, for example 127.0.0.1:8080")
	}
	return nil
}

// isID reports whether text is a positive 64-bit number in its only spelling.
func isID(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n > 0 && strconv.FormatInt(n, 10) == text
}

// together checks values that depend on each other.
func (c *Config) together(fail fail) {
	if c.Session.IdleTimeout >= c.Session.TTL {
		fail("session.idle_timeout",
			wrong("is %s; expected less than %s, which is %s", durationText(c.Session.IdleTimeout), "session.ttl", durationText(c.Session.TTL)))
	}
	if c.Telegram.Mode == "webhook" {
		c.each(func(s *Setting) {
			if strings.HasPrefix(s.Path, "telegram.webhook.") && s.value.IsZero() {
				fail(s.Path, wrong(wordsIsMissing).hint(wordsNeedsIt, "telegram.mode webhook"))
			}
		})
	}
	if c.Web.Search.Kind == "searxng" && c.Web.Search.APIKey != "" && c.Web.Search.URL == "" {
		fail("web.search.url", wrong(wordsIsMissing).hint("the address of the searxng server"))
	}
	if c.Web.Search.Kind == "brave" && c.Web.Search.URL != "" && c.Web.Search.APIKey == "" {
		fail("web.search.api_key", wrong(wordsIsMissing).hint(wordsNeedsIt, "web.search.kind brave"))
	}
	if c.Vault.DailyNote != "off" && c.Vault.DailyNote != "" && c.Vault.Readers != "owner" {
		fail("vault.daily_note", wrong("is %q, and vault.readers is %q", c.Vault.DailyNote,
			c.Vault.Readers).hint("what is said in direct chats goes into a note: set vault.readers to owner, or vault.daily_note to off"))
	}
	if c.Page.URL != "" && c.HTTP.Listen == "" {
		fail("http.listen", wrong(wordsIsMissing).hint(wordsNeedsIt, "page.url"))
	}
	if c.Page.Members && c.Page.URL == "" {
		fail("page.url", wrong(wordsIsMissing).hint(wordsNeedsIt, "page.members"))
	}
	if len(c.Hooks) > 0 && c.HTTP.Listen == "" && c.HTTP.HooksListen == "" {
		fail("http.listen", wrong(wordsIsMissing).hint(wordsNeedsIt, "hooks"))
	}
	if c.HTTP.MCP && c.HTTP.Listen == "" {
		fail("http.listen", wrong(wordsIsMissing).hint(wordsNeedsIt, "http.mcp"))
	}
	if c.HTTP.API && c.HTTP.Listen == "" {
		fail("http.listen", wrong(wordsIsMissing).hint(wordsNeedsIt, "http.api"))
	}
	c.unique(fail)
	c.servers(fail)
	c.services(fail)
	c.engines(fail)
	c.residents(fail)
}

// unique checks the names that must differ, whatever their case.
func (c *Config) unique(fail fail) {
	c.each(func(s *Setting) {
		if !s.unique {
			return
		}
		seen := map[string]string{}
		for i := range s.value.Len() {
			name, path := s.value.Index(i).FieldByName("Name").String(), fmt.Sprintf("%s[%d].name", s.Path, i)
			if first := seen[strings.ToLower(name)]; first != "" {
				fail(path, wrong(wordsIsTwice, name, first).hint("names must differ"))
				continue
			}
			seen[strings.ToLower(name)] = path
		}
	})
}

// servers checks that each tool server has one address.
func (c *Config) servers(fail fail) {
	for i, s := range c.MCP.Servers {
		at := fmt.Sprintf("mcp.servers[%d]", i)
		if (len(s.Command) == 0) == (s.URL == "") {
			fail(at, wrong("needs either command or url"))
		}
		if s.URL == "" && (len(s.Headers) > 0 || s.Bearer != "" || s.ClientID != "") {
			fail(at, wrong("has headers, bearer or client_id, which are for a url").hint("hand a program its secrets with env"))
		}
		if s.ClientSecret != "" && s.ClientID == "" {
			fail(at+".client_id", wrong(wordsIsMissing).hint("%s goes with it", "client_secret"))
		}
	}
}
