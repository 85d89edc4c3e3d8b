// Package rest makes tools of HTTP services: of one call that the owner wrote down,
// or of the operations in an OpenAPI file. What a service answers is text from
// outside. It asks nobody and decides nothing about who may call what: the Runner
// and the owner's policy treat these tools as they treat all others.
package rest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
	"parley/internal/tools/netguard"
)

// Definition is one call of a service. Of Meta it holds what the owner says; New
// adds the question that is asked before a call.
type Definition struct {
	tools.Meta
	Method string
	// URL, and the values of Headers, Query and Body, may hold placeholders: {name}
	// of an argument, or one of the names in facts. Scheme and host hold none.
	URL     string
	Headers [][2]string
	Query   [][2]string
	// Body is a JSON value; nil sends the arguments that are used nowhere else.
	Body json.RawMessage
	Form bool // bodies are forms, not JSON
	// Parameters is a JSON schema of type object; nil makes one of the placeholders.
	Parameters json.RawMessage
	// Result is an expression over the answer; "" is the answer as it is.
	Result string
	// KeyHeader is the header that carries a key for each call; "" is none.
	KeyHeader string
	// Private is true if only the person and the place may know the answers.
	Private bool

	slots []slot // where arguments of an OpenAPI file go
}

// Options are shared by all tools. The zero value is ready.
type Options struct {
	Guard netguard.Guard
	// Hide removes secrets from answers; nil removes none.
	Hide func(string) string
	Log  *slog.Logger // nil is silent
}

// call is a tool.
type call struct {
	Definition
	o      Options
	args   map[string]bool // declared arguments
	used   map[string]bool // those with a place of their own
	result *vm.Program     // nil is the answer as it is
	client *http.Client
}

// New makes a tool. The error says what is wrong with d and holds no secret.
func New(d Definition, o Options) (tools.Tool, error) {
	if o.Hide == nil {
		o.Hide = func(s string) string { return s }
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	c := &call{Definition: d, o: o, args: map[string]bool{}, used: map[string]bool{}}
	c.Egress = true // a service may open what it is given
	if err := c.prepare(); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return c, nil
}

func (c *call) prepare() error {
	if err := c.declare(); err != nil {
		return err
	}
	if err := c.place(); err != nil {
		return err
	}
	if c.Result != "" {
		var err error
		if c.result, err = expr.Compile(c.Result, expr.Env(known{})); err != nil {
			return fmt.Errorf("result: %w", err)
		}
	}
	c.Ask = func(ctx context.Context, call tools.Call) (string, error) {
		return strings.TrimSpace(c.question(ctx) + "\n" + tools.Listed(call.Args)), nil
	}
	if err := c.Spec().Check(); err != nil {
		return err
	}
	if err := sound(c.Parameters); err != nil {
		return err
	}
	guard, err := c.o.Guard.Trusting(fixedPart(c.URL))
	if err != nil {
		return fmt.Errorf("url: %w", err)
	}
	guard.AllowHosts, guard.Wait = nil, max(c.Timeout, tools.DefaultTimeout)
	c.client = guard.Client()
	c.client.CheckRedirect = stay
	return nil
}

// sound explains why a schema that somebody wrote for a tool cannot be meant so; nil if it can.
func sound(schema []byte) error {
	if err := tools.CheckSchema(schema); err != nil {
		return err
	}
	return tools.CheckTypes(schema)
}

// question asks in words for people: what is done, and who gets it. An address of numbers or
// of this machine says nothing to them.
func (c *call) question(ctx context.Context) string {
	name := text.Exact(strings.NewReplacer("__", ": ", "_", " ").Replace(c.Name))
	host, _, err := net.SplitHostPort(c.host())
	if err != nil {
		host = c.host()
	}
	if net.ParseIP(strings.Trim(host, "[]")) != nil || !strings.Contains(host, ".") {
		return catalog.Say(ctx, "Do this: **%s**? It goes to a service that my owner has set up.", name)
	}
	return catalog.Say(ctx, "Do this: **%s**? It goes to the service at %s.", name, text.Exact(host))
}

// fixedPart returns the part of an address before any placeholder.
func fixedPart(address string) string {
	fixed, _, _ := strings.Cut(address, "{")
	return fixed
}

func (c *call) host() string {
	u, err := url.Parse(fixedPart(c.URL))
	if err != nil {
		return ""
	}
	return u.Host
}

// Spec implements tools.Tool.
func (c *call) Spec() tools.Spec { return tools.Spec{Meta: c.Meta, Parameters: c.Parameters} }

// Call implements tools.Tool. Whatever the service says, errors included, is text
// from outside; the error itself is in our words.
func (c *call) Call(ctx context.Context, in tools.Call) (tools.Result, error) {
	r, err := c.request(ctx, in)
	if err != nil {
		return tools.Result{}, err
	}
	resp, err := c.client.Do(r)
	if err != nil {
		return tools.Result{}, c.unreached(ctx, err)
	}
	defer resp.Body.Close()
	a, err := c.read(resp)
	if err != nil {
		return tools.Result{}, c.unreached(ctx, err)
	}
	content, err := c.present(ctx, a, in)
	return tools.Result{Content: content, Untrusted: true, Private: c.Private, Origin: provenance.Origin{Via: provenance.ViaServer}}, err
}

// key returns what a service may know a call by: the same for each attempt, and
// nothing about the person or the place.
func key(in tools.Call) string {
	sum := sha256.Sum256([]byte(in.Key))
	return hex.EncodeToString(sum[:16])
}

// Origin returns scheme, host and port of a service, without anything that could be
// a secret.
func Origin(address string) string {
	u, err := url.Parse(fixedPart(address))
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Probe reports whether a service's host takes connections, with a certificate that
// holds where it is https. It asks the service nothing.
func Probe(ctx context.Context, origin string) error {
	u, err := url.Parse(origin)
	if err != nil {
		return errors.New("the address cannot be read")
	}
	dial, port := (&net.Dialer{}).DialContext, "80"
	if u.Scheme == "https" {
		dial, port = (&tls.Dialer{}).DialContext, "443"
	}
	conn, err := dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)))
	if err != nil {
		return text.Tell("%s: %w", origin, err)
	}
	return conn.Close()
}
