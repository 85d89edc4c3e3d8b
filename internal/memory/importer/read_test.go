package importer

import (
	"strings"
	"testing"
)

func readAll(text string) (list []Message, err error) {
	err = Read(strings.NewReader(text), func(m Message) error { list = append(list, m); return nil })
	return list, err
}

func FuzzRead(f *testing.F) {
	f.Add(`{"platform":"a","channel":"c","user":"u","text":"t","at":"2023-05-01"}`)
	f.Add("{\n\"messages\": [{\"type\":\"message\",\"text\":[1,{}]}]}")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := readAll(text)
		if err != nil && err.Error() == "" {
			t.Fatal("an error without words")
		}
		for _, m := range list {
			if m.Key.Platform == "" || m.Key.Channel == "" || m.User.ID == "" || m.User.Name == "" || m.Text == "" || m.ID == "" || m.At.IsZero() {
				t.Fatalf("%q: %+v lacks something", text, m)
			}
		}
	})
}
