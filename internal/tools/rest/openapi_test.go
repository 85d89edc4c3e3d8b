package rest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"parley/internal/tools"
)

func maker(d Definition) func(string) Definition {
	return func(method string) Definition {
		out := d
		out.Meta = meta("")
		out.ReadOnly = method == "GET"
		out.SideEffect = !out.ReadOnly
		return out
	}
}

const shop = `
openapi: 3.0.3
info: {title: Shop, version: "1"}
servers: [{url: "https://{env}.shop.example/v1", variables: {env: {default: api}}}]
paths:
  /orders/{order-id}:
    parameters:
      - {name: order-id, in: path, required: true, schema: {type: string, nullable: true}}
    get:
      operationId: getOrder
      summary: One order
      parameters:
        - {name: "filter", in: query, style: deepObject, schema: {type: object, properties: {state: {type: string}}}}
        - {name: tags, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: ids, in: query, schema: {type: array, items: {type: integer, minimum: 1, exclusiveMinimum: true}}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: api_key, in: query, required: true, schema: {type: string}}
      responses: {"200": {description: ok}}
    put:
      operationId: changeOrder
      requestBody:
        required: true
        content:
          application/json: {schema: {$ref: "#/components/schemas/Order"}}
      responses: {"200": {description: ok}}
  /pictures:
    post:
      operationId: addPicture
      requestBody: {required: true, content: {multipart/form-data: {schema: {type: object}}}}
      responses: {"200": {description: ok}}
  /old: {get: {operationId: old, deprecated: true, responses: {"200": {description: ok}}}}
components:
  schemas:
    Order:
      type: object
      required: [id, state]
      properties:
        id: {type: integer, readOnly: true}
        state: {type: string, enum: [open, closed], nullable: true, pattern: "^(?!x)"}
        example: {type: string, example: nothing}
        parent: {$ref: "#/components/schemas/Order"}
`

func TestOpenAPI(t *testing.T) {
	s, all := echo(t)
	service := Service{Name: "shop", URL: s.URL + "/v1/", Make: maker(Definition{Query: [][2]string{{"api_key", secret}}})}
	service.Operations = []string{"*Order", "add*"}
	list, left, err := Read([]byte(shop), service)
	if err != nil || len(list) != 2 || len(left) != 1 || !strings.Contains(left[0].Why, "neither JSON nor a form") {
		t.Fatal(list, left, err)
	}
	var get, change Definition
	for _, d := range list {
		if d.Method == "GET" {
			get = d
		} else {
			change = d
		}
	}
	o, _ := ask(t, get, `{"order-id":"a/b","filter":{"state":"x y"},"tags":["a","b"],"ids":[2,3],"X-Trace":"t","api_key":"mine"}`)
	if o.Class != "" || get.Name != "shop__getOrder" {
		t.Fatal(get.Name, o.Result.Content)
	}
	if got := (*all)[0]; !strings.HasPrefix(got.uri, "/v1/orders/a%2Fb?api_key=s3cr3t") ||
		!strings.HasSuffix(got.uri, "&filter%5Bstate%5D=x+y&ids=2&ids=3&tags=a%2Cb") || got.header.Get("X-Trace") != "t" {
		t.Errorf("asked %+v", got)
	}
	if o, _ := ask(t, get, `{"order-id":"1","ids":[1]}`); o.Class != tools.Invalid {
		t.Errorf("an exclusive minimum of 3.0 was lost: %s", o.Result.Content)
	}
	if o, _ := ask(t, change, `{"order-id":"1","body":{"state":null,"parent":{"state":"open"}}}`); o.Class != "" {
		t.Errorf("%s", o.Result.Content)
	}
	if o, _ := ask(t, change, `{"order-id":"1","body":{"state":"lost"}}`); o.Class != tools.Invalid {
		t.Errorf("%s", o.Result.Content)
	}
	if got := (*all)[1].body; got != `{"parent":{"state":"open"},"state":null}` {
		t.Errorf("sent %s", got)
	}
}

func TestChoosingOperations(t *testing.T) {
	for _, tt := range []struct {
		operations []string
		want       string // the tools, or a part of the error
	}{
		{nil, "shop__getOrder"},
		{[]string{"getOrdr"}, "did you mean getOrder?"},
		{[]string{"addPicture"}, "neither JSON nor a form"},
		{[]string{"["}, "no pattern"},
		{[]string{"old"}, "shop__old"},
	} {
		list, _, err := Read([]byte(shop), Service{Name: "shop", Operations: tt.operations, Make: maker(Definition{})})
		var names []string
		for _, d := range list {
			names = append(names, d.Name)
			if !strings.HasPrefix(d.URL, "https://api.shop.example/v1/") {
				t.Error(d.URL)
			}
		}
		if got := strings.Join(names, " "); got != tt.want && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v: %q, %v", tt.operations, got, err)
		}
	}
	for _, bad := range []string{"", "{}", "swagger: '2.0'\ninfo: {}\npaths: {}", "openapi: 3.0.0\npaths: {/x: {$ref: 'other.yaml'}}",
		"\x00", "[1]", "openapi: 3.1.0\ninfo: {title: x, version: '1'}"} {
		if list, _, err := Read([]byte(bad), Service{Name: "s", Make: maker(Definition{})}); err == nil && len(list) > 0 {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestPublishedFiles: descriptions that others published become tools whose schemas
// hold. They are in the module of the library that reads them.
func TestPublishedFiles(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/getkin/kin-openapi").Output()
	if err != nil {
		t.Skip("the module's folder is not known:", err)
	}
	for name, want := range map[string]int{"lxkns.yaml": 3, "oai_v3_stoplight.json": 330, "issue796.yml": 140, "link-example.yaml": 6} {
		file, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "openapi3", "testdata", name))
		if err != nil {
			t.Skip(err)
		}
		doc, err := openapi3.NewLoader().LoadFromData(file)
		if err != nil {
			t.Fatal(err)
		}
		made, left := 0, []string(nil)
		for _, o := range operations(doc) {
			d, err := o.define(doc, "https://it.example", Service{Name: "it", Make: maker(Definition{})})
			if err == nil {
				_, err = New(d, Options{})
				made++
			}
			if err != nil {
				left = append(left, err.Error())
			}
			if strings.Contains(string(d.Parameters), "components/schemas") {
				t.Errorf("%s: %s: %s", name, d.Name, d.Parameters)
			}
		}
		if t.Log(name, made, "tools; left out:", left); made < want || len(left) > 0 {
			t.Errorf("%s: only %d tools; left out: %v", name, made, left)
		}
	}
}
