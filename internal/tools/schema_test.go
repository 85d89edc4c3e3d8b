package tools

import (
	"fmt"
	"strings"
	"testing"
)

// TestSchemasThatNeverEnd: a server that sends them does not end the process.
func TestSchemasThatNeverEnd(t *testing.T) {
	var doubling strings.Builder
	for i := range 100 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	for schema, want := range map[string]string{
		`{"type":"object","$ref":"#"}`:                                                                            "leads back",
		`{"type":"object","$REF":"#"}`:                                                                            "leads back",
		`{"type":"object","$ref":"#/allOf/0","allOf":[{"$ref":"#"}]}`:                                             "leads back",
		`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`:                                          "leads back",
		`{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/properties/a"}]}}}`:                              "leads back",
		`{"type":"object","properties":{"a b/~":{"not":{"$ref":"#/properties/a%20b~1~0"}}}}`:                      "leads back",
		`{"type":"object","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"if":{"$ref":"#/$defs/a"}}}}`:                    "leads back",
		`{"type":"object","$defs":{"a":{"dependentSchemas":{"x":{"$ref":"#/$defs/a"}}}}}`:                         "leads back",
		`{"type":"object","definitions":{"a":{"then":{"else":{"$ref":"#/definitions/a"}}}}}`:                      "leads back",
		`{"type":"object","patternProperties":{"^a":{"$ref":"#/patternProperties/^a"}}}`:                          "leads back",
		`{"type":"object","properties":{"a":{"items":[{"$ref":"#/properties/a/items/0"}]}}}`:                      "leads back",
		`{"type":"object","$defs":{"a":{"$anchor":"x","$ref":"#x"}}}`:                                             "not allowed",
		`{"type":"object","$dynamicRef":"#x","$dynamicAnchor":"x"}`:                                               "not allowed",
		`{"type":"object","$dynamicRef":"#x","$defs":{"a":{"$anchor":"x","$ref":"#"}}}`:                           "not allowed",
		`{"type":"object","$defs":{"a":{"$id":"https://x/y","$ref":"https://x/y"}}}`:                              "not allowed",
		`{"type":"object","$defs":{"a":{"$dynamicAnchor":"x","$dynamicRef":"#x"}}}`:                               "not allowed",
		`{"type":"object","$id":"https://x/y","properties":{"a":{"$ref":"https://x/y"}}}`:                         "not allowed",
		`{"type":"object","properties":{"a":{"$ref":"#/nowhere"}}}`:                                               "nowhere",
		`{"type":"object","properties":{"a":{"$ref":"#/allOf/7"}},"allOf":[true]}`:                                "nowhere",
		`{"type":"object","$defs":{` + doubling.String() + `"d100":{}},"allOf":[{"$ref":"#/$defs/d0"}]}`:          "too much",
		`{"type":"object","properties":{"a":` + strings.Repeat(`{"if":`, 2600) + `{}` + strings.Repeat(`}`, 2602): "too deeply",
	} {
		if err := CheckSchema([]byte(schema)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %v", schema, err)
		}
	}
	// What looks like it, and is none.
	for _, schema := range []string{
		`{"type":"object","properties":{"next":{"$ref":"#"},"list":{"type":"array","items":{"$ref":"#"}}}}`,
		`{"type":"object","properties":{"$id":{"type":"string"},"$ref":{"type":"string"},"not":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"enum":[{"$id":"x"}],"default":{"$ref":"#"},"const":{"$anchor":"y"}}}}`,
		`{"type":"object","$id":"https://x/y","properties":{"a":{"$ref":"#/properties/b"},"b":true}}`,
		`{"type":"object","$defs":{"a":{"$anchor":"x","type":"string"}},"properties":{"a":{"$ref":"#/$defs/a"}}}`,
	} {
		if err := CheckSchema([]byte(schema)); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// FuzzSchema: whatever a server sends as a schema, checking against it ends.
func FuzzSchema(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","$defs":{"a":{"$anchor":"x","$ref":"#/$defs/b"},"b":{"$ref":"#x"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"allOf":[{"$ref":"#/properties/a"}]}}}`,
		`{"type":"object","$defs":{"a":{"items":{"$ref":"#/$defs/a"}}},"properties":{"a":{"$ref":"#/$defs/a"}}}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":["string","null"],"pattern":"^x+$","minLength":2}}}`,
		`{"type":"object","$id":"a:b","$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"$ref":"#"}}}`,
		`{"type":"object","unevaluatedProperties":false,"oneOf":[{"properties":{"a":true}},{"contains":{"const":1}}]}`,
	} {
		f.Add(seed, `{"a":{"a":[1,"x",null,{"b":{}}]},"b":[[]]}`)
	}
	f.Fuzz(func(t *testing.T, schema, args string) {
		a, err := compileArguments([]byte(schema))
		if err != nil {
			return
		}
		_, _, _ = a.parse([]byte(args))
	})
}
