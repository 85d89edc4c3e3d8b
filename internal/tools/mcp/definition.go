package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	whole "parley/internal/text"
	"parley/internal/tools"
)

const (
	maxSchema   = 16 << 10 // bytes of one tool's parameters
	maxTools    = 100      // of one server
	maxName     = 50       // of ours
	callTimeout = time.Minute
)

// definition is a server's tool in our words.
type definition struct {
	tools.Spec
	name string // the server's
	hash string // of what the server says, before anything is cut
}

func (d definition) pin() pin { return pin{d.hash, d.Description} }

var (
	remoteName = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,128}$`)
	unfit      = regexp.MustCompile(`[^a-z0-9_]+`)
)

// define turns a server's tool into ours. Annotations are the server's claims
// and ignored.
func define(s Server, t *sdk.Tool) (definition, error) {
	if !remoteName.MatchString(t.Name) {
		return definition{}, fmt.Errorf("name %.60q is not valid", t.Name)
	}
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return definition{}, fmt.Errorf("%s: parameters: %w", t.Name, err)
	}
	if len(schema) > maxSchema {
		return definition{}, fmt.Errorf("%s: parameters are %d bytes long", t.Name, len(schema))
	}
	said, err := json.Marshal([]string{t.Name, t.Description, string(schema)})
	if err != nil {
		return definition{}, fmt.Errorf("%s: %w", t.Name, err)
	}
	sum := sha256.Sum256(said)
	clean, _ := whole.Strip(string(schema))
	d := definition{name: t.Name, hash: hex.EncodeToString(sum[:])}
	d.Parameters = json.RawMessage(clean)
	d.Meta = tools.Meta{Name: ourName(s.Name, t.Name), Description: describe(t), Category: tools.Web, Timeout: callTimeout, SideEffect: true, AllowFailure: true, Foreign: true}
	for _, name := range s.ReadOnly {
		if name == t.Name {
			d.SideEffect, d.ReadOnly = false, true
		}
	}
	if err := d.Check(); err != nil {
		return definition{}, err
	}
	if err := tools.CheckSchema(d.Parameters); err != nil {
		return definition{}, fmt.Errorf("%s: %w", t.Name, err)
	}
	return d, nil
}

// ourName is server__tool in the letters a name may have. What had to be bent
// or cut ends with a piece of its hash, so that different tools stay different.
func ourName(server, tool string) string {
	name := server + "__" + unfit.ReplaceAllString(strings.ToLower(tool), "_")
	if name == server+"__"+tool && len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(tool))
	return name[:min(len(name), maxName-7)] + "_" + hex.EncodeToString(sum[:3])
}

func describe(t *sdk.Tool) string {
	text, _ := whole.Strip(t.Description)
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		text = t.Name
	}
	return whole.Shorten(text, 500)
}
