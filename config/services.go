package config

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley/internal/text"
)

// Said in more than one place.
const (
	wordsIsTwice     = "is %q, as %s is"
	wordsAddressForm = "it begins with https:// or http:// and names a host"
)

// HTTPTool is one call of an HTTP service, offered to the model as a tool.
type HTTPTool struct {
	Name        string `yaml:"name" form:"name" doc:"its name, as rules and policies know it"`
	Description string `yaml:"description" form:"required" doc:"when to use it, in up to 500 characters: the model reads this"`
	Method      string `yaml:"method" default:"GET" one:"GET|HEAD|POST|PUT|PATCH|DELETE" doc:"how it asks"`
	URL         string `yaml:"url" form:"template" doc:"address; {name} is an argument, escaped. The host is fixed, and may be on a private network"`
	Parameters  JSON   `yaml:"parameters" doc:"JSON schema of the arguments, of type object; arguments used nowhere else go to the query, or into the body where the method has one"`
	Body        JSON   `yaml:"body" doc:"what is sent, with {name} for arguments; with none, an object of the arguments used nowhere else"`
	Encoding    string `yaml:"encoding" default:"json" one:"json|form" doc:"how a body is written"`
	Result      string `yaml:"result" doc:"expression that makes the result of the answer, such as body.items[0].status or map(body.items, {{id: .id}}); knows body, status and args. With none, the answer as it is"`
	HTTPCall    `yaml:",inline"`
}

// OpenAPI is an HTTP service described by a file.
type OpenAPI struct {
	Name       string   `yaml:"name" form:"name" doc:"prefix of its tools: name__operation"`
	File       string   `yaml:"file" form:"required" doc:"the OpenAPI 3 description, YAML or JSON; a file, never an address"`
	URL        string   `yaml:"url" form:"url" doc:"address of the service; with none, the first server in the file"`
	Operations []string `yaml:"operations" doc:"ids of the operations to offer, or patterns such as get*; with none, those that only read"`
	HTTPCall   `yaml:",inline"`
}

// HTTPCall is how a service is asked, and how often.
type HTTPCall struct {
	Headers      []Secret      `yaml:"headers" form:"header" doc:"sent with each call, as Name: value; ${VARIABLE} or file:PATH is a secret, {person.id} who asks (also person.name, place.id, call.key)"`
	ReadOnly     string        `yaml:"read_only" default:"auto" one:"auto|true|false" doc:"whether it changes nothing, so that it never asks and may be repeated; auto: GET and HEAD"`
	Query        []Secret      `yaml:"query" form:"query" doc:"added to the address, as name: value; a value may hold {name}, and ${VARIABLE} for a secret"`
	Idempotency  string        `yaml:"idempotency" doc:"header that carries a key which is the same for each attempt, such as Idempotency-Key, if the service then acts once"`
	Timeout      time.Duration `yaml:"timeout" default:"30s" range:"1s..5m" doc:"time for one attempt"`
	Retry        HTTPRetry     `yaml:"retry"`
	AllowFailure bool          `yaml:"allow_failure" default:"true" doc:"go on when it fails, and let the model say so; false ends the answer there, with a sentence that says what failed"`
	Private      bool          `yaml:"private" default:"true" doc:"what it answers is not for strangers: a conversation that read it fetches no page whose address the model made up"`
	Metadata     []string      `yaml:"metadata" form:"metadata" doc:"your own notes, as name: value; /tools list shows them"`
}

// HTTPRetry is how a failed call is repeated.
type HTTPRetry struct {
	Attempts   int           `yaml:"attempts" default:"1" range:"1..10" doc:"the first one included; more than one only where a repetition does no harm: it only reads, PUT, DELETE, or idempotency is set"`
	Delay      time.Duration `yaml:"delay" default:"1s" range:"10ms..1m" doc:"before the second attempt; a service that says when to come again is obeyed"`
	Multiplier float64       `yaml:"multiplier" default:"2" range:"1..10" doc:"of the delay, from attempt to attempt"`
}

// JSON is a JSON value, written as YAML or as a text with JSON; "" is none.
type JSON string

// Reads reports whether the call changes nothing.
func (c HTTPCall) Reads(method string) bool {
	if c.ReadOnly == "auto" {
		return method == http.MethodGet || method == http.MethodHead
	}
	return c.ReadOnly == "true"
}

// Repeatable reports whether a second attempt is harmless.
func (c HTTPCall) Repeatable(method string) bool {
	return c.Reads(method) || c.Idempotency != "" || method == http.MethodPut || method == http.MethodDelete
}

// Header splits entries of the form Name: value.
func Header(entries []Secret) [][2]string { return pairs(entries, ":") }

// Query splits entries of the form name=value.
func Query(entries []Secret) [][2]string { return pairs(entries, "=") }

func pairs(entries []Secret, between string) (list [][2]string) {
	for _, e := range entries {
		name, value, _ := strings.Cut(string(e), between)
		list = append(list, [2]string{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	return list
}

var tokenForm = text.Pattern("^[A-Za-z0-9!#$%&'*+.^_`|~-]*$")

// services checks HTTP tools as far as config can.
func (c *Config) services(fail fail) {
	for i, t := range c.Tools.HTTP {
		t.check(fmt.Sprintf("tools.http[%d]", i), fail, t.Method)
	}
	for i, o := range c.Tools.OpenAPI {
		at := fmt.Sprintf("tools.openapi[%d]", i)
		if j := slices.IndexFunc(c.MCP.Servers, func(s MCPServer) bool { return s.Name == o.Name }); j >= 0 {
			fail(at+".name", wrong(wordsIsTwice, o.Name, fmt.Sprintf("mcp.servers[%d]", j)).hint("both would be the prefix of tools"))
		}
		o.check(at, fail)
	}
}

// check checks one call; without methods those are in a file.
func (c HTTPCall) check(at string, fail fail, methods ...string) {
	if !tokenForm().MatchString(c.Idempotency) {
		fail(at+".idempotency", wrong("is not the name of a header").hint(wordsForExample, "Idempotency-Key"))
	}
	for _, m := range methods {
		if c.Retry.Attempts > 1 && !c.Repeatable(m) {
			fail(at+".retry.attempts", wrong("is %d, but a repeated %s may act twice", c.Retry.Attempts, m).hint("set idempotency if the service knows such a header, or read_only: true if nothing is changed"))
		}
	}
}

// badTemplate is badURL for an address with placeholders: what stands before the
// first one names scheme and host.
func badTemplate(address string) *Error {
	fixed, _, _ := strings.Cut(address, "{")
	u, err := url.Parse(fixed)
	switch {
	case address == "":
		return wrong(wordsIsMissing)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return wrong(wordsNotAddress).hint(wordsAddressForm)
	case u.Path == "" && u.RawQuery == "" && !u.ForceQuery && len(fixed) < len(address):
		return wrong("has a placeholder in its host").hint("the host is fixed: only what follows may change")
	case u.User != nil:
		return wrong("holds a user name").hint("send it with headers: Authorization: Basic ${VARIABLE}")
	}
	return nil
}

// valid reports whether j is JSON, or none.
func (j JSON) valid() bool { return j == "" || json.Valid([]byte(j)) }
