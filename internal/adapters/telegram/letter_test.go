package telegram

import (
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
)

// What was put aside, or could not be stored, is read again as it came; what
// still makes no message says why.
func TestRenormalize(t *testing.T) {
	early, err := New(Options{Token: telegramtest.DefaultToken})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := early.Renormalize([]byte(`{}`)); err != chat.ErrNotReady {
		t.Errorf("before it knows who it is: %v", err)
	}
	s := server(t)
	r := run(t, s, newIntake(), nil)
	s.Push(odd(`"sender_boost_count":"many"`, "hello"))
	first := r.in.wait(t, 1)[0]
	var a chat.Renormalizer = reader(t)
	list, err := a.Renormalize(first.Raw)
	if err != nil || len(list) != 1 || list[0].ID != first.ID || list[0].Key != first.Key || list[0].From != first.From ||
		list[0].Text != "hello" || !list[0].Direct {
		t.Errorf("read again: %+v, %v", list, err)
	}
	for raw, want := range map[string]string{
		`{"update_id":9,"edited_message":{"message_id":5,"date":1,"edit_date":2,` + private + `,` + ann +
			`,"text":"new"}}`: "5@9",
		`{"update_id":9,"callback_query":{"id":"q",` + ann + `,"data":"yes","message":{"message_id":5,"date":1,` + private +
			`,` + ownFrom + `}}}`: "cb:q",
		`{"update_id":9,"message":{"message_id":5,"date":1,` + private + `,` + ownFrom +
			`,"text":"my own"}}`: "",
	} {
		list, err := a.Renormalize([]byte(raw))
		if err != nil || want == "" && len(list) > 0 || want != "" && (len(list) != 1 || list[0].ID != want) {
			t.Errorf("%s: %+v, %v", raw, list, err)
		}
	}
	for _, raw := range []string{"", "{}", "[]", "null", "7", `{"update_id":9,"message":[]}`, string(first.Raw[:len(first.Raw)/2]),
		strings.Replace(string(first.Raw), `"update_id"`, `"id"`, 1)} {
		if list, err := a.Renormalize([]byte(raw)); err == nil || strings.Contains(err.Error(), "hello") {
			t.Errorf("%s: %v, %v", raw, list, err)
		}
	}
}
