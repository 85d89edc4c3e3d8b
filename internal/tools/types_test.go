package tools

import (
	"strings"
	"testing"
)

// TestTypes: a type that there is not is found wherever a schema may hold one, and nowhere else.
func TestTypes(t *testing.T) {
	for _, c := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"banana"}}}`, `#/properties/a/type is "banana"`},
		{`{"type":"object","properties":{"a":{"type":["string","text"]}}}`, `#/properties/a/type is "text"`},
		{`{"type":"object","properties":{"a":{"type":[]}}}`, "names no type"},
		{`{"type":"object","properties":{"a":{"items":{"not":{"type":7}}}}}`, `#/properties/a/items/not/type is "7"`},
		{`{"type":"object","$defs":{"a":{"type":"int"}}}`, `#/$defs/a/type is "int"`},
		{`{"type":"object","properties":{"type":{"type":"string"},"a":{"enum":[{"type":"x"}],"default":{"type":3}}}}`, ""},
		{`{"type":"object","properties":{"a":{"type":["integer","null"]},"b":true,"c":{}}}`, ""},
	} {
		schema, want, got := c[0], c[1], ""
		if err := CheckTypes([]byte(schema)); err != nil {
			got = err.Error()
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", schema, got)
		}
	}
}
