package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Messages come last, whatever stands in them, and nothing is lost.
func TestCompletePutsMessagesLast(t *testing.T) {
	odd := `[{"role":"user","content":"a \"messages\":[] } \\ [{"},{"role":"tool","content":""}]`
	for body, want := range map[string]string{
		`{"model":"m","messages":[],"stream":true}`: `{"model":"m","stream":true,"tools":[{},{"a":1}],"messages":` + odd + `}`,
		`{"model":"\"messages\":[]","messages":[]}`: `{"model":"\"messages\":[]","tools":[{},{"a":1}],"messages":` + odd + `}`,
		`{"messages":[]}`: `{"tools":[{},{"a":1}],"messages":` + odd + `}`,
		`{"messages":[],"n":1,"schema":{"messages":[]}}`: `{"n":1,"schema":{"messages":[]},"tools":[{},{"a":1}],"messages":` + odd + `}`,
	} {
		req, err := http.NewRequest(http.MethodPost, "http://model.invalid", bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		if err := (&exchange{tools: [][]byte{[]byte("{}"), []byte(`{"a":1}`)}, messages: []byte(odd)}).complete(req); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(req.Body)
		if err != nil || string(got) != want || req.ContentLength != int64(len(want)) || !json.Valid(got) {
			t.Errorf("%s\n%s, %v", body, cmp.Diff(want, string(got)), err)
		}
	}
	req, _ := http.NewRequest(http.MethodPost, "http://model.invalid", bytes.NewReader([]byte(`{"input":"\"messages\":["}`)))
	if err := (&exchange{}).complete(req); err == nil {
		t.Error("a request without messages was rewritten")
	}
}
